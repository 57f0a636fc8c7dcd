"""Colours that have to be told apart stay apart for colour-blind readers."""

import itertools
import unittest

import numpy

from analysis import palette

# Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB.
VISION = {
    "normal": numpy.eye(3),
    "protanopia": numpy.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": numpy.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
TO_XYZ = numpy.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour, vision):
    """CIE L*a*b* (D65) of a colour as it is seen."""
    channels = numpy.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = numpy.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ numpy.clip(VISION[vision] @ linear, 0, 1) / (0.9505, 1.0, 1.089)
    x, y, z = numpy.where(xyz > 0.008856, numpy.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return numpy.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


class Palette(unittest.TestCase):
    def assert_apart(self, colours, least):
        for vision in VISION:
            for (name, one), (other_name, other) in itertools.combinations(colours.items(), 2):
                distance = numpy.linalg.norm(lab(one, vision) - lab(other, vision))
                self.assertGreater(
                    distance, least, f"{name} and {other_name} look alike ({vision})"
                )

    def test_kinds_differ_from_each_other(self):
        # About 2.3 is just noticeable; 10 is plain side by side.
        self.assert_apart(palette.KINDS, 10)

    def test_states_of_the_compute_lane_differ(self):
        background = {
            "bubble": palette.BUBBLE,
            "exposed": palette.EXPOSED_COMMUNICATION,
            "compute": palette.COMPUTE,
        }
        self.assert_apart(background, 6)

    def test_memory_parts_differ(self):
        self.assert_apart(palette.MEMORY_PARTS, 8)

    def test_plans_differ_in_colour_marker_or_dash(self):
        self.assertEqual(len({palette.plan_style(index) for index in range(40)}), 40)

    def test_twenty_plans_differ_in_colour_alone(self):
        colours = {index: palette.plan_style(index)[0] for index in range(20)}
        for (one, first), (other, second) in itertools.combinations(colours.items(), 2):
            distance = numpy.linalg.norm(lab(first, "normal") - lab(second, "normal"))
            self.assertGreater(distance, 5, f"plans {one} and {other}")

    def test_ink_can_be_read(self):
        for colour in (
            palette.shade(colour, step) for colour in palette.KINDS.values() for step in range(4)
        ):
            contrast = abs(lab(colour, "normal")[0] - lab(palette.ink(colour), "normal")[0])
            self.assertGreater(contrast, 38, colour)


if __name__ == "__main__":
    unittest.main()
