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


def occupancy(timeline, device, first_s, last_s):
    """Occupancy of `device` in the window [first_s, last_s] of the timeline."""
    mine = timeline["device"] == device
    kinds = numpy.array(timeline["kind"])
    spans = numpy.column_stack([timeline["start_s"], timeline["end_s"]])
    computing = union(spans[mine & numpy.isin(kinds, palette.COMPUTE_KINDS)])
    moving = union(spans[mine & numpy.isin(kinds, palette.TRANSFER_KINDS)])
    edges = numpy.unique(
        numpy.clip(
            numpy.concatenate([computing.ravel(), moving.ravel(), [first_s, last_s]]),
            first_s,
            last_s,
        )
    )
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


def _inside(times, spans):
    if len(spans) == 0:
        return numpy.zeros(len(times), dtype=bool)
    at = numpy.searchsorted(spans[:, 0], times, side="right") - 1
    return (at >= 0) & (times < spans[numpy.maximum(at, 0), 1])
