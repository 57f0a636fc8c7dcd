"""Numbers as people read them."""

import math
import unittest

from analysis import quantities


class Quantities(unittest.TestCase):
    def test_units_suit_the_size(self):
        self.assertEqual(quantities.seconds(0.0331), "33.1 ms")
        self.assertEqual(quantities.seconds(33e-3), "33 ms")
        self.assertEqual(quantities.seconds(1.5e-6), "1.5 us")
        self.assertEqual(quantities.seconds(2e-10), "0.2 ns")
        self.assertEqual(quantities.seconds(123456), "123456 s")
        self.assertEqual(quantities.size(1536), "1.5 KiB")
        self.assertEqual(quantities.size(1023), "1023 B")
        self.assertEqual(quantities.rate(12.5e9), "12.5 GB/s")

    def test_zero_and_nothing(self):
        self.assertEqual((quantities.seconds(0), quantities.size(0.0)), ("0 s", "0 B"))
        self.assertEqual(quantities.seconds(None), quantities.NONE)
        self.assertEqual(quantities.percent(None), quantities.NONE)
        self.assertEqual(quantities.number(None), quantities.NONE)

    def test_infinity_is_no_limit(self):
        self.assertEqual(quantities.rate(math.inf), "no limit")

    def test_plain_numbers(self):
        self.assertEqual(quantities.number(4096), "4096")
        self.assertEqual(quantities.number(969.6969), "969.7")
        self.assertEqual(quantities.percent(0.27272), "27.3 %")


if __name__ == "__main__":
    unittest.main()
