"""What the simulator writes and what the report understands agree; the program is $PIPEGRAPH_PROGRAM."""

import os
import subprocess
import unittest

from analysis import work
from analysis.load import load
from analysis.occupancy import Occupancies, total
from tests.analysis.folders import FolderCase

PROGRAM = os.environ.get("PIPEGRAPH_PROGRAM", "")
BACKEND = os.environ.get("PIPEGRAPH_BACKEND", "simgrid")

# Two replicas of the slow branch; a chain that has to hop; a plan whose name is no file name; a plan
# that cannot fit.
SCENARIO = """
name: small
model:
  name: two_branches
  operators:
    - {name: stem, inputs: [], forward: 1 ms, backward: 2 ms, output: 1 MiB, saved: 2 MiB, parameters: 8 MiB}
    - {name: left, inputs: [stem], forward: 2 ms, backward: 4 ms, output: 1 MiB, saved: 2 MiB, parameters: 8 MiB}
    - {name: right, inputs: [stem], forward: 1 ms, backward: 2 ms, output: 1 MiB, saved: 2 MiB, parameters: 8 MiB}
    - {name: join, inputs: [left, right], forward: 1 ms, backward: 2 ms, output: 4 KiB, saved: 2 MiB, parameters: 8 MiB}
cluster:
  shape: uniform
  devices: 5
  latency: 5 us
  bandwidth: 10 GB/s
  device: {memory: 120 MiB, memory_bandwidth: 900 GB/s}
training: {mini_batch: 16, precision: fp32, optimizer: adam}
plans:
  - name: replicated
    planner: manual
    kind: graph
    schedule: 1f1b
    micro_batch: 2
    stages:
      - {name: stem, operators: [stem], devices: [0]}
      - {name: left, operators: [left], devices: [1, 2]}
      - {name: right, operators: [right], devices: [3]}
      - {name: join, operators: [join], devices: [4]}
  - {planner: balanced, kind: sequential, name: "chain / balanced"}
  - name: all on one
    planner: manual
    kind: graph
    schedule: gpipe
    micro_batch: 16
    stages:
      - {name: whole, operators: ["*"], devices: [0]}
"""


@unittest.skipUnless(PROGRAM, "PIPEGRAPH_PROGRAM does not name the program")
class Simulated(FolderCase):
    def simulate(self, text=SCENARIO):
        path = self.folder.with_name("scenario.yaml")
        path.write_text(text)
        command = [PROGRAM, "simulate", str(path), "-o", str(self.folder), "--no-report"]
        command += ["--set", f"simulation.backend={BACKEND}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return load(self.folder)

    def test_every_file_is_there(self):
        results = self.simulate()
        self.assertEqual(results.missing, [])
        self.assertEqual([run.ok for run in results.points[0].runs], [True, True, False])
        work.make_report(self.folder)
        self.assertTrue((self.folder / "plans/chain%20%2F%20balanced/timeline.png").exists())

    def test_times_of_the_devices_follow_from_the_timeline(self):
        for run in self.simulate().points[0].runs[:2]:
            occupancies = Occupancies(run.timeline)
            for at, device in enumerate(run.details["devices"]):
                lane = occupancies.of(device["device"], 0.0, run.makespan_s)
                found = [total(lane.compute), total(lane.exposed), total(lane.idle)]
                for value, key in zip(found, ("compute_s", "exposed_communication_s", "idle_s")):
                    self.assertAlmostEqual(value, run.values(key)[at], delta=1e-12)
                    self.assertAlmostEqual(value, device[key], delta=1e-12)

    def test_ratios_follow_from_the_times(self):
        for run in self.simulate().points[0].runs[:2]:
            share = sum(run.values("compute_s")) / (run.value("devices") * run.makespan_s)
            self.assertAlmostEqual(run.value("bubble_fraction"), 1 - share, delta=1e-12)
            self.assertAlmostEqual(run.value("bubble_overhead"), 1 / share - 1, delta=1e-9)
            self.assertAlmostEqual(run.value("throughput_samples_per_s"), 16 / run.makespan_s)

    def test_memory_peaks_are_those_of_the_curve_and_of_their_parts(self):
        for run in self.simulate().points[0].runs[:2]:
            for at, device in enumerate(run.details["devices"]):
                curve = run.memory["bytes"][run.memory["device"] == device["device"]]
                self.assertEqual(curve.max(), device["peak_bytes"])
                self.assertEqual(sum(device["peak_parts_bytes"].values()), device["peak_bytes"])
                self.assertEqual(run.values("peak_memory_bytes")[at], device["peak_bytes"])
                self.assertLessEqual(device["peak_bytes"], device["needed_bytes"])

    def test_the_critical_path_is_a_chain_to_the_makespan(self):
        for run in self.simulate().points[0].runs[:2]:
            start, end = run.critical_path["start_s"], run.critical_path["end_s"]
            self.assertEqual((start[0], end[-1]), (0.0, run.makespan_s))
            self.assertEqual(start[1:].tolist(), end[:-1].tolist())

    def test_links_carried_what_was_sent(self):
        # The chain has no all-reduce: every byte sent crosses one port out and one port in.
        run = self.simulate().points[0].runs[1]
        sends = [kind == "send" for kind in run.timeline["kind"]]
        sent = run.timeline["bytes"][sends].sum()
        self.assertEqual(run.links["bytes"].sum(), 2 * sent)

    def test_a_sweep_is_read_point_by_point(self):
        text = SCENARIO.replace("plans:", "sweep: {training.mini_batch: [8, 16]}\nplans:", 1)
        results = self.simulate(text)
        self.assertEqual(
            [point.keys for point in results.points],
            [{"training.mini_batch": size} for size in (8, 16)],
        )
        self.assertEqual(results.missing, [])
        work.make_report(self.folder)
        self.assertTrue((self.folder / "sweep.png").exists())


if __name__ == "__main__":
    unittest.main()
