"""The plans of one point side by side: throughput, bubble, where the time goes, peak memory."""

import numpy

from analysis import figure, palette, quantities

MOST_PLANS = 40
_WIDTH = 15.0
_LEFT, _GAP, _TOP, _BOTTOM, _ROW = 2.6, 0.6, 0.85, 0.6, 0.42


def paint(point):
    """One row per plan of `point`, one panel per key figure."""
    runs = point.runs[:MOST_PLANS]
    height = _ROW * max(2, len(runs))
    canvas = figure.new_figure(_WIDTH, _TOP + _BOTTOM + height)
    width = (_WIDTH - _LEFT - 0.35 - 3 * _GAP) / 4
    panels = [
        figure.place_axes(canvas, _LEFT + number * (width + _GAP), _BOTTOM, width, height)
        for number in range(4)
    ]
    for axes in panels:
        axes.set_ylim(len(runs), 0)
        axes.set_yticks([])
        axes.grid(axis="x", linewidth=0.6)
    panels[0].set_yticks(numpy.arange(len(runs)) + 0.5, [figure.label(run.name) for run in runs])
    panels[0].tick_params(axis="y", length=0)
    _bars(
        panels[0],
        runs,
        [run.value("throughput_samples_per_s") for run in runs],
        "throughput (samples/s)",
        "higher is better",
    )
    bubbles = [run.value("bubble_fraction") for run in runs]
    _bars(
        panels[1],
        runs,
        [None if bubble is None else 100 * bubble for bubble in bubbles],
        "bubble (% of device time)",
        "lower is better",
        digits=1,
    )
    _time_parts(panels[2], runs)
    peaks = [max(run.values("peak_memory_bytes"), default=None) for run in runs]
    unit_bytes, unit = quantities.byte_unit(
        max((peak for peak in peaks if peak is not None), default=0)
    )
    _bars(
        panels[3],
        runs,
        [None if peak is None else peak / unit_bytes for peak in peaks],
        f"highest peak memory ({unit})",
        "lower is better",
    )
    _mark_failures(panels[0], runs)
    note = (
        "" if len(runs) == len(point.runs) else f"the first {len(runs)} of {len(point.runs)} plans"
    )
    figure.title(canvas, "Comparison of plans" + (f" ({note})" if note else ""))
    entries = [
        (palette.COMPUTE, "compute"),
        (palette.EXPOSED_COMMUNICATION, "exposed comm."),
        (palette.BUBBLE, "idle"),
    ]
    figure.legend(canvas, entries, _TOP - 0.28, left=_LEFT + 2 * (width + _GAP) - 0.05)
    return canvas


def _bars(axes, runs, values, name, note, digits=None):
    known = [(row, value) for row, value in enumerate(values) if value is not None]
    axes.set_xlabel(name)
    axes.set_title(note, fontsize=8, color=palette.FAINT_TEXT)
    top = max((value for _, value in known), default=0.0) or 1.0
    axes.set_xlim(0, top * 1.22)
    for row, value in known:
        colour = palette.plan_style(runs[row].order)[0]
        figure.bars(axes, numpy.array([0.0]), numpy.array([value]), row + 0.82, row + 0.18, colour)
        axes.text(
            value + 0.015 * top,
            row + 0.5,
            f"{value:.{digits}f}" if digits else f"{value:.4g}",
            va="center",
            fontsize=9,
        )


def time_parts(run):
    """(compute, exposed communication, idle) as shares of the devices' time; None if not known."""
    lists = [run.values(key) for key in ("compute_s", "exposed_communication_s", "idle_s")]
    sums = [sum(values) for values in lists]
    return None if not all(lists) or sum(sums) <= 0 else [part / sum(sums) for part in sums]


def _time_parts(axes, runs):
    axes.set_xlim(0, 100)
    axes.set_xlabel("device time (%), mean over devices")
    colours = (palette.COMPUTE, palette.EXPOSED_COMMUNICATION, palette.BUBBLE)
    for row, run in enumerate(runs):
        left = 0.0
        for share, colour in zip(time_parts(run) or (), colours):
            right = left + 100 * share
            figure.bars(
                axes, numpy.array([left]), numpy.array([right]), row + 0.82, row + 0.18, colour
            )
            if share >= 0.1:
                axes.text(
                    (left + right) / 2,
                    row + 0.5,
                    f"{100 * share:.0f}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color=palette.ink(colour),
                )
            left = right


def _mark_failures(axes, runs):
    for row, run in enumerate(runs):
        if not run.ok:
            status = run.summary["status"].replace("_", " ")
            axes.text(
                0.02,
                row + 0.5,
                status,
                va="center",
                fontsize=9,
                color=palette.LIMIT,
                transform=axes.get_yaxis_transform(),
            )
