"""The plans of one point side by side: throughput, bubble, where the time goes, peak memory."""

import numpy

from analysis import figure, palette, quantities

MOST_PLANS = 40
_WIDTH = 15.0
_LEFT, _GAP, _TOP, _BOTTOM, _ROW = 2.6, 0.6, 0.85, 0.6, 0.42
_PANEL = (_WIDTH - _LEFT - 0.35 - 3 * _GAP) / 4


def paint(point):
    """One row per plan of `point`, one panel per key figure."""
    runs = point.runs[:MOST_PLANS]
    canvas = figure.new_figure(_WIDTH, _TOP + _BOTTOM + _ROW * max(2, len(runs)))
    rate, bubble, times, memory = _panels(canvas, runs)
    throughputs = [run.value("throughput_samples_per_s") for run in runs]
    _bars(rate, runs, throughputs, ("throughput (samples/s)", "higher is better"))
    bubbles = [_scaled(run.value("bubble_fraction"), 100) for run in runs]
    _bars(bubble, runs, bubbles, ("bubble (% of device time)", "lower is better"))
    _time_parts(times, runs)
    peaks = [max(run.values("peak_memory_bytes"), default=None) for run in runs]
    unit_bytes, unit = quantities.byte_unit(max(filter(None, peaks), default=0))
    peaks = [_scaled(peak, 1 / unit_bytes) for peak in peaks]
    _bars(memory, runs, peaks, (f"highest peak memory ({unit})", "lower is better"))
    _mark_failures(rate, runs)
    cut = f" (the first {len(runs)} of {len(point.runs)})" if len(runs) < len(point.runs) else ""
    figure.title(canvas, "Comparison of plans" + cut)
    return canvas


def _panels(canvas, runs):
    """Four axes side by side with a row per plan; the third has a legend."""
    height = _ROW * max(2, len(runs))
    lefts = [_LEFT + number * (_PANEL + _GAP) for number in range(4)]
    panels = [figure.place_axes(canvas, left, _BOTTOM, _PANEL, height) for left in lefts]
    for axes in panels:
        axes.set_ylim(len(runs), 0)
        axes.set_yticks([])
        axes.grid(axis="x", linewidth=0.6)
    panels[0].set_yticks(numpy.arange(len(runs)) + 0.5, [figure.label(run.name) for run in runs])
    panels[0].tick_params(axis="y", length=0)
    entries = [
        (palette.COMPUTE, "compute"),
        (palette.EXPOSED_COMMUNICATION, "exposed comm."),
        (palette.BUBBLE, "idle"),
    ]
    figure.legend(canvas, entries, _TOP - 0.28, left=lefts[2] - 0.05)
    return panels


def _scaled(value, factor):
    return None if value is None else value * factor


def _bars(axes, runs, values, texts):
    """A bar and its number per plan; `texts` are the axis' name and the panel's title."""
    known = [(row, value) for row, value in enumerate(values) if value is not None]
    axes.set_xlabel(texts[0])
    axes.set_title(texts[1], fontsize=8, color=palette.FAINT_TEXT)
    top = max((value for _, value in known), default=0.0) or 1.0
    axes.set_xlim(0, top * 1.22)
    for row, value in known:
        colour = palette.plan_style(runs[row].order)[0]
        figure.bars(axes, numpy.array([0.0]), numpy.array([value]), row + 0.82, row + 0.18, colour)
        axes.text(value + 0.015 * top, row + 0.5, f"{value:.4g}", va="center", fontsize=9)


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
