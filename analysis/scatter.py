"""Predicted against measured times, with the diagonal on which they agree."""

import numpy
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from analysis import figure, palette, quantities

_SIDE, _LEFT, _GAP, _TOP, _BOTTOM = 5.2, 0.9, 1.1, 1.1, 0.65
_MARGIN = 1.15
_WIDE = 8.0  # ratio of the largest to the smallest time from which on axes are logarithmic
_OFF = 0.1  # share by which the faint lines differ from the diagonal


def paint(pairs, joined, labels):
    """Iteration times of all pairs on the left, durations of what `joined` has on the right.

    `joined` are Joined values or None, by pair; `labels` name the two results.
    """
    parts = [part for part in joined if part is not None and len(part.kinds)]
    panels = 1 + bool(parts)
    width = _LEFT + panels * _SIDE + (panels - 1) * _GAP + 0.3
    canvas = figure.new_figure(width, _TOP + _SIDE + _BOTTOM)
    _plans(figure.place_axes(canvas, _LEFT, _BOTTOM, _SIDE, _SIDE), pairs, labels)
    entries = []
    if parts:
        axes = figure.place_axes(canvas, _LEFT + _SIDE + _GAP, _BOTTOM, _SIDE, _SIDE)
        entries = _durations(axes, parts, labels)
    figure.title(
        canvas,
        "Predicted against measured",
        f"on the line both agree; the faint lines are {100 * _OFF:.0f} % off",
    )
    if entries:
        figure.legend(canvas, entries, 0.62, left=_LEFT - 0.05)
    return canvas


def _plans(axes, pairs, labels):
    times = [(pair.first.makespan_s, pair.second.makespan_s) for pair in pairs]
    known = [(order, a, b) for order, (a, b) in enumerate(times) if a and b]
    factor, unit = _frame(axes, [value for _, a, b in known for value in (a, b)])
    _name(axes, labels, f"iteration time ({unit})")
    for order, first, second in known:
        colour, marker, _ = palette.plan_style(order)
        axes.plot(second / factor, first / factor, marker, color=colour, markersize=7)
    axes.set_title(f"{len(known)} plans" if len(known) != 1 else "the plan")


def _durations(axes, parts, labels):
    kinds = numpy.concatenate([part.kinds for part in parts])
    first = numpy.concatenate([part.first_s for part in parts])
    second = numpy.concatenate([part.second_s for part in parts])
    shown = (first > 0) & (second > 0)
    factor, unit = _frame(axes, numpy.concatenate([first[shown], second[shown]]))
    _name(axes, labels, f"time ({unit})")
    entries = []
    for kind, colour in palette.KINDS.items():
        chosen = shown & (kinds == kind)
        if chosen.any():
            axes.plot(
                second[chosen] / factor, first[chosen] / factor, ".", color=colour, markersize=4
            )
            entries.append((colour, kind.replace("_", " ")))
    levels = sorted({part.level for part in parts})
    axes.set_title(f"{int(shown.sum())} points: {', '.join(levels)}")
    return entries


def _frame(axes, values):
    """Equal axes around `values` with the diagonal; (seconds per unit, its name)."""
    low, high = (min(values), max(values)) if len(values) else (1.0, 1.0)
    factor, unit = quantities.time_unit(high)
    span = numpy.array([low / _MARGIN, high * _MARGIN]) / factor
    if high > _WIDE * low:
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1.0, 3.0), numticks=12))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_formatter(NullFormatter())
    axes.plot(span, span, color=palette.EDGE, linewidth=1)
    for share in (1 + _OFF, 1 / (1 + _OFF)):
        axes.plot(span, span * share, color=palette.GRID, linewidth=0.8)
    axes.set_xlim(*span)
    axes.set_ylim(*span)
    return factor, unit


def _name(axes, labels, what):
    axes.set_ylabel(f"{figure.label(labels[0], 40)}: {what}")
    axes.set_xlabel(f"{figure.label(labels[1], 40)}: {what}")
