"""The fixture's own arithmetic: closed forms of 1F1B, so that the other tests stand on firm ground."""

import unittest

from tests.analysis import fixture


class Fixture(unittest.TestCase):
    def test_one_forward_one_backward_on_a_chain(self):
        # M (F + B) + (P - 1)(F + B) with P = 4, M = 8, F = 1, B = 2: 8 * 3 + 3 * 3 = 33.
        rows = fixture.simulate(fixture.Pipeline(forward_s=1, backward_s=2))
        self.assertEqual(max(row["end_s"] for row in rows), 33)

    def test_message_delay_of_one(self):
        # The same with a delay of 1 on every message: 49 (1F1B waits for the round trip).
        rows = fixture.simulate(fixture.Pipeline(forward_s=1, backward_s=2, latency_s=1))
        self.assertEqual(max(row["end_s"] for row in rows), 49)

    def test_branches_are_shallower_than_their_chain(self):
        # Stem, four branches of two stages, join; 16 micro-batches: 57 as a graph.
        successors = [[1, 3, 5, 7], [2], [9], [4], [9], [6], [9], [8], [9], []]
        rows = fixture.simulate(
            fixture.Pipeline(successors=successors, micro_batches=16, forward_s=1, backward_s=2)
        )
        self.assertEqual(max(row["end_s"] for row in rows), 57)

    def test_critical_path_fills_the_makespan(self):
        rows = fixture.simulate(fixture.Pipeline(latency_s=1e-4))
        path = fixture.critical_path(rows)
        self.assertEqual(path[0]["start_s"], 0)
        for before, after in zip(path, path[1:]):
            self.assertEqual(before["end_s"], after["start_s"])
        self.assertEqual(path[-1]["end_s"], max(row["end_s"] for row in rows))


if __name__ == "__main__":
    unittest.main()
