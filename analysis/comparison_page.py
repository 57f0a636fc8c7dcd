"""Two results folders as pictures and one self-contained page, comparison.html."""

import base64
import json
from pathlib import Path

import jinja2

from analysis import figure, paired, palette, quantities, scatter, twin_timelines
from analysis.files import InputError, write_together
from analysis.load import folder_name, load


def make(first_folder, second_folder, output):
    """Writes scatter.png, timelines_<plan>.png and comparison.html into `output`.

    Nothing is written unless everything could be read and drawn. Raises InputError.
    """
    output = Path(output)
    if output.exists() and not output.is_dir():
        raise InputError(f"{output}: is no folder; expected one for the pictures")
    first, second = load(first_folder), load(second_folder)
    for results in (first, second):
        if results.is_sweep:
            raise InputError(f"{results.folder}: pictures of sweeps cannot be paired")
    labels = [_label(first, second), _label(second, first)]
    pairs = paired.pairs(first, second)
    joined = [paired.join(pair) for pair in pairs]
    drawn = {"scatter.png": figure.draw(scatter.paint, pairs, joined, labels)}
    for pair, both in zip(pairs, joined):
        if both is not None:
            name = f"timelines_{folder_name(pair.name)}.png"
            drawn[name] = figure.draw(twin_timelines.paint, pair, labels)
    page = render(pairs, labels, drawn)
    write_together(output, {**drawn, "comparison.html": page})


def render(pairs, labels, drawn):
    """HTML as bytes; `drawn` maps names of pictures to PNG bytes."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    pictures = [
        (name, f"data:image/png;base64,{base64.b64encode(png).decode()}")
        for name, png in drawn.items()
    ]
    text = environment.get_template("comparison.html").render(
        labels=labels, rows=[_row(pair) for pair in pairs], pictures=pictures, colours=palette
    )
    return text.lstrip().encode("utf-8", "replace")


def _row(pair):
    first, second = pair.first.makespan_s, pair.second.makespan_s
    error = f"{100 * (first / second - 1):+.2f} %" if first and second else quantities.NONE
    return [
        pair.name,
        quantities.seconds(first),
        quantities.seconds(second),
        error,
        _remark(pair.second.summary) or _remark(pair.first.summary),
    ]


def _remark(summary):
    """What the reader has to know of a measured figure before believing it."""
    measured = summary.get("measured")
    remarks = []
    if isinstance(measured, dict) and measured.get("no_verdict"):
        remarks.append(f"no verdict: {measured['no_verdict']}")
    if summary.get("oversubscribed") is True:
        remarks.append("oversubscribed: more devices than cores or GPUs")
    return "; ".join(remarks)


def _label(results, other):
    """The backend where it tells the two results apart, else the folder."""
    backends = [{run.summary.get("backend") for run in side.points[0].runs} - {None}
                for side in (results, other)]
    if len(backends[0]) == 1 and backends[0] != backends[1]:
        return json.dumps(next(iter(backends[0])), ensure_ascii=False).strip('"')
    return results.folder.name or str(results.folder)
