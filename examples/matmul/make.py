#!/usr/bin/env python3
"""Makes data/ for job.toml: pairs of small matrices, and their products in double precision."""
import pathlib
import sys

import numpy as np

COUNT, SIZE = 1000, 16


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data")
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    a, b = (random.uniform(-1, 1, (COUNT, SIZE, SIZE)).astype(np.float32) for _ in range(2))
    np.save(folder / "a.npy", a)
    np.save(folder / "b.npy", b)
    np.save(folder / "products.npy", (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32))
    print(f"matmul: {COUNT} pairs of {SIZE} × {SIZE}")


if __name__ == "__main__":
    main()
