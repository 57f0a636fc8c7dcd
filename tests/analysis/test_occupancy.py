"""Compute, exposed communication and idle time of a device, against intervals set out by hand."""

import unittest

import numpy

from analysis.load import load
from analysis.occupancy import Occupancies, total, union
from tests.analysis import fixture
from tests.analysis.folders import FolderCase


def timeline(*rows):
    """A timeline of device 0 from (kind, start, end)."""
    kinds, starts, ends = zip(*rows)
    return {
        "device": numpy.zeros(len(rows), dtype=int),
        "kind": list(kinds),
        "start_s": numpy.array(starts, dtype=float),
        "end_s": numpy.array(ends, dtype=float),
    }


class Union(unittest.TestCase):
    def test_joins_overlapping_and_touching_intervals(self):
        spans = numpy.array([[5, 6], [0, 2], [1, 3], [3, 4], [7, 7]], dtype=float)
        self.assertEqual(union(spans).tolist(), [[0, 4], [5, 6]])
        self.assertEqual(union(numpy.array([[0, 9], [1, 2]], dtype=float)).tolist(), [[0, 9]])
        self.assertEqual(total(union(numpy.zeros((0, 2)))), 0.0)


class Occupancy(FolderCase):
    def test_idle_time_with_a_moving_transfer_is_exposed(self):
        # Computes [1, 3) and [6, 7); a recv moves [0, 2), a send [3, 5): exposed are [0, 1) and [3, 5).
        rows = timeline(("forward", 1, 3), ("backward", 6, 7), ("recv", 0, 2), ("send", 3, 5))
        lane = Occupancies(rows).of(0, 0.0, 8.0)
        self.assertEqual(lane.compute.tolist(), [[1, 3], [6, 7]])
        self.assertEqual(lane.exposed.tolist(), [[0, 1], [3, 5]])
        self.assertEqual(lane.idle.tolist(), [[5, 6], [7, 8]])

    def test_a_window_cuts_intervals(self):
        lane = Occupancies(timeline(("forward", 0, 4), ("send", 4, 8))).of(0, 3.0, 6.0)
        self.assertEqual(
            (lane.compute.tolist(), lane.exposed.tolist(), lane.idle.tolist()),
            ([[3, 4]], [[4, 6]], []),
        )

    def test_the_optimizer_computes_and_an_all_reduce_moves(self):
        lane = Occupancies(timeline(("all_reduce", 0, 2), ("optimizer", 2, 3))).of(0, 0.0, 3.0)
        self.assertEqual(
            (total(lane.exposed), total(lane.compute), total(lane.idle)), (2.0, 1.0, 0.0)
        )

    def test_agrees_with_the_figures_of_the_folder(self):
        plan = fixture.Pipeline(
            message_bytes=2**23, replicas=2, all_reduce_s=1e-3, optimizer_s=1e-3
        )
        plan_summary = self.write(plan)["points"][0]["plans"][0]
        run = load(self.folder).points[0].runs[0]
        for device in range(8):
            lane = Occupancies(run.timeline).of(device, 0.0, run.makespan_s)
            found = [total(lane.compute), total(lane.exposed), total(lane.idle)]
            keys = ("compute_s", "exposed_communication_s", "idle_s")
            for value, key in zip(found, keys):
                self.assertAlmostEqual(value, plan_summary[key][device], places=12)

    def test_bubbles_of_one_forward_one_backward(self):
        # P = 4, M = 8: every device idles (P - 1)(F + B) = 9 of 33.
        self.write(fixture.Pipeline(forward_s=1, backward_s=2))
        run = load(self.folder).points[0].runs[0]
        for device in range(4):
            lane = Occupancies(run.timeline).of(device, 0.0, run.makespan_s)
            self.assertEqual((total(lane.compute), total(lane.idle)), (24.0, 9.0))
        # Device 0 first idles after 4 forwards until the first backward reaches it at 4 F + 3 B = 10.
        self.assertEqual(Occupancies(run.timeline).of(0, 0.0, 33.0).idle[0].tolist(), [4.0, 10.0])


if __name__ == "__main__":
    unittest.main()
