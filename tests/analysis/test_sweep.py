"""How the points of a sweep are laid out: which key is the x axis, what becomes a panel."""

import unittest

from analysis.load import Point
from analysis.sweep import arrange, axis_name


def points(*keys):
    return [Point(index, dict(entry), []) for index, entry in enumerate(keys)]


class Arrange(unittest.TestCase):
    def test_one_key_is_the_axis(self):
        key, panels = arrange(points({"cluster.nodes": 1}, {"cluster.nodes": 2}))
        self.assertEqual((key, [len(inside) for _, inside in panels]), ("cluster.nodes", [2]))

    def test_a_product_gets_a_panel_per_value_of_the_other_key(self):
        product = [{"nodes": nodes, "batch": batch} for nodes in (1, 2, 4) for batch in (64, 128)]
        key, panels = arrange(points(*product))
        self.assertEqual(key, "nodes")
        self.assertEqual([name for name, _ in panels], ["batch = 64", "batch = 128"])
        self.assertEqual(
            [[point.keys["nodes"] for point in inside] for _, inside in panels],
            [[1, 2, 4], [1, 2, 4]],
        )

    def test_keys_in_step_share_one_panel(self):
        key, panels = arrange(points({"nodes": 1, "batch": 64}, {"nodes": 2, "batch": 128}))
        self.assertEqual((key, len(panels)), ("nodes", 1))

    def test_keys_in_step_need_no_panel_beside_another_key(self):
        product = [
            {"nodes": nodes, "batch": 64 * nodes, "file": f"some/where/{file}"}
            for nodes in (2, 4)
            for file in ("a.txt", "b.txt")
        ]
        key, panels = arrange(points(*product))
        self.assertEqual(key, "nodes")
        self.assertEqual([name for name, _ in panels], ["file = a.txt", "file = b.txt"])

    def test_quantities_are_no_paths(self):
        product = [{"nodes": nodes, "rate": rate} for nodes in (2, 4, 8) for rate in ("1 GB/s", "fast")]
        self.assertEqual([name for name, _ in arrange(points(*product))[1]], ["rate = 1 GB/s", "rate = fast"])

    def test_quantities_with_one_unit_are_numbers(self):
        mixed = [
            {"kind": kind, "rate": rate}
            for kind in ("a", "b", "c")
            for rate in ("10 Gb/s", "100 Gb/s")
        ]
        self.assertEqual(arrange(points(*mixed))[0], "rate")

    def test_the_axis_has_the_unit_of_its_quantities(self):
        self.assertEqual(axis_name(points({"rate": "1 GB/s"}, {"rate": "25 GB/s"}), "rate"), "rate (GB/s)")
        self.assertEqual(axis_name(points({"rate": "1 GB/s"}, {"rate": "inf"}), "rate"), "rate")
        self.assertEqual(axis_name(points({"nodes": 1}, {"nodes": 2}), "nodes"), "nodes")

    def test_names_are_an_axis_when_nothing_is_a_number(self):
        self.assertEqual(arrange(points({"shape": "ring"}, {"shape": "torus"}))[0], "shape")
        self.assertEqual(arrange(points({"rate": "1 GB/s"}, {"rate": "inf"}))[0], "rate")


if __name__ == "__main__":
    unittest.main()
