"""Figures laid out in inches, drawn without a display, returned as PNG bytes."""

import io
import unicodedata
import warnings

import matplotlib
import numpy
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from analysis import palette

DOTS_PER_INCH = 110
LEGEND_LINE = 0.22  # inches
_SETTINGS = {
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.edgecolor": palette.EDGE,
    "axes.labelcolor": palette.TEXT,
    "axes.linewidth": 0.8,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "grid.color": palette.GRID,
    "legend.frameon": False,
    "text.color": palette.TEXT,
    "xtick.color": palette.TEXT,
    "ytick.color": palette.TEXT,
}


def draw(painter, *arguments):
    """PNG bytes of the figure that `painter(*arguments)` returns, under our settings."""
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = painter(*arguments)
        stream = io.BytesIO()
        figure.savefig(
            stream,
            format="png",
            metadata={"Software": "pipegraph"},
            pil_kwargs={"compress_level": 3},
        )
        return stream.getvalue()


def new_figure(width, height):
    """An empty figure of this size in inches."""
    figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def place_axes(figure, left, bottom, width, height):
    """Axes at this place of the figure, in inches from its lower left corner."""
    across, up = figure.get_size_inches()
    axes = figure.add_axes((left / across, bottom / up, width / across, height / up))
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    return axes


def title(figure, text, note=""):
    """A bold title line at the figure's top left, a faint note under it."""
    across, up = figure.get_size_inches()
    figure.text(0.12 / across, 1 - 0.1 / up, text, va="top", fontsize=12, fontweight="bold")
    if note:
        figure.text(
            0.12 / across, 1 - 0.36 / up, note, va="top", fontsize=9, color=palette.FAINT_TEXT
        )


def legend(figure, entries, top, left=0.05):
    """A legend from `top` inches below the figure's upper edge on; entries are (colour or handle, text).

    Breaks into lines that fit the figure; returns their number.
    """
    across, up = figure.get_size_inches()
    lines = legend_lines(entries, across - left)
    for number, line in enumerate(lines):
        figure.legend(
            handles=[_handle(colour) for colour, _ in line],
            labels=[name for _, name in line],
            loc="upper left",
            bbox_to_anchor=(left / across, 1 - (top + number * LEGEND_LINE) / up),
            ncol=len(line),
            fontsize=9,
            columnspacing=1.4,
            handlelength=1.6,
            handletextpad=0.5,
            borderaxespad=0.2,
        )
    return len(lines)


def legend_lines(entries, width):
    """`entries` broken into lines of at most `width` inches."""
    lines, used = [[]], 0.0
    for entry in entries:
        needed = 0.5 + 0.078 * len(entry[1])
        if lines[-1] and used + needed > width:
            lines.append([])
            used = 0.0
        lines[-1].append(entry)
        used += needed
    return lines


def _handle(colour):
    if isinstance(colour, str):
        return Patch(facecolor=colour, edgecolor=palette.EDGE, linewidth=0.4)
    return colour


def bars(axes, left, right, bottom, top, colours, gap=0.0):
    """Fills rectangles given as arrays; `gap` is the width of a white outline in points."""
    if len(left) == 0:
        return
    bottom = numpy.broadcast_to(bottom, numpy.shape(left))
    top = numpy.broadcast_to(top, numpy.shape(left))
    corners = numpy.stack(
        [
            numpy.column_stack([left, bottom]),
            numpy.column_stack([right, bottom]),
            numpy.column_stack([right, top]),
            numpy.column_stack([left, top]),
        ],
        axis=1,
    )
    edge = {"edgecolors": "white", "linewidths": gap} if gap else {"edgecolors": "none"}
    axes.add_collection(PolyCollection(corners, facecolors=colours, **edge), autolim=False)


def numbers(axes, x, y, texts, size, colour="#000000"):
    """Writes short texts centred at the data positions; thousands are as cheap as a scatter plot."""
    outlines = {}
    for text in texts:
        if text not in outlines:
            outlines[text] = _centred_outline(text, size)
    scale = Affine2D().scale(axes.figure.dpi / 72)
    collection = PathCollection(
        [outlines[text] for text in texts],
        offsets=numpy.column_stack([x, y]),
        offset_transform=axes.transData,
        facecolors=colour,
        edgecolors="none",
    )
    collection.set_transform(scale)
    axes.add_collection(collection, autolim=False)


def text_width(characters, size):
    """Points (1/72 inch) that so many digits of this font size need, with air on both sides."""
    return (characters * 0.64 + 0.35) * size


def _centred_outline(text, size):
    outline = TextPath((0, 0), text, size=size)
    box = outline.get_extents()
    return Affine2D().translate(-(box.x0 + box.x1) / 2, -0.36 * size).transform_path(outline)


def label(name, width=28):
    """`name` fit to be drawn: nothing unprintable, at most `width` characters: ends count most."""
    shown = "".join(
        character
        if unicodedata.category(character)[0] not in "CZ" or character == " "
        else "\N{REPLACEMENT CHARACTER}"
        for character in str(name)
    )
    if len(shown) <= width:
        return shown
    front = (width - 1) // 3
    return f"{shown[:front]}…{shown[len(shown) - (width - 1 - front):]}"
