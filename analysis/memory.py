"""Memory of every device over time, and what its peak consists of."""

import numpy
from matplotlib.lines import Line2D

from analysis import figure, palette, quantities
from analysis.gantt_view import MOST_ROWS, device_labels

MOST_CURVES = 24  # above, a heat map
_WIDTH = 15.0
_LEFT, _GAP, _PEAKS, _RIGHT, _TOP, _BOTTOM = 2.2, 0.5, 4.0, 0.6, 0.95, 0.6
_SCALE = 0.35  # inches for the colour scale of a heat map
_COLUMNS = 1000  # of a heat map


def paint(run):
    """Memory over time on the left, the peak by part on the right, a row per device."""
    memory = run.memory
    devices = numpy.unique(memory["device"])
    shown = devices[:: max(1, -(-len(devices) // MOST_ROWS))]
    count = max(1, len(shown))
    row_height = (
        0.56 if count <= 12 else 0.4 if count <= MOST_CURVES else max(0.06, min(0.2, 15 / count))
    )
    height = row_height * count
    top = _TOP if count <= MOST_CURVES else _TOP + _SCALE
    canvas = figure.new_figure(_WIDTH, top + _BOTTOM + height)
    curve_width = _WIDTH - _LEFT - _GAP - _PEAKS - _RIGHT
    time_axes = figure.place_axes(canvas, _LEFT, _BOTTOM, curve_width, height)
    peak_axes = figure.place_axes(canvas, _LEFT + curve_width + _GAP, _BOTTOM, _PEAKS, height)
    span = max(run.makespan_s or 0.0, float(memory["time_s"].max(initial=0.0))) or 1.0
    steps = [_steps_of(memory, device, span) for device in shown]
    peaks = numpy.array([bytes_.max(initial=0.0) for _, bytes_ in steps])
    unit = quantities.byte_unit(peaks.max(initial=0.0))
    _draw_over_time(time_axes, steps, (span, peaks, unit))
    entries = _draw_peaks(peak_axes, run, shown, (peaks, unit, row_height))
    _label_rows(time_axes, run, shown, row_height)
    _explain(canvas, run, peaks, len(devices))
    figure.legend(canvas, entries, 0.56)
    return canvas


def _steps_of(memory, device, span):
    """The device's step function as (times, bytes); the first time is 0, the last the end of the run."""
    mine = memory["device"] == device
    times, values = memory["time_s"][mine], memory["bytes"][mine]
    if len(times) == 0 or times[0] > 0:
        times, values = numpy.concatenate([[0.0], times]), numpy.concatenate([[0.0], values])
    return numpy.append(times, span), numpy.append(values, values[-1])


def highest_per_column(times, values, columns):
    """The step function's highest value in each of `columns` equal slices of its span."""
    edges = numpy.linspace(times[0], times[-1], columns + 1)
    slices = numpy.clip(numpy.searchsorted(edges, times, side="right") - 1, 0, columns - 1)
    held = values[numpy.maximum(numpy.searchsorted(times, edges[:-1], side="right") - 1, 0)]
    highest = held.astype(float)
    numpy.maximum.at(highest, slices, values)
    return highest


def _draw_over_time(axes, steps, view):
    span, peaks, (unit_bytes, unit) = view
    factor, time_name = quantities.time_unit(span)
    axes.set_xlim(0, span / factor)
    axes.set_ylim(max(1, len(steps)), 0)
    axes.set_xlabel(f"time from the start of the mini-batch ({time_name})")
    top = peaks.max(initial=0.0) or 1.0
    if len(steps) > MOST_CURVES:
        _draw_heat_map(axes, steps, (span / factor, top / unit_bytes, unit_bytes, unit))
        return
    for row, (times, values) in enumerate(steps):
        if len(times) > 2 * _COLUMNS:
            values = highest_per_column(times, values, _COLUMNS)
            times = numpy.linspace(0, span, len(values) + 1)
            values = numpy.append(values, values[-1])
        heights = row + 1 - 0.86 * values / top
        axes.fill_between(
            times / factor, heights, row + 1, step="post", color=palette.MEMORY_HELD, linewidth=0
        )
        axes.step(times / factor, heights, where="post", color=palette.COMPUTE, linewidth=0.8)
        axes.axhline(row + 1, color=palette.EDGE, linewidth=0.6)
        at = int(numpy.argmax(values))
        axes.plot(
            times[at] / factor,
            heights[at],
            marker="v",
            markersize=5,
            color=palette.LIMIT,
            clip_on=False,
            zorder=5,
        )


def _draw_heat_map(axes, steps, view):
    span, top, unit_bytes, unit = view
    grid = (
        numpy.array([highest_per_column(times, values, _COLUMNS) for times, values in steps])
        / unit_bytes
    )
    image = axes.imshow(
        grid,
        aspect="auto",
        interpolation="nearest",
        extent=(0, span, len(steps), 0),
        cmap=palette.MEMORY_SCALE,
        vmin=0,
        vmax=top,
    )
    across, up = axes.figure.get_size_inches()
    bar = axes.figure.add_axes((_LEFT / across, 1 - (_TOP + 0.1) / up, 3.2 / across, 0.14 / up))
    axes.figure.colorbar(image, cax=bar, orientation="horizontal")
    bar.tick_params(labelsize=8, length=2, pad=1)
    bar.text(1.03, 0.5, f"memory held ({unit})", transform=bar.transAxes, va="center", fontsize=9)


def _draw_peaks(axes, run, shown, view):
    """Stacked bars of the parts at the peak; plain bars where the parts are not known."""
    peaks, (unit_bytes, unit), row_height = view
    details = {int(entry["device"]): entry for entry in (run.details or {}).get("devices") or []}
    axes.set_ylim(max(1, len(shown)), 0)
    axes.set_yticks([])
    axes.set_xlabel(f"memory at the peak ({unit})")
    rows = numpy.arange(len(shown))
    left = numpy.zeros(len(shown))
    entries = []
    for part, colour in palette.MEMORY_PARTS.items():
        size = numpy.array([_part(details, device, part) for device in shown]) / unit_bytes
        if part == "other":  # what the parts named above do not account for
            size = numpy.maximum(peaks / unit_bytes - left, 0)
            size[size < 1e-6 * peaks / unit_bytes] = 0
        if not size.any():
            continue
        figure.bars(axes, left, left + size, rows + 0.86, rows + 0.14, colour)
        left += size
        entries.append((colour, part.replace("_", " ")))
    limits = numpy.array([_limit(details, device) for device in shown]) / unit_bytes
    largest = max(float(peaks.max(initial=0.0)) / unit_bytes, float(left.max(initial=0.0))) or 1.0
    near = numpy.isfinite(limits) & (limits <= 1.6 * largest)
    right = max(largest, float(limits[near].max(initial=0.0))) * 1.02
    axes.set_xlim(0, right)
    if near.any():
        axes.vlines(limits[near], rows[near], rows[near] + 1, color=palette.LIMIT, linewidth=1.5)
        entries.append((Line2D([], [], color=palette.LIMIT, linewidth=1.5), "memory of the device"))
    if row_height >= 0.14:
        for row, peak in zip(rows, peaks):
            axes.text(
                1.01,
                row + 0.5,
                f"{peak / unit_bytes:.3g} {unit}",
                transform=axes.get_yaxis_transform(),
                va="center",
                fontsize=8,
            )
    return entries


def _part(details, device, part):
    parts = details.get(int(device), {}).get("peak_parts_bytes") or {}
    return parts.get(part) or 0.0


def _limit(details, device):
    limit = details.get(int(device), {}).get("available_bytes")
    return numpy.inf if limit is None else limit


def _label_rows(axes, run, shown, row_height):
    size = 9 if row_height >= 0.3 else 7
    step = max(1, int(numpy.ceil(size * 1.25 / 72 / row_height)))
    at = numpy.arange(0, len(shown), step)
    axes.set_yticks(at + 0.55, device_labels(run, shown[at]), fontsize=size)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _explain(canvas, run, peaks, of):
    parts = [f"highest peak {quantities.size(peaks.max())}"]
    if len(peaks) <= MOST_CURVES:
        parts = [
            f"each row from 0 to the highest peak, {quantities.size(peaks.max())}; triangle: the device's peak"
        ]
    limits = {
        entry.get("available_bytes")
        for entry in (run.details or {}).get("devices") or []
        if entry.get("available_bytes")
    }
    if len(limits) == 1:
        parts.append(f"each device has {quantities.size(limits.pop())}")
    if len(peaks) < of:
        parts.append(f"{len(peaks)} of {of} devices, evenly chosen")
    if (run.details or {}).get("window"):
        parts.append("the timeline is a window; peaks are of the whole run")
    figure.title(canvas, f"Memory over time: {figure.label(run.name, 60)}", "; ".join(parts))
