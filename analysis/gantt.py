"""The device timeline: what every device computes, sends and receives over one mini-batch."""

import numpy
from matplotlib.lines import Line2D

from analysis import figure, palette, quantities
from analysis.gantt_view import (
    BOTTOM,
    HEAD,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    batch_numbers,
    device_labels,
    view,
)
from analysis.occupancy import total


def paint(run, span=None):
    """The timeline of `run` as a figure; `span` = (first, last) seconds shows only this part."""
    shown = view(run, span)
    height = shown.row_height * max(1, len(shown.devices))
    canvas = figure.new_figure(WIDTH, TOP + BOTTOM + height)
    axes = figure.place_axes(canvas, LEFT, BOTTOM, WIDTH - LEFT - RIGHT, height)
    entries, numbering = draw_rows(axes, shown)
    _explain(canvas, shown, numbering)
    figure.legend(canvas, entries, 0.56)
    return canvas


def draw_rows(axes, shown):
    """Draws the rows of the view into `axes`; (entries for a legend, note that explains numbers)."""
    axes.set_xlim(shown.first / shown.factor, shown.last / shown.factor)
    axes.set_ylim(max(1, len(shown.devices)), 0)
    axes.set_xlabel(f"time from the start of the mini-batch ({shown.unit})")
    entries = _background(axes, shown)
    entries = _bars(axes, shown) + entries + _critical_path(axes, shown)
    numbering = _numbers(axes, shown)
    _label_rows(axes, shown)
    return entries, numbering


def _background(axes, shown):
    """Where the compute lane does nothing: bubbles, and time in which only transfers move."""
    entries = {}
    for row, device in enumerate(shown.devices):
        lane = shown.occupancy(device)
        for spans, colour, name in (
            (lane.idle, palette.BUBBLE, "bubble"),
            (lane.exposed, palette.EXPOSED_COMMUNICATION, "exposed communication"),
        ):
            if len(spans):
                entries[name] = colour
                left, right = spans.T / shown.factor
                figure.bars(axes, left, right, row + 1 - shown.strips, row + HEAD, colour)
    return [(colour, name) for name, colour in entries.items()]


def _bars(axes, shown):
    timeline = shown.run.timeline
    entries = []
    compute = shown.shown & shown.is_compute
    lengths = (timeline["end_s"] - timeline["start_s"])[compute]
    width = shown.points(float(numpy.median(lengths))) if len(lengths) else 0.0
    gap = 0.6 if width > 6 else 0.25 if width > 3 else 0.0
    for kind in palette.KINDS:
        chosen = numpy.flatnonzero(shown.shown & (shown.kinds == kind))
        place = shown.place(kind)
        if len(chosen) == 0 or place is None:
            continue
        entries.append((palette.KINDS[kind], kind.replace("_", " ")))
        row = shown.rows(chosen)
        left, right = (
            timeline["start_s"][chosen] / shown.factor,
            timeline["end_s"][chosen] / shown.factor,
        )
        white = gap if kind in palette.COMPUTE_KINDS else 0.0
        figure.bars(
            axes, left, right, row + place[1], row + place[0], shown.colours(kind, chosen), white
        )
    return entries


def _critical_path(axes, shown):
    """A black line over every instruction of the critical path."""
    path = shown.run.critical_path
    if path is None or shown.row_height < 0.1:
        return []
    thick = 0.05 if shown.row_height >= 0.3 else 0.1
    spans = []
    for device, kind, start, end in zip(
        path["device"].tolist(), path["kind"], path["start_s"], path["end_s"]
    ):
        place = shown.place(kind)
        if (
            place is not None
            and device in shown.row_of
            and end > shown.first
            and start < shown.last
        ):
            top = shown.row_of[device] + place[0]
            spans.append(
                (start / shown.factor, end / shown.factor, min(top + thick, top + place[1]), top)
            )
    if not spans:
        return []
    figure.bars(axes, *numpy.array(spans).T, palette.CRITICAL_PATH)
    return [(Line2D([], [], color=palette.CRITICAL_PATH, linewidth=2), "critical path")]


def _numbers(axes, shown):
    """Micro-batch numbers on the compute bars that are wide enough; returns the note that explains them."""
    timeline = shown.run.timeline
    chosen = numpy.flatnonzero(shown.shown & shown.is_compute & (timeline["first_sample"] >= 0))
    if shown.row_height < 0.2 or len(chosen) == 0:
        return ""
    texts, note = batch_numbers(shown.run, chosen)
    width = shown.points((timeline["end_s"] - timeline["start_s"])[chosen])
    digits = numpy.array([len(text) for text in texts])
    size, fits = _fitting(shown, chosen, width, digits)
    middle = (timeline["start_s"] + timeline["end_s"])[chosen] / 2
    half = figure.text_width(digits, size) / 2 / shown.points(1.0)
    fits &= (middle - half >= shown.first) & (middle + half <= shown.last)
    height = shown.rows(chosen) + shown.middle + 0.02
    inks = numpy.empty(len(chosen), dtype=object)
    for kind in palette.COMPUTE_KINDS:
        here = shown.kinds[chosen] == kind
        inks[here] = [palette.ink(colour) for colour in shown.colours(kind, chosen[here])]
    for ink in ("#000000", "#FFFFFF"):
        now = numpy.flatnonzero(fits & (inks == ink))
        if len(now):
            figure.numbers(
                axes, middle[now] / shown.factor, height[now], [texts[at] for at in now], size, ink
            )
    return note if fits.any() else ""


def _fitting(shown, chosen, width, digits):
    """(font size, which numbers to write): of a kind all that fit, or none if most do not."""
    size = 9 if shown.row_height >= 0.4 else 8
    while size > 6 and (width >= figure.text_width(digits, size)).mean() < 0.9:
        size -= 1
    fits = width >= figure.text_width(digits, size)
    for kind in palette.COMPUTE_KINDS:
        here = shown.kinds[chosen] == kind
        if here.any() and fits[here].mean() < 0.6:
            fits[here] = False
    return size, fits


def _label_rows(axes, shown):
    size = 9 if shown.row_height >= 0.3 else 8 if shown.row_height >= 0.2 else 7
    step = max(1, int(numpy.ceil(size * 1.25 / 72 / shown.row_height)))
    at = numpy.arange(0, len(shown.devices), step)
    labels = device_labels(shown.run, shown.devices[at])
    axes.set_yticks(at + shown.middle, labels, fontsize=size)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    head = {"transform": axes.transAxes, "va": "bottom", "fontsize": 8, "color": palette.FAINT_TEXT}
    axes.text(-0.004, 1.0, "stage, device", ha="right", **head)
    axes.text(1.004, 1.0, "computing", ha="left", **head)
    for row in at:
        lane = shown.occupancy(shown.devices[row])
        axes.text(
            1.004,
            row + shown.middle,
            f"{100 * total(lane.compute) / shown.span:.0f} %",
            transform=axes.get_yaxis_transform(),
            va="center",
            fontsize=size,
        )


def _explain(canvas, shown, numbering):
    run = shown.run
    parts = [
        f"makespan {quantities.seconds(run.makespan_s)}",
        f"bubble {quantities.percent(run.value('bubble_fraction'))}",
        shown.note,
        numbering,
    ]
    if shown.devices_left_out:
        count = len(shown.devices)
        parts.append(f"{count} of {count + shown.devices_left_out} devices, evenly chosen")
    if any(step > 0 for step in shown.steps.values()):
        parts.append("darker: a device's later stages")
    figure.title(
        canvas, f"Device timeline: {figure.label(run.name, 60)}", "; ".join(filter(None, parts))
    )
