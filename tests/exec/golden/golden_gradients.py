"""Writes loss and gradients of small networks, computed in float64 by numpy alone, to one JSON file each:

    python3 tests/exec/golden/golden_gradients.py           writes tests/golden/gradients/*.json
    python3 tests/exec/golden/golden_gradients.py --check   compares with what is there

Of each parameter's gradient a file holds the norm, the largest magnitude, the scalar product with a stream of
random numbers (which no misplaced element survives) and some elements.
"""

import json
import pathlib
import sys

import numpy as np

from counted_random import bits, symmetric
from networks import FAMILIES, Network
from tape import differentiate

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "golden" / "gradients"
SHOWN = 4

TRANSFORMER = {"hidden": 8, "heads": 2, "sequence": 5, "feed_forward": 12, "activation": "gelu"}
FEED_FORWARD = {"bias": True, "activation": "relu", "outputs": 2}
CASES = {
    "mmt": ("multimodal_transformer", {"branches": 2, "layers": 1, **TRANSFORMER}),
    "mmt_relu": ("multimodal_transformer", {"branches": 1, "layers": 1, **TRANSFORMER, "activation": "relu"}),
    "gpt": ("gpt", {"layers": 2, **TRANSFORMER, "vocabulary": 11, "tied_embeddings": True}),
    "gpt_untied": ("gpt", {"layers": 1, **TRANSFORMER, "vocabulary": 7, "tied_embeddings": False}),
    "dlrm": ("dlrm", {"dense_branches": 2, "dense_layers": 2, "hidden": 6, "dense_features": 5, "sparse_branches": 2,
                      "table_rows": 9, "embedding": 3, "bag": 4, "pooling": "concat", "interaction": "concat",
                      "top_layers": 1, **FEED_FORWARD}),
    "dlrm_dot": ("dlrm", {"dense_branches": 2, "dense_layers": 2, "hidden": 6, "dense_features": 5,
                          "sparse_branches": 2, "table_rows": 9, "embedding": 4, "bag": 3, "pooling": "sum",
                          "interaction": "dot", "top_layers": 1, **FEED_FORWARD, "activation": "gelu"}),
    "candle_uno": ("candle_uno", {"branches": 3, "layers": 2, "hidden": 7, "features": 5, "tail_layers": 2,
                                  **FEED_FORWARD, "bias": False}),
}
SAMPLES = 6


def fingerprint(name, gradient):
    flat = gradient.ravel()
    shown = np.unique(np.linspace(0, flat.size - 1, SHOWN).astype(int))
    return {"shape": list(gradient.shape), "norm": float(np.linalg.norm(flat)), "largest": float(np.abs(flat).max()),
            "projection": float(flat @ symmetric(name + ":projection", flat.shape)),
            "elements": {str(i): float(flat[i]) for i in shown}}


def golden(family, parameters):
    network = Network(SAMPLES)
    loss = FAMILIES[family](network, parameters)
    differentiate(loss)
    gradients = {name: fingerprint(name, value.gradient) for name, value in network.parameters.items()}
    return {"family": family, "parameters": parameters, "samples": SAMPLES, "loss": float(loss.array.item()),
            "gradients": gradients}


def random_numbers():
    names = ["", "a", "layer0/weight", "loss:targets"]
    return {name: [f"{value:016x}" for value in bits(name, 5)] for name in names}


def differences(expected, actual, path=""):
    """Where two documents differ by more than rounding."""
    if isinstance(expected, dict) and isinstance(actual, dict) and expected.keys() == actual.keys():
        return [d for key in expected for d in differences(expected[key], actual[key], f"{path}/{key}")]
    if isinstance(expected, float) and isinstance(actual, float):
        return [] if abs(expected - actual) <= 1e-10 * max(1.0, abs(expected)) else [f"{path}: {expected}, {actual}"]
    return [] if expected == actual else [f"{path}: {expected}, {actual}"]


def main():
    documents = {name: golden(*case) for name, case in CASES.items()}
    documents["random_numbers"] = random_numbers()
    found = []
    for name, document in documents.items():
        path = FOLDER / f"{name}.json"
        if "--check" in sys.argv:
            found += differences(json.loads(path.read_text()), document, name)
        else:
            FOLDER.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(document, indent=1) + "\n")
    print("\n".join(found) or f"{len(documents)} files agree")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
