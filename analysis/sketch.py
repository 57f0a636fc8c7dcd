"""Collects boxes, arrows and bars of a node-and-arrow picture and draws each sort at once (inches, y down)."""

import numpy
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.patches import BoxStyle
from matplotlib.path import Path

from analysis import palette

_HEAD = (0.1, 0.05)  # length and half width of an arrow's head


class Sketch:
    """Shapes in the order arrows, boxes, bars; texts go straight to the axes."""

    def __init__(self, axes):
        self._axes = axes
        self._boxes = []
        self._arrows = {True: [], False: []}
        self._heads = []
        self._bars = []
        self._bar_colours = []

    def box(self, centre, size):
        """A rounded rectangle of (width, height) `size`."""
        corner = numpy.subtract(centre, numpy.divide(size, 2))
        self._boxes.append(BoxStyle.Round(pad=0, rounding_size=0.06)(*corner, *size, 1))

    def bar(self, left, top, size, colour):
        width, height = size
        right, bottom = left + width, top + height
        self._bars.append([(left, top), (right, top), (right, bottom), (left, bottom)])
        self._bar_colours.append(colour)

    def text(self, x, y, text, **style):
        self._axes.text(x, y, text, va="center", zorder=4, **style)

    def arrow(self, points, direction, dashed):
        """A smooth line through `points`, leaving and arriving along `direction`, (1, 0) or (0, 1)."""
        direction = numpy.array(direction, dtype=float)
        tip = numpy.array(points[-1], dtype=float)
        points = [*points[:-1], tip - _HEAD[0] * direction]
        vertices, codes = [points[0]], [Path.MOVETO]
        for before, after in zip(points, points[1:]):
            before, after = numpy.array(before), numpy.array(after)
            half = numpy.abs(after - before) * direction / 2
            vertices += [before + half, after - half, after]
            codes += [Path.CURVE4] * 3
        self._arrows[dashed].append(Path(vertices, codes))
        side = _HEAD[1] * direction[::-1]
        self._heads.append([tip, points[-1] + side, points[-1] - side])

    def draw(self):
        for dashed, dash in ((False, "-"), (True, (0, (4, 3)))):
            self._add_paths(
                self._arrows[dashed],
                facecolors="none",
                edgecolors=palette.EDGE,
                linewidths=1.1,
                linestyles=[dash],
                zorder=1,
            )
        self._add(PolyCollection(self._heads, facecolors=palette.EDGE, edgecolors="none", zorder=1))
        self._add_paths(
            self._boxes, facecolors=palette.BOX, edgecolors=palette.EDGE, linewidths=1.0, zorder=2
        )
        self._add(
            PolyCollection(self._bars, facecolors=self._bar_colours, edgecolors="none", zorder=3)
        )

    def _add_paths(self, paths, **style):
        if paths:
            collection = PathCollection(paths, **style)
            collection.set_transform(self._axes.transData)
            self._add(collection)

    def _add(self, collection):
        self._axes.add_collection(collection, autolim=False)
