"""Every colour of every picture, so that a colour means the same everywhere.

Kinds of work use the colour-blind safe set of Okabe and Ito; plans use a second set (Tol's muted),
always together with a marker and a dash pattern of their own.
"""

KINDS = {
    "forward": "#56B4E9",
    "backward": "#E69F00",
    "backward_input": "#F6C667",
    "backward_weight": "#B87700",
    "optimizer": "#4D4D4D",
    "send": "#009E73",
    "recv": "#86D3BB",
    "all_reduce": "#CC79A7",
}
COMPUTE_KINDS = ("forward", "backward", "backward_input", "backward_weight", "optimizer")
TRANSFER_KINDS = ("send", "recv", "all_reduce")

BUBBLE = "#EFEFEF"
EXPOSED_COMMUNICATION = "#B5E0CE"
COMPUTE = "#5F7A91"
LIMIT = "#D55E00"
CRITICAL_PATH = "#000000"
TEXT = "#222222"
FAINT_TEXT = "#666666"
GRID = "#D9D9D9"
EDGE = "#7A7A7A"
BOX = "#FFFFFF"

# A memory part has the colour of the work it belongs to.
MEMORY_PARTS = {
    "parameters": "#8C8C8C",
    "gradients": KINDS["backward"],
    "optimizer_state": KINDS["optimizer"],
    "activations": KINDS["forward"],
    "receive_slots": KINDS["recv"],
    "send_buffers": KINDS["send"],
    "workspace": "#CC79A7",
    "reserved": "#D9D9D9",
    "other": "#F2DDA0",
}
MEMORY_HELD = "#A6D5F0"
MEMORY_SCALE = "Blues"

_PLAN_COLOURS = ("#332288", "#CC6677", "#999933", "#882255", "#117733", "#AA4499", "#44AA99")
_PLAN_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_PLAN_DASHES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))


def plan_style(index):
    """Colour, marker and dash pattern of the plan at `index` of the scenario.

    Of more plans than colours the later ones have lighter ones, for pictures without markers.
    """
    colour = _PLAN_COLOURS[index % len(_PLAN_COLOURS)]
    return (
        tint(colour, index // len(_PLAN_COLOURS)),
        _PLAN_MARKERS[index % len(_PLAN_MARKERS)],
        _PLAN_DASHES[index % len(_PLAN_DASHES)],
    )


def tint(colour, step):
    """`colour` for step 0, mixed with ever more white for 1 and 2, and so on in turns."""
    white = (0.0, 0.4, 0.7)[step % 3]
    channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(channel + white * (255 - channel)):02X}" for channel in channels)


def shade(colour, step):
    """`colour` for the `step`-th stage of a device: the first as it is, later ones ever darker."""
    factor = (1.0, 0.78, 0.6, 0.46)[step % 4]
    channels = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(channel * factor):02X}" for channel in channels)


def ink(colour):
    """Black or white, whichever can be read on `colour`."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 110 else "#FFFFFF"
