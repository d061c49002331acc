#!/usr/bin/env python3
"""Makes data/ for job.toml: bodies in a ball, and where double precision sees them after the same steps."""
import pathlib
import sys

import numpy as np

BODIES, STEPS, TIME, SOFTENING = 128, 500, 0.002, 0.1


def pull(places, masses):
    ways = places[None, :, :] - places[:, None, :]
    softened = np.einsum("ijk,ijk->ij", ways, ways) + SOFTENING**2
    return np.einsum("ij,ijk->ik", masses[None, :] / (softened * np.sqrt(softened)), ways)


def energy(places, speeds, masses):
    ways = places[None, :, :] - places[:, None, :]
    bound = masses[:, None] * masses[None, :] / np.sqrt((ways**2).sum(2) + SOFTENING**2)
    np.fill_diagonal(bound, 0)
    return (masses * (speeds**2).sum(1)).sum() / 2 - bound.sum() / 2


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data")
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    bodies = np.zeros((BODIES, 4), np.float32)
    directions = random.normal(size=(BODIES, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    bodies[:, :3] = directions * np.cbrt(random.uniform(size=(BODIES, 1)))
    bodies[:, 3] = random.uniform(0.5, 1.5, BODIES) / BODIES
    # A ball that turns about the z axis.
    speeds = np.zeros((BODIES, 4), np.float32)
    speeds[:, 0], speeds[:, 1] = -0.8 * bodies[:, 1], 0.8 * bodies[:, 0]
    np.save(folder / "bodies.npy", bodies)
    np.save(folder / "speeds.npy", speeds)

    places, velocities, masses = (array.astype(np.float64) for array in (bodies[:, :3], speeds[:, :3], bodies[:, 3]))
    before = energy(places, velocities, masses)
    for _ in range(STEPS):
        velocities += TIME / 2 * pull(places, masses)
        places += TIME * velocities
        velocities += TIME / 2 * pull(places, masses)
    after = energy(places, velocities, masses)
    np.save(folder / "bodies_at_the_end.npy", np.column_stack([places, masses]).astype(np.float32))
    np.save(folder / "energy_at_the_start.npy", np.array([before], np.float32))
    print(f"nbody: energy {before:.6f} before and {after:.6f} after {STEPS} steps in double precision")


if __name__ == "__main__":
    main()
