#!/usr/bin/env python3
"""Makes data/ for job.toml: draws noisy digits, trains a small network on some, and reads the others with it."""
import pathlib
import sys

import numpy as np

SIZE, LAYERS, TRAINING, TEST = 16, (256, 64, 32, 10), 6000, 1024

GLYPHS = """
.###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###.
#...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...#
#..## ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#.#.# ..#.. ...#. ..##. #..#. ....# ####. ..#.. .###. .####
##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....#
#...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ....#
.###. .###. ##### .###. ...#. .###. .###. .#... .###. .###.
"""


def glyphs():
    """Ten pictures of 9 × 7 with an empty rim."""
    lines = [line.split() for line in GLYPHS.split("\n") if line]
    return np.array([[[0] * 7] + [[0] + [c == "#" for c in line[d]] + [0] for line in lines] + [[0] * 7]
                     for d in range(10)], np.float64)


def draw(count, random):
    """Digits that are turned, stretched, slanted and moved, on noise."""
    truths = random.integers(0, 10, count)
    angle, slant = random.uniform(-0.25, 0.25, (2, count, 1, 1))
    height, width = random.uniform(1.4, 2.0, (2, count, 1, 1))
    down, right = random.uniform(-1.5, 1.5, (2, count, 1, 1))
    y, x = np.mgrid[:SIZE, :SIZE] - (SIZE - 1) / 2
    y, x = y - down, x - right
    y, x = np.cos(angle) * y - np.sin(angle) * x, np.sin(angle) * y + np.cos(angle) * x
    y, x = np.clip(y / height + 4, 0, 7.999), np.clip((x + slant * y) / width + 3, 0, 5.999)
    row, column = y.astype(int), x.astype(int)
    y, x = y - row, x - column
    pictures, which = glyphs(), truths[:, None, None]
    ink = ((1 - y) * ((1 - x) * pictures[which, row, column] + x * pictures[which, row, column + 1]) +
           y * ((1 - x) * pictures[which, row + 1, column] + x * pictures[which, row + 1, column + 1]))
    digits = ink + random.normal(0, 0.25, ink.shape)
    return digits.reshape(count, SIZE * SIZE).astype(np.float32), truths.astype(np.uint32)


def forward(network, values):
    """What every layer gives, the inputs first."""
    all_values = [values]
    for i, (weights, biases) in enumerate(network):
        values = values @ weights + biases
        if i + 1 < len(network):
            values = np.maximum(values, 0)
        all_values.append(values)
    return all_values


def train(digits, truths, random):
    """Stochastic gradient descent with momentum on the cross entropy."""
    network = [[random.normal(0, np.sqrt(2 / n), (n, m)), np.zeros(m)] for n, m in zip(LAYERS, LAYERS[1:])]
    motion = [[np.zeros_like(part) for part in layer] for layer in network]
    for epoch in range(12):
        order = random.permutation(len(digits))
        for batch in order.reshape(-1, 50):
            values = forward(network, digits[batch])
            likely = np.exp(values[-1] - values[-1].max(1, keepdims=True))
            slope = likely / likely.sum(1, keepdims=True)
            slope[np.arange(len(batch)), truths[batch]] -= 1
            slope /= len(batch)
            for i in reversed(range(len(network))):
                gradients = values[i].T @ slope, slope.sum(0)
                slope = (slope @ network[i][0].T) * (values[i] > 0)
                for part, speed, gradient in zip(network[i], motion[i], gradients):
                    speed *= 0.9
                    speed -= 0.03 * gradient
                    part += speed
    return [[part.astype(np.float32) for part in layer] for layer in network]


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data")
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    network = train(*draw(TRAINING, random), random)
    digits, truths = draw(TEST, random)
    logits = forward([[part.astype(np.float64) for part in layer] for layer in network], digits.astype(np.float64))[-1]
    chosen = logits.argmax(1).astype(np.uint32)
    right = (chosen == truths).sum()
    np.save(folder / "digits.npy", digits)
    np.save(folder / "truths.npy", truths)
    for i, (weights, biases) in enumerate(network, 1):
        np.save(folder / f"weights{i}.npy", weights)
        np.save(folder / f"biases{i}.npy", biases)
    np.save(folder / "expected_logits.npy", logits.astype(np.float32))
    np.save(folder / "expected_chosen.npy", chosen)
    np.save(folder / "expected_right.npy", np.array([right], np.uint32))
    print(f"digits: numpy reads {right} of {TEST} right")


if __name__ == "__main__":
    main()
