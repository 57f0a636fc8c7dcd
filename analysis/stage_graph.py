"""The stage graph: a box per stage with its place, micro-batches and times, arrows with their bytes."""

import numpy
from matplotlib.collections import LineCollection

from analysis import figure, palette, quantities
from analysis.layered import arrange
from analysis.sketch import Sketch

_TOP = 0.95
_SIDE = 0.3
_MOST_BOXES = 140


def paint(run):
    """Full boxes left to right for small graphs, one-line boxes top to bottom for long ones, else dots."""
    nodes = run.stages["stage"].tolist()
    edges = edge_sizes(run)
    layout = arrange(nodes, list(edges), bend=len(nodes) <= _MOST_BOXES)
    if layout.layers <= 10 and layout.breadth <= 24:
        return _boxes(run, layout, edges)
    if layout.breadth <= 8 and len(nodes) <= _MOST_BOXES:
        return _lines(run, layout, edges)
    return _dots(run, layout, edges)


def edge_sizes(run):
    """(from, to) -> bytes per sample, parallel edges added up."""
    sizes = {}
    if run.stage_edges is not None:
        columns = ("from_stage", "to_stage", "bytes_per_sample")
        for source, target, size in zip(*(run.stage_edges[column].tolist() for column in columns)):
            sizes[(source, target)] = sizes.get((source, target), 0.0) + size
    return sizes


def device_range(ids, width):
    """Device ids in at most `width` characters, e.g. `d0`, `d0–3`, `d0,2,5`, `40 devices`."""
    if not ids:
        return "no device"
    if len(ids) > 1 and ids == list(range(ids[0], ids[-1] + 1)):
        return f"d{ids[0]}–{ids[-1]}"
    text = "d" + ",".join(map(str, ids))
    return text if len(text) <= width else f"{len(ids)} devices"


def _canvas(run, size, note):
    width, height = max(size[0], 7.5), size[1]
    canvas = figure.new_figure(width, _TOP + height)
    axes = figure.place_axes(canvas, 0, 0, width, height)
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    kind = run.summary.get("kind") or "graph"
    parts = [
        f"{kind}, {len(run.stages)} stages, depth {quantities.number(run.value('depth'))}",
        note,
    ]
    figure.title(canvas, f"Stage graph: {figure.label(run.name, 45)}", "; ".join(parts))
    return canvas, axes


def _explain_bars(canvas):
    entries = [(palette.KINDS["forward"], "forward"), (palette.KINDS["backward"], "backward")]
    figure.legend(canvas, entries, 0.56)


def _boxes(run, layout, edges):
    box, step = (1.95, 1.0), (2.6, 1.25)
    size = (
        2 * _SIDE + (layout.layers - 1) * step[0] + box[0],
        2 * _SIDE + (layout.breadth - 1) * step[1] + box[1],
    )
    canvas, axes = _canvas(
        run, size, "bars: a micro-batch against the slowest stage; arrows: bytes per sample"
    )
    _explain_bars(canvas)

    def centre(layer, place):
        return numpy.array(
            (_SIDE + layer * step[0] + box[0] / 2, _SIDE + place * step[1] + box[1] / 2)
        )

    sketch = Sketch(axes)
    aside = numpy.array((box[0] / 2, 0))
    for edge, moved in edges.items():
        points = _route(layout, edge, centre, aside)
        sketch.arrow(points, (1, 0), dashed=moved <= 0)
        if moved > 0:
            white = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
            middle = (points[0] + points[1]) / 2
            sketch.text(
                *middle,
                quantities.size(moved),
                ha="center",
                fontsize=7,
                color=palette.FAINT_TEXT,
                bbox=white,
            )
    for row, stage in enumerate(run.stages["stage"].tolist()):
        _box(sketch, run.stages, row, (centre(layout.layer[stage], layout.place[stage]), box))
    sketch.draw()
    return canvas


