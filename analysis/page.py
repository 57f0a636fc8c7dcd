"""The report's page: one HTML file that needs nothing else, pictures and style inside."""

import base64
from dataclasses import dataclass
from pathlib import Path

import jinja2

from analysis import palette, quantities, tables


@dataclass
class Block:
    """A piece of the page: a picture, or a table with what stands above it."""

    picture: str = None
    alt: str = ""
    wide: bool = False  # scroll rather than shrink
    heading: str = ""
    text: str = ""
    table: dict = None


def render(results, pictures):
    """HTML of the report as bytes; `pictures` maps paths (Picture.path) to PNG bytes."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    embedded = {
        path: f"data:image/png;base64,{base64.b64encode(png).decode()}"
        for path, png in pictures.items()
    }
    text = environment.get_template("report.html").render(
        results=results,
        verdict=verdict(results),
        overview=_overview(results, embedded),
        sections=_sections(results, embedded),
        colours=palette,
    )
    return text.lstrip().encode("utf-8", "replace")


def verdict(results):
    """One sentence per point of a scenario without sweep, or one on the best point of a sweep."""
    ran = [
        (run.value("throughput_samples_per_s") or 0.0, point, run)
        for point in results.points
        for run in point.runs
        if run.ok
    ]
    if not ran:
        return "No plan has a result; the table says why."
    throughput, point, run = max(ran, key=lambda entry: entry[0])
    if not throughput:
        return "No plan takes any time, so none has a throughput."
    text = f"{run.name} is the fastest plan: {quantities.number(throughput)} samples/s"
    if results.is_sweep:
        return f"{text}, at {keys_text(point)}."
    others = sorted((entry for entry in ran if entry[2] is not run), key=lambda entry: -entry[0])
    if not others:
        return f"{text}."
    factors = [
        f"{throughput / other:.2f} times {rival.name}"
        for other, _, rival in others[:3]
        if other > 0
    ]
    return f"{text}, {', '.join(factors)}."


def keys_text(point):
    """The point's keys and values in a line."""
    return ", ".join(f"{key} = {value}" for key, value in point.keys.items())


def _overview(results, embedded):
    first = results.points[0]
    if results.is_sweep:
        return [
            Block(embedded.get("sweep.png"), "Key figures against the swept key"),
            Block(table=tables.sweep(results.points)),
        ]
    return [
        Block(embedded.get("comparison.png"), "Comparison of plans"),
        Block(table=tables.plans(first)),
        Block(heading="How the plans were found and simulated", table=tables.search(first)),
    ]


def _sections(results, embedded):
    """A section per plan whose tables were read."""
    sections = []
    for point in results.points:
        for run in point.runs:
            if not run.was_read:
                continue
            base = run.folder.relative_to(results.folder).as_posix()
            name = f"{run.name} at {keys_text(point)}" if point.keys else run.name
            sections.append(
                {
                    "id": f"plan-{point.index}-{run.order}",
                    "name": name,
                    "run": run,
                    "blocks": _blocks(run, base, embedded),
                }
            )
    return sections


def _blocks(run, base, embedded):
    blocks = []

    def picture(name, alt):
        if f"{base}/{name}" in embedded:
            blocks.append(
                Block(
                    embedded[f"{base}/{name}"],
                    f"{alt} of {run.name}",
                    wide=name == "stage_graph.png",
                )
            )

    def table(heading, available, make, note=""):
        if available is not None and len(available):
            blocks.append(Block(heading=heading, table=make(run), text=note))

    picture("stage_graph.png", "Stage graph")
    table("Stages", run.stages, tables.stages)
    picture("timeline.png", "Device timeline")
    picture("timeline_start.png", "Beginning of the device timeline")
    table("Time of the devices", run.values("compute_s"), tables.devices)
    table("Critical path by kind", run.critical_path, tables.critical_path, _path_note(run))
    table("Critical path by stage", run.critical_path, tables.critical_path_stages)
    picture("memory.png", "Memory over time")
    table("Memory peaks explained", (run.details or {}).get("devices"), tables.memory)
    table("Busiest links", run.links, tables.links)
    return blocks


def _path_note(run):
    path = run.critical_path
    if path is None or not run.makespan_s:
        return ""
    length = float((path["end_s"] - path["start_s"]).sum())
    if abs(length - run.makespan_s) <= 1e-6 * run.makespan_s:
        return f"The path's {len(path)} intervals fill the makespan of {quantities.seconds(run.makespan_s)}."
    return (
        f"The path's {len(path)} intervals last {quantities.seconds(length)}; "
        f"the makespan is {quantities.seconds(run.makespan_s)}."
    )
