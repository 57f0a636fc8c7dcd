"""What numpy writes is what training reads, and a step between two checkpoints is the one that numpy computes; the
program is $PIPEGRAPH_PROGRAM."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy

from analysis.files import read_table
from analysis.tensors import read_checkpoint, write_tensors

PROGRAM = os.environ.get("PIPEGRAPH_PROGRAM", "")
RATE = 0.25
MINI_BATCH = 4

SCENARIO = f"""
model: {{family: mlp, layers: 1, inputs: 3, hidden: 5, outputs: 2, activation: relu}}
cluster:
  shape: uniform
  devices: 2
  latency: 1 us
  bandwidth: 10 GB/s
  device: {{memory: 1 GiB, peak: {{fp32: 10 GFLOP/s}}, memory_bandwidth: 10 GB/s}}
training: {{mini_batch: {MINI_BATCH}, optimizer: sgd}}
plans:
  - {{planner: manual, micro_batch: 2, stages: [{{operators: [input, layer0]}}, {{operators: [output, loss]}}]}}
"""


def step(weights, x, target):
    """(loss, weights after the step), in double: mean over samples and elements of the squared error."""
    hidden = x @ weights["layer0/weight"].T + weights["layer0/bias"]
    active = numpy.maximum(hidden, 0)
    error = active @ weights["output/weight"].T + weights["output/bias"] - target
    slope = 2 * error / error.size
    slope_hidden = (slope @ weights["output/weight"]) * (hidden > 0)
    gradients = {
        "layer0/weight": slope_hidden.T @ x,
        "layer0/bias": slope_hidden.sum(0, keepdims=True),
        "output/weight": slope.T @ active,
        "output/bias": slope.sum(0, keepdims=True),
    }
    return (error**2).mean(), {name: weights[name] - RATE * gradients[name] for name in gradients}


@unittest.skipUnless(PROGRAM, "PIPEGRAPH_PROGRAM names no program")
class Trained(unittest.TestCase):
    def test_steps_are_those_of_numpy(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "small.yaml").write_text(SCENARIO)
            random = numpy.random.default_rng(5)
            data = {
                "input": random.normal(size=(10, 3)).astype(numpy.float32),
                "loss": random.normal(size=(10, 2)).astype(numpy.float32),
            }
            write_tensors(folder / "data.tensors", data)
            before = self.train(folder, 1)
            for count in (2, 3):
                after = self.train(folder, count, "--resume")
                samples = numpy.arange((count - 1) * MINI_BATCH, count * MINI_BATCH) % 10
                loss, expected = step(before, data["input"][samples], data["loss"][samples])
                self.assertEqual(set(after), set(expected))
                for name, values in expected.items():
                    numpy.testing.assert_allclose(after[name], values, rtol=0, atol=1e-6, err_msg=name)
                log = read_table(folder / "out/training/loss.csv", {"loss": "number"})
                self.assertAlmostEqual(log["loss"][count - 1], loss, places=6)
                before = after

    def train(self, folder, steps, *more):
        """Trains up to a step; the weights then, in double."""
        command = [PROGRAM, "run", "small.yaml", "--backend", "cpu", "--steps", str(steps), "--no-report"]
        command += ["--learning-rate", str(RATE), "--data", "data.tensors", "--checkpoint-every", "1", "-o", "out"]
        run = subprocess.run(command + list(more), cwd=folder, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        tensors = read_checkpoint(folder / "out/training/checkpoints").tensors
        return {name: numpy.array(values, dtype=float) for name, values in tensors.items()}


if __name__ == "__main__":
    unittest.main()