def _lines(run, layout, edges):
    box, step = (5.0 if layout.breadth == 1 else 3.3, 0.26), (3.6, 0.6)
    size = (
        2 * _SIDE + (layout.breadth - 1) * step[0] + box[0],
        2 * _SIDE + (layout.layers - 1) * step[1] + box[1],
    )
    canvas, axes = _canvas(run, size, "bars: a micro-batch against the slowest stage")
    _explain_bars(canvas)

    def centre(layer, place):
        return numpy.array(
            (_SIDE + place * step[0] + box[0] / 2, _SIDE + layer * step[1] + box[1] / 2)
        )

    sketch = Sketch(axes)
    for edge, moved in edges.items():
        sketch.arrow(
            _route(layout, edge, centre, numpy.array((0, box[1] / 2))), (0, 1), dashed=moved <= 0
        )
    stages = run.stages
    for row, stage in enumerate(stages["stage"].tolist()):
        x, y = centre(layout.layer[stage], layout.place[stage])
        left, right = x - box[0] / 2, x + box[0] / 2
        sketch.box((x, y), box)
        sketch.text(
            left + 0.08,
            y,
            figure.label(stages["name"][row], int((box[0] - 1.75) * 12.5)),
            fontsize=8,
        )
        ids = device_range(stages["device_ids"][row], 9)
        sketch.text(right - 1.05, y, ids, ha="right", fontsize=7.5, color=palette.FAINT_TEXT)
        _time_bar(sketch, stages, row, (right - 0.95, y - 0.05, 0.87, 0.1))
    sketch.draw()
    return canvas


def _route(layout, edge, centre, aside):
    """Points of an arrow: out of its stage, straight through the layers between, into the next stage."""
    source, target = edge
    points = [centre(layout.layer[source], layout.place[source]) + aside]
    for bend in layout.bends[edge]:
        points += [centre(*bend) - aside, centre(*bend) + aside]
    return [*points, centre(layout.layer[target], layout.place[target]) - aside]


def _box(sketch, stages, row, frame):
    (x, y), box = frame
    sketch.box((x, y), box)
    left, top = x - box[0] / 2 + 0.09, y - box[1] / 2
    count, k = int(stages["operators"][row]), int(stages["k"][row])
    lines = [
        f"{count} operator{'' if count == 1 else 's'}; {device_range(stages['device_ids'][row], 14)}",
        f"micro-batch {stages['micro_batch_samples'][row]}" + (f", k {k}" if k != 1 else ""),
        f"in flight {stages['in_flight_samples'][row]}",
    ]
    sketch.text(
        left, top + 0.16, figure.label(stages["name"][row], 23), fontsize=8.5, fontweight="bold"
    )
    for number, text in enumerate(lines):
        sketch.text(left, top + 0.36 + 0.16 * number, text, fontsize=7.5)
    _time_bar(sketch, stages, row, (left, top + 0.81, box[0] - 0.18, 0.1))


def _time_bar(sketch, stages, row, frame):
    left, top, width, height = frame
    slowest = float((stages["forward_s"] + stages["backward_s"]).max()) or 1.0
    sketch.bar(left, top, (width, height), palette.BUBBLE)
    for kind in ("forward", "backward"):
        part = width * float(stages[f"{kind}_s"][row]) / slowest
        sketch.bar(left, top, (part, height), palette.KINDS[kind])
        left += part


def _dots(run, layout, edges):
    width, height = 15.0, max(1.5, min(12.0, 0.3 * layout.breadth))
    canvas, axes = _canvas(
        run, (width, height), "a dot per stage, darker: more time per micro-batch"
    )
    across = (width - 2 * _SIDE) / max(1, layout.layers - 1)
    down = (height - 2 * _SIDE) / max(1, layout.breadth - 1)
    nodes = run.stages["stage"].tolist()
    middle = 0 if layout.breadth > 1 else height / 2 - _SIDE
    points = {
        node: (_SIDE + layout.layer[node] * across, _SIDE + layout.place[node] * down + middle)
        for node in nodes
    }
    lines = [(points[source], points[target]) for source, target in edges]
    axes.add_collection(
        LineCollection(lines, colors=palette.GRID, linewidths=0.8, zorder=1), autolim=False
    )
    time = run.stages["forward_s"] + run.stages["backward_s"]
    size = float(numpy.clip(0.45 * 72 * min(across, max(down, 0.1)), 2.0, 10.0)) ** 2
    x, y = numpy.array([points[node] for node in nodes]).T
    style = {
        "s": size,
        "cmap": palette.MEMORY_SCALE,
        "edgecolors": palette.EDGE,
        "linewidths": 0.4,
        "zorder": 2,
    }
    axes.scatter(x, y, c=time / (time.max() or 1.0), vmin=-0.3, vmax=1, **style)
    return canvas
