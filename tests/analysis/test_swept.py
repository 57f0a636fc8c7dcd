"""Swept maps and lists are named by what differs in them."""

import unittest

from analysis.swept import by_difference


class ByDifference(unittest.TestCase):
    def test_one_value_that_differs_gets_its_path(self):
        nics = [
            {"cluster.nics": f'{{"per_node":1,"bandwidth":"{rate} Gb/s"}}', "nodes": 2}
            for rate in (25, 100)
        ]
        self.assertEqual(
            by_difference(nics),
            [
                {"cluster.nics.bandwidth": "25 Gb/s", "nodes": 2},
                {"cluster.nics.bandwidth": "100 Gb/s", "nodes": 2},
            ],
        )

    def test_lists_count_from_zero(self):
        overrides = [
            {"device_overrides": f'[{{"match":"*","memory":"{size} MiB"}}]'} for size in (2300, 2500)
        ]
        self.assertEqual(
            by_difference(overrides)[0], {"device_overrides[0].memory": "2300 MiB"}
        )

    def test_several_values_that_differ_are_named(self):
        plans = [{"p": '{"k":1,"b":4,"c":0}'}, {"p": '{"k":2,"b":8,"c":0}'}, {"p": '{"c":0}'}]
        self.assertEqual(
            by_difference(plans), [{"p": "k = 1, b = 4"}, {"p": "k = 2, b = 8"}, {"p": "none"}]
        )

    def test_other_values_stay(self):
        for entries in ([{"a": 1}, {"a": "{2"}], [{"a": "{}"}, {"a": 3}], [{"a": "[1]"}], [{}, {}]):
            self.assertEqual(by_difference(entries), entries)


if __name__ == "__main__":
    unittest.main()
