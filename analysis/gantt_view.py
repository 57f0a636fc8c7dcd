"""Geometry of a device timeline: which rows, how tall, which span of time, what stands where."""

from dataclasses import dataclass

import numpy

from analysis import figure, palette, quantities
from analysis.occupancy import Occupancies

WIDTH = 15.0
LEFT, RIGHT, TOP, BOTTOM = 2.2, 1.0, 1.05, 0.6
MOST_ROWS = 256
HEAD = 0.08  # of a row: empty space above its compute bar


@dataclass
class View:
    """A part of a run's timeline as it is drawn: devices top to bottom, seconds `first` to `last`."""

    run: object
    devices: numpy.ndarray
    devices_left_out: int
    first: float
    last: float
    note: str

    def __post_init__(self):
        timeline = self.run.timeline
        count = max(1, len(self.devices))
        self.row_height = (
            0.56
            if count <= 12
            else 0.4
            if count <= 24
            else 0.24
            if count <= 72
            else max(0.06, 15 / count)
        )
        self.factor, self.unit = quantities.time_unit(self.last - self.first)
        self.row_of = {int(device): row for row, device in enumerate(self.devices)}
        self.kinds = numpy.array(timeline["kind"], dtype=object)
        self.is_compute = numpy.logical_or.reduce(
            [self.kinds == kind for kind in palette.COMPUTE_KINDS]
        )
        self._occupancies = Occupancies(timeline)
        self.lanes = [kind for kind in palette.TRANSFER_KINDS if (self.kinds == kind).any()]
        self.steps = _stage_steps(timeline, self.is_compute)
        inside = (timeline["end_s"] >= self.first) & (timeline["start_s"] <= self.last)
        self.shown = inside & numpy.isin(timeline["device"], self.devices)

    @property
    def span(self):
        return self.last - self.first

    @property
    def strips(self):
        """Share of a row for transfers, under its compute bar; 0 when rows are too low for them."""
        if not self.lanes:
            return HEAD
        return 0.3 if self.row_height >= 0.3 else 0.26 if self.row_height >= 0.2 else 0.0

    @property
    def middle(self):
        """Where in a row the middle of its compute bar is."""
        return (HEAD + 1 - self.strips) / 2

    def place(self, kind):
        """(top, bottom) of the bars of `kind` as shares of a row; None where they are not drawn."""
        if kind in palette.COMPUTE_KINDS:
            return HEAD, 1 - self.strips
        if self.strips == 0 or kind not in self.lanes:
            return None
        share = (self.strips - 0.03) / len(self.lanes)
        top = 1 - self.strips + 0.02 + self.lanes.index(kind) * share
        return top, top + share * 0.9

    def occupancy(self, device):
        """What the device's compute lane does in the time shown."""
        return self._occupancies.of(device, self.first, self.last)

    def points(self, seconds):
        """Width in points (1/72 inch) of a bar that lasts so long."""
        return seconds / self.span * (WIDTH - LEFT - RIGHT) * 72

    def rows(self, chosen):
        """Row numbers of these rows of the timeline."""
        return numpy.array(
            [self.row_of[int(device)] for device in self.run.timeline["device"][chosen]]
        )

    def colours(self, kind, chosen):
        """A colour per chosen row: that of `kind`, darker for the later stages of a device."""
        if kind == "optimizer" or kind not in palette.COMPUTE_KINDS:
            return [palette.KINDS[kind]] * len(chosen)
        shades = [palette.shade(palette.KINDS[kind], step) for step in range(4)]
        timeline = self.run.timeline
        return [
            shades[self.steps[(int(device), int(stage))] % 4]
            for device, stage in zip(timeline["device"][chosen], timeline["stage"][chosen])
        ]


def view(run, span=None):
    """The view of all of `run`'s timeline, or of `span` = (first, last) seconds."""
    first, last, note = covered(run)
    if span is not None:
        first, last = span
        enlarged = f"enlarged: the first {quantities.seconds(last - first)}"
        note = f"{note}; {enlarged}" if note else enlarged
    if last <= first:
        last = first + 1.0
    devices = numpy.unique(run.timeline["device"])
    shown = devices[:: max(1, -(-len(devices) // MOST_ROWS))]
    return View(run, shown, len(devices) - len(shown), first, last, note)


def covered(run):
    """(first second, last second, note): the part of the run that its timeline covers."""
    window = (run.details or {}).get("window")
    timeline = run.timeline
    if timeline.truncated:
        first, last = 0.0, _complete_until(timeline)
        shown, of = len(timeline), run.value("instructions")
    elif window:
        first, last = window["first_s"], window["last_s"]
        shown, of = window["shown_instructions"], window["instructions"]
    else:
        return 0.0, run.makespan_s or float(timeline["end_s"].max(initial=0.0)), ""
    count = f"{int(shown)} of {int(of)}" if of else f"the first {int(shown)}"
    return (
        first,
        last,
        f"window {quantities.seconds(first)} to {quantities.seconds(last)}: {count} instructions",
    )


def enlarged_span(run):
    """The span in which micro-batch numbers fit; None if they fit in the whole picture already."""
    whole = view(run)
    compute = numpy.flatnonzero(whole.is_compute & (run.timeline["first_sample"] >= 0))
    if len(compute) == 0 or whole.row_height < 0.2:
        return None
    lengths = (run.timeline["end_s"] - run.timeline["start_s"])[compute]
    short = float(numpy.quantile(lengths, 0.25))
    digits = max(len(text) for text in batch_numbers(run, compute)[0])
    if short <= 0 or whole.points(short) >= figure.text_width(digits, 6):
        return None
    return whole.first, whole.first + whole.span * whole.points(short) / figure.text_width(
        digits, 7
    )


def batch_numbers(run, chosen):
    """(number per chosen row of the timeline, note): micro-batches, or first samples where sizes differ."""
    sizes = {}
    if run.stages is not None:
        sizes = set(run.stages["micro_batch_samples"].tolist())
    firsts = run.timeline["first_sample"][chosen]
    if len(sizes) == 1:
        size = sizes.pop()
        return [str(first // size) for first in firsts], "numbers: micro-batches"
    return [str(first) for first in firsts], "numbers: first sample of the micro-batch"


def device_labels(run, devices, width=24):
    """Text of about `width` characters per device: the stages it holds and its id."""
    stages = {}
    if run.stages is not None:
        for name, ids in zip(run.stages["name"], run.stages["device_ids"]):
            for device in ids:
                stages.setdefault(device, []).append(name)
    texts = []
    for device in map(int, devices):
        suffix = f" · d{device}"
        names = ", ".join(stages.get(device, []))
        texts.append(
            figure.label(names, width - len(suffix)) + suffix if names else f"device {device}"
        )
    return texts


def _stage_steps(timeline, is_compute):
    """(device, stage) -> place of the stage among those the device computes, by stage id."""
    steps, count = {}, {}
    pairs = numpy.column_stack([timeline["device"], timeline["stage"]])[is_compute]
    for device, stage in numpy.unique(pairs, axis=0).tolist():
        steps[(device, stage)] = count.get(device, 0)
        count[device] = count.get(device, 0) + (stage >= 0)
    return steps


def _complete_until(timeline):
    """Until when every device's rows are there, of a timeline that was read in part."""
    latest = {}
    for device, start in zip(timeline["device"].tolist(), timeline["start_s"].tolist()):
        latest[device] = max(latest.get(device, 0.0), start)
    return min(latest.values())
