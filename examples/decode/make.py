#!/usr/bin/env python3
"""Makes data/ for job.toml and for `example_decode --model`: random weights of a small transformer, and what numpy makes
of them in double precision: the tokens it chooses, and the logits of the last."""
import pathlib
import sys

import numpy as np

LAYERS, WIDTH, HEADS, MIDDLE, VOCABULARY, CONTEXT = 6, 288, 6, 768, 4096, 64
HEAD = WIDTH // HEADS
TOKENS, FIRST_TOKEN, EPSILON = 12, 1, float(np.float32(1e-5))
# What a logit may be off by, as a share of the largest: the job checks it, and choices must be clearer than that.
TOLERANCE = 1e-3


def make_weights(random):
    def matrices(count, rows, columns):
        return (random.standard_normal((count, rows, columns)) / np.sqrt(columns)).astype(np.float32)

    def norms(count):
        return random.normal(1, 0.1, (count, WIDTH)).astype(np.float32)

    return {
        "embedding": random.standard_normal((VOCABULARY, WIDTH)).astype(np.float32),
        "attention_norm": norms(LAYERS),
        "query": matrices(LAYERS, WIDTH, WIDTH),
        "key": matrices(LAYERS, WIDTH, WIDTH),
        "value": matrices(LAYERS, WIDTH, WIDTH),
        "output": matrices(LAYERS, WIDTH, WIDTH),
        "middle_norm": norms(LAYERS),
        "gate": matrices(LAYERS, MIDDLE, WIDTH),
        "up": matrices(LAYERS, MIDDLE, WIDTH),
        "down": matrices(LAYERS, WIDTH, MIDDLE),
        "last_norm": norms(1)[0],
        "logits": matrices(1, VOCABULARY, WIDTH)[0],
    }


def make_turns():
    """Cosine and sine by position and pair of a head."""
    angles = np.arange(CONTEXT)[:, None] * 10_000.0 ** -(np.arange(HEAD // 2) / (HEAD // 2))
    return np.stack([np.cos(angles), np.sin(angles)], 2).astype(np.float32)


def normed(x, scales):
    return x / np.sqrt((x * x).mean() + EPSILON) * scales


def turned(x, turns):
    pairs = x.reshape(HEADS, HEAD // 2, 2)
    cosine, sine = turns[:, 0], turns[:, 1]
    x, y = pairs[..., 0], pairs[..., 1]
    return np.stack([x * cosine - y * sine, x * sine + y * cosine], 2).reshape(WIDTH)


def decode(weights, turns):
    """Tokens chosen greedily, and all logits."""
    w = {name: values.astype(np.float64) for name, values in weights.items()}
    turns = turns.astype(np.float64)
    keys = np.zeros((LAYERS, CONTEXT, WIDTH))
    values = np.zeros((LAYERS, CONTEXT, WIDTH))
    token, tokens, all_logits = FIRST_TOKEN, [], []
    for position in range(TOKENS):
        x = w["embedding"][token]
        for i in range(LAYERS):
            n = normed(x, w["attention_norm"][i])
            query = turned(w["query"][i] @ n, turns[position]).reshape(HEADS, HEAD)
            # The cache keeps halves.
            keys[i, position] = turned(w["key"][i] @ n, turns[position]).astype(np.float16)
            values[i, position] = (w["value"][i] @ n).astype(np.float16)
            past = slice(0, position + 1)
            scores = np.einsum("hk,phk->hp", query, keys[i, past].reshape(-1, HEADS, HEAD)) / np.sqrt(HEAD)
            scores = np.exp(scores - scores.max(1, keepdims=True))
            scores /= scores.sum(1, keepdims=True)
            mixed = np.einsum("hp,phk->hk", scores, values[i, past].reshape(-1, HEADS, HEAD)).reshape(WIDTH)
            x = x + w["output"][i] @ mixed
            n = normed(x, w["middle_norm"][i])
            gate = w["gate"][i] @ n
            x = x + w["down"][i] @ (gate / (1 + np.exp(-gate)) * (w["up"][i] @ n))
        logits = w["logits"] @ normed(x, w["last_norm"])
        second, first = np.sort(logits)[-2:]
        assert first - second > 2 * TOLERANCE * np.abs(logits).max(), "two tokens are too close: take another seed"
        token = int(logits.argmax())
        tokens.append(token)
        all_logits.append(logits)
    return tokens, all_logits


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data")
    folder.mkdir(parents=True, exist_ok=True)
    weights, turns = make_weights(np.random.default_rng(1)), make_turns()
    tokens, logits = decode(weights, turns)
    for name, values in weights.items():
        np.save(folder / f"{name}.npy", values)
    np.save(folder / "turns.npy", turns)
    np.save(folder / "state.npy", np.array([FIRST_TOKEN, 0], np.uint32))
    np.save(folder / "expected_tokens.npy", np.array(tokens + [0] * (CONTEXT - TOKENS), np.uint32))
    np.save(folder / "expected_logits.npy", logits[-1].astype(np.float32))
    print(f"decode: numpy chooses {tokens}")


if __name__ == "__main__":
    main()
