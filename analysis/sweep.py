"""Key figures against the swept key, one line a plan, one column of panels per value of the other keys."""

import json
import re

import numpy
from matplotlib.lines import Line2D

from analysis import figure, palette, quantities

MOST_PANELS = 6
_LETTERS = 13  # of a panel's title, per inch
_LONGEST_TICK = 24
_SLANT = 0.35  # inches for slanted names on the x axis
_ROW, _TOP, _BOTTOM, _LEFT = 2.5, 0.55, 0.65, 0.95
_GAP, _SCALE = 0.25, 0.4  # inches between panels; more of them for a scale of its own
_ALIKE = 3  # panels whose largest values differ by more than this factor have scales of their own


def paint(results):
    """Throughput, bubble and peak memory over the swept key."""
    key, panels = arrange(results.points)
    shown = panels[:MOST_PANELS]
    plans = plan_orders(results.points)
    width = max(7.0, min(15.0, _LEFT + 4.2 * len(shown)))
    entries = [(_sample(order), figure.label(name)) for name, order in plans.items()]
    top = _TOP + figure.LEGEND_LINE * len(figure.legend_lines(entries, width))
    slanted = _slanted(_positions(results.points, key)[1])
    low = _BOTTOM + (_SLANT if slanted else 0.0)
    canvas = figure.new_figure(width, top + 3 * _ROW + low)
    unit = quantities.byte_unit(
        max((_figures(run)[2] or 0 for point in results.points for run in point.runs), default=0)
    )
    own = [_unlike(shown, row) for row in range(3)]
    gap = _GAP + (_SCALE if any(own) else 0.0)
    panel_width = (width - _LEFT - 0.3 - gap * (len(shown) - 1)) / len(shown)
    rows = (
        "throughput (samples/s)",
        "bubble (% of device time)",
        f"highest peak memory ({unit[1]})",
    )
    for row, name in enumerate(rows):
        bottom = low + (2 - row) * _ROW
        group = []
        for column, (other, points) in enumerate(shown):
            axes = figure.place_axes(
                canvas, _LEFT + column * (panel_width + gap), bottom, panel_width, _ROW - 0.3
            )
            _lines(axes, points, (key, plans, row, unit))
            _dress(
                axes,
                (
                    name if column == 0 else "",
                    axis_name(results.points, key) if row == 2 else "",
                    figure.label(other, int(_LETTERS * panel_width)) if row == 0 else "",
                ),
            )
            group.append(axes)
        for alike in [[axes] for axes in group] if own[row] else [group]:
            _same_height(alike)
    note = "one line a plan; a cross at 0: the plan has no result there"
    if len(shown) < len(panels):
        note += f"; {len(shown)} of {len(panels)} combinations of the other keys"
    figure.title(canvas, f"Sweep over {figure.label(key, 60)}", note)
    figure.legend(canvas, entries, 0.56)
    return canvas


def arrange(points):
    """(key on the x axis, [(text of the other keys, points)]).

    The x axis takes the numeric key with the most values. Keys that change in step with it need no
    panel of their own.
    """
    names = sorted(
        {name for point in points for name in point.keys},
        key=lambda name: _first_place(points, name),
    )
    counts = {name: len({_text(point.keys.get(name)) for point in points}) for name in names}
    varied = [name for name in names if counts[name] > 1] or names
    numeric = [name for name in varied if _numbers([point.keys.get(name) for point in points])]
    key = max(numeric or varied, key=lambda name: (counts[name], -names.index(name)))
    others = [
        name
        for name in names
        if name != key and counts[name] > 1 and not _in_step(points, key, name)
    ]
    panels = {}
    for point in points:
        other = ", ".join(f"{name} = {_short(name, point.keys.get(name))}" for name in others)
        panels.setdefault(other, []).append(point)
    return key, list(panels.items())


def _in_step(points, key, name):
    """Whether the value of `key` fixes that of `name`."""
    pairs = {(_text(point.keys.get(key)), _text(point.keys.get(name))) for point in points}
    return len(pairs) == len({first for first, _ in pairs})


