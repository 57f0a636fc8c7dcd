"""The layered layout: layers by longest path, places apart, arrows around the stages between."""

import itertools
import unittest

from analysis.layered import arrange, spread


class Layered(unittest.TestCase):
    def test_a_stage_comes_after_everything_before_it(self):
        layout = arrange([0, 1, 2, 3], [(0, 1), (1, 2), (0, 3), (2, 3)])
        self.assertEqual(layout.layer, {0: 0, 1: 1, 2: 2, 3: 3})
        self.assertEqual(layout.layers, 4)

    def test_an_edge_over_layers_bends_in_each(self):
        layout = arrange([0, 1, 2, 3], [(0, 1), (1, 2), (0, 3), (2, 3)])
        bends = layout.bends[(0, 3)]
        self.assertEqual([layer for layer, _ in bends], [1, 2])
        for layer, place in bends:
            stage = next(node for node in (1, 2) if layout.layer[node] == layer)
            self.assertGreaterEqual(abs(place - layout.place[stage]), 1.0)

    def test_stages_of_a_layer_are_apart(self):
        branches = [(0, 1 + 2 * branch) for branch in range(5)] + [
            (1 + 2 * branch, 2 + 2 * branch) for branch in range(5)
        ]
        edges = branches + [(2 + 2 * branch, 11) for branch in range(5)]
        layout = arrange(list(range(12)), edges)
        self.assertEqual((layout.layers, layout.breadth), (4, 5))
        for layer in range(layout.layers):
            places = sorted(layout.place[node] for node in range(12) if layout.layer[node] == layer)
            self.assertTrue(
                all(after - before >= 1 - 1e-9 for before, after in zip(places, places[1:]))
            )
        # The fork and the join stand in the middle of five branches, and every branch is a straight line.
        self.assertEqual((layout.place[0], layout.place[11]), (2.0, 2.0))
        for branch in range(5):
            self.assertAlmostEqual(layout.place[1 + 2 * branch], layout.place[2 + 2 * branch])

    def test_crossing_branches_are_uncrossed(self):
        # 0 -> 3 and 1 -> 2: as listed they cross; ordered by barycentre they do not.
        layout = arrange([0, 1, 2, 3], [(0, 3), (1, 2)])
        self.assertEqual(layout.place[0] < layout.place[1], layout.place[3] < layout.place[2])

    def test_parts_without_edges_and_empty_graphs(self):
        self.assertEqual(arrange([], []).layers, 1)
        self.assertEqual(arrange([7], []).place, {7: 0.0})

    def test_spread_is_the_best_of_a_fine_grid(self):
        # Brute force over a grid of halves, places in [0, 4], for all wishes on a coarse grid.
        grid = [half / 2 for half in range(9)]
        allowed = [
            places
            for places in itertools.product(grid, repeat=3)
            if places[1] - places[0] >= 1 and places[2] - places[1] >= 1
        ]
        for wished in itertools.product((0.0, 1.5, 4.0), repeat=3):
            best = min(cost(places, wished) for places in allowed)
            found = spread(wished, 5)
            self.assertTrue(0 <= found[0] and found[2] <= 4)
            self.assertTrue(found[1] - found[0] >= 1 - 1e-9 and found[2] - found[1] >= 1 - 1e-9)
            self.assertLessEqual(cost(found, wished), best + 1e-9)


def cost(places, wished):
    return sum((place - wish) ** 2 for place, wish in zip(places, wished))


if __name__ == "__main__":
    unittest.main()
