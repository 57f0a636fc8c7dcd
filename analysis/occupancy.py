"""What a device's compute lane does over time: computing, held up by communication, or in a bubble.

The three parts fill the makespan; the definitions are those of docs/metrics.md.
"""

from dataclasses import dataclass

import numpy

from analysis import palette


@dataclass
class Occupancy:
    """Intervals as arrays of shape (n, 2) in seconds, sorted and disjoint."""

    compute: numpy.ndarray
    exposed: numpy.ndarray
    idle: numpy.ndarray


class Occupancies:
    """The occupancy of every device of a timeline; rows are sorted by device once."""

    def __init__(self, timeline):
        kinds = numpy.array(timeline["kind"], dtype=object)
        order = numpy.argsort(timeline["device"], kind="stable")
        self._devices = timeline["device"][order]
        self._spans = numpy.column_stack([timeline["start_s"], timeline["end_s"]])[order]
        self._computes = _is_one_of(kinds, palette.COMPUTE_KINDS)[order]

    def of(self, device, first_s, last_s):
        """Occupancy of `device` in the window [first_s, last_s]."""
        rows = slice(*numpy.searchsorted(self._devices, [device, device + 1]))
        spans, computes = self._spans[rows], self._computes[rows]
        computing, moving = union(spans[computes]), union(spans[~computes])
        edges = numpy.concatenate([computing.ravel(), moving.ravel(), [first_s, last_s]])
        edges = numpy.unique(numpy.clip(edges, first_s, last_s))
        pieces = numpy.column_stack([edges[:-1], edges[1:]])
        middles = pieces.mean(axis=1)
        busy, transfer = _inside(middles, computing), _inside(middles, moving)
        return Occupancy(
            union(pieces[busy]), union(pieces[~busy & transfer]), union(pieces[~busy & ~transfer])
        )


def union(spans):
    """The union of intervals (n, 2) as sorted disjoint intervals; empty ones vanish, touching ones join."""
    spans = spans[spans[:, 1] > spans[:, 0]]
    if len(spans) == 0:
        return numpy.zeros((0, 2))
    spans = spans[numpy.argsort(spans[:, 0], kind="stable")]
    reach = numpy.maximum.accumulate(spans[:, 1])
    first = numpy.concatenate([[True], spans[1:, 0] > reach[:-1]])
    last = numpy.concatenate([first[1:], [True]])
    return numpy.column_stack([spans[first, 0], reach[last]])


def total(spans):
    """Summed length in seconds."""
    return float((spans[:, 1] - spans[:, 0]).sum())


def _is_one_of(values, wanted):
    return numpy.logical_or.reduce([values == one for one in wanted])


def _inside(times, spans):
    if len(spans) == 0:
        return numpy.zeros(len(times), dtype=bool)
    at = numpy.searchsorted(spans[:, 0], times, side="right") - 1
    return (at >= 0) & (times < spans[numpy.maximum(at, 0), 1])
