"""Two timelines of a plan one above the other on one clock."""

from analysis import figure, quantities
from analysis.gantt import draw_rows
from analysis.gantt_view import LEFT, RIGHT, WIDTH, covered, view

_TOP, _GAP, _BOTTOM = 1.05, 0.62, 0.6


def paint(pair, labels):
    """The timelines of `pair`; `labels` name the two results. Both must be there."""
    runs = (pair.first, pair.second)
    last = max(covered(run)[1] for run in runs)
    views = [view(run, (0.0, last)) for run in runs]
    heights = [shown.row_height * max(1, len(shown.devices)) for shown in views]
    total = _TOP + _BOTTOM + _GAP + sum(heights)
    canvas = figure.new_figure(WIDTH, total)
    entries = {}
    bottoms = (_BOTTOM + heights[1] + _GAP, _BOTTOM)
    for shown, bottom, height, label in zip(views, bottoms, heights, labels):
        axes = figure.place_axes(canvas, LEFT, bottom, WIDTH - LEFT - RIGHT, height)
        for handle, name in draw_rows(axes, shown)[0]:
            entries.setdefault(name, handle)
        if bottom != _BOTTOM:
            axes.set_xlabel("")
        _head(canvas, shown, bottom + height, label)
        if shown.run.makespan_s:
            axes.axvline(shown.run.makespan_s / shown.factor, color="#000000", linewidth=1)
    figure.title(canvas, f"Both timelines on one clock: {figure.label(pair.name, 60)}")
    figure.legend(canvas, [(handle, name) for name, handle in entries.items()], 0.36)
    return canvas


def _head(canvas, shown, top, label):
    """Whose timeline it is, above its rows."""
    across, up = canvas.get_size_inches()
    makespan = quantities.seconds(shown.run.makespan_s)
    text = f"{figure.label(label, 60)}: iteration time {makespan}"
    canvas.text(LEFT / across, (top + 0.2) / up, text, fontsize=10, fontweight="bold", va="bottom")