def axis_name(points, key):
    """The key, with the unit where its values are shown as numbers of one unit."""
    values = [point.keys.get(key) for point in points]
    if _numbers(values) is None or not isinstance(values[0], str):
        return key
    return f"{key} ({values[0].split()[1]})"


def _slanted(labels):
    """Whether names on the x axis need more room than they have."""
    return labels is not None and sum(len(label) for label in labels) > 24


def plan_orders(points):
    """Name of every plan -> its place in the scenario."""
    return {run.name: run.order for point in points for run in point.runs}


def _first_place(points, name):
    return next(list(point.keys).index(name) for point in points if name in point.keys)


def _text(value):
    return value if isinstance(value, str) else json.dumps(value)


def _short(name, value):
    """The value as text; of a file's path the file's name."""
    text = _text(value)
    return text.rsplit("/", 1)[-1] if name.endswith("file") else text


def _numbers(values):
    """The values as numbers, quantities with one common unit included; None if they are no numbers."""
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return [float(value) for value in values]
    parts = [
        re.fullmatch(r"\s*([-+0-9.eE]+)\s+(\S+)\s*", value) if isinstance(value, str) else None
        for value in values
    ]
    if any(part is None for part in parts) or len({part[2] for part in parts}) != 1:
        return None
    try:
        return [float(part[1]) for part in parts]
    except ValueError:
        return None


def _positions(points, key):
    """(x per point, tick labels or None): the numbers themselves, or places in order for other values."""
    values = [point.keys.get(key) for point in points]
    found = _numbers(values)
    if found is not None:
        return found, None
    labels = list(dict.fromkeys(_text(value) for value in values))
    return [labels.index(_text(value)) for value in values], labels


def _figures(run):
    bubble = run.value("bubble_fraction")
    return (
        run.value("throughput_samples_per_s"),
        None if bubble is None else 100 * bubble,
        max(run.values("peak_memory_bytes"), default=None),
    )


def _lines(axes, points, view):
    key, plans, row, unit = view
    places, labels = _positions(points, key)
    order = numpy.argsort(places, kind="stable")
    for name, place in plans.items():
        x, y = [], []
        for at in order:
            run = next((run for run in points[at].runs if run.name == name), None)
            value = _figures(run)[row] if run is not None and run.ok else None
            x.append(places[at])
            y.append(numpy.nan if value is None else value / (unit[0] if row == 2 else 1))
        colour, marker, dash = palette.plan_style(place)
        axes.plot(x, y, color=colour, marker=marker, linestyle=dash, markersize=6, linewidth=1.6)
        lost = [at for at, value in zip(x, y) if numpy.isnan(value)]
        if lost and row == 0:
            axes.plot(
                lost,
                [0] * len(lost),
                color=colour,
                marker="x",
                linestyle="",
                markersize=8,
                clip_on=False,
            )
    _ticks(axes, sorted(set(places)), labels)


def _ticks(axes, places, labels):
    if labels is not None:
        axes.set_xticks(
            range(len(labels)),
            [figure.label(label, _LONGEST_TICK) for label in labels],
            rotation=20 if _slanted(labels) else 0,
        )
        return
    if places[0] > 0 and places[-1] / places[0] >= 8:
        axes.set_xscale("log", base=2)
    if len(places) <= 10:
        axes.set_xticks(places, [quantities.number(place) for place in places])
        axes.minorticks_off()


def _dress(axes, texts):
    name, key, other = texts
    axes.grid(linewidth=0.6)
    if name:
        axes.set_ylabel(name)
    if key:
        axes.set_xlabel(figure.label(key, 60))
    else:
        axes.tick_params(labelbottom=False)
    if other:
        axes.set_title(other, fontsize=9)


def _unlike(panels, row):
    tops = [
        max((_figures(run)[row] or 0 for point in points for run in point.runs), default=0)
        for _, points in panels
    ]
    return max(tops) > _ALIKE * min(tops)


def _same_height(group):
    top = 1.04 * max(axes.get_ylim()[1] for axes in group)
    for number, axes in enumerate(group):
        axes.set_ylim(0, top)
        if number:
            axes.tick_params(labelleft=False)


def _sample(order):
    colour, marker, dash = palette.plan_style(order)
    return Line2D([], [], color=colour, marker=marker, linestyle=dash, markersize=6)
