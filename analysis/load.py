"""Reads a results folder (docs/file_formats.md) into plain values, checking all of it on the way."""

from dataclasses import dataclass, field as dataclass_field
from pathlib import Path

import numpy

from analysis import palette
from analysis.files import InputError, field, read_json, read_table
from analysis.swept import by_difference

MOST_TIMELINE_ROWS = 200_000
STATUSES = ("ok", "infeasible", "out_of_memory", "deadlock")

_TIMELINE = {
    "instruction": "count",
    "device": "count",
    "lane": "text",
    "kind": "text",
    "stage": "count?",
    "peer": "count?",
    "first_sample": "count?",
    "last_sample": "count?",
    "ready_s": "number",
    "start_s": "number",
    "end_s": "number",
    "bytes": "number?",
}
_MEMORY = {"device": "count", "time_s": "number", "bytes": "number"}
_STAGES = {
    "stage": "count",
    "name": "text",
    "depth": "count?",
    "operators": "count",
    "devices": "text",
    "micro_batch_samples": "count",
    "k": "count",
    "in_flight_samples": "count",
    "forward_s": "number",
    "backward_s": "number",
    "parameters_bytes": "number",
}
_STAGE_EDGES = {"from_stage": "count", "to_stage": "count", "bytes_per_sample": "number"}
_LINKS = {
    "link": "text",
    "bandwidth_bytes_per_s": "number?",
    "bytes": "number",
    "utilisation": "number",
}
_CRITICAL_PATH = {
    "instruction": "count?",
    "device": "count?",
    "kind": "text",
    "stage": "count?",
    "start_s": "number",
    "end_s": "number",
    "cause": "text",
}


@dataclass
class Run:
    """One plan at one point. Tables are None where their file is absent or was not asked for."""

    name: str
    order: int  # place of the plan in the scenario; gives its colour
    summary: dict
    folder: Path
    timeline: object = None
    memory: object = None
    stages: object = None
    stage_edges: object = None
    links: object = None
    critical_path: object = None
    details: object = None
    missing: list = dataclass_field(default_factory=list)
    was_read: bool = False

    @property
    def ok(self):
        return self.summary["status"] == "ok"

    def value(self, key):
        """The number `key` of the plan's summary, or None."""
        return field(self.summary, key, "number", f"summary of plan '{self.name}'", optional=True)

    def values(self, key):
        """The list of numbers `key` of the plan's summary without its nulls; empty if absent."""
        found = (
            field(self.summary, key, "list", f"summary of plan '{self.name}'", optional=True) or []
        )
        for item in found:
            if item is not None and (isinstance(item, bool) or not isinstance(item, (int, float))):
                raise InputError(
                    f"summary of plan '{self.name}': {key}: expected a list of numbers"
                )
        return [item for item in found if item is not None]

    @property
    def makespan_s(self):
        return self.value("iteration_time_s")


@dataclass
class Point:
    """One point of the sweep: its keys with their values, and the plans' runs there."""

    index: int
    keys: dict
    runs: list


@dataclass
class Results:
    folder: Path
    scenario: str
    version: str
    points: list
    scenario_text: str = None
    missing: list = dataclass_field(default_factory=list)

    @property
    def is_sweep(self):
        return len(self.points) > 1 or bool(self.points[0].keys)


def load(folder, chosen_points=None):
    """The results in `folder`; tables only for the points in `chosen_points` (default: first and last).

    Raises InputError if the folder is not one of ours or a file of it is damaged.
    """
    folder = Path(folder)
    version = _check_ours(folder)
    summary = read_json(folder / "summary.json")
    where = folder / "summary.json"
    _check_format(summary, where)
    results = Results(folder, field(summary, "scenario", "text", where), version, [])
    points = field(summary, "points", "list", where)
    if not points:
        raise InputError(f"{where}: points: the list is empty; there is nothing to report")
    for index, point in enumerate(points):
        results.points.append(_point(folder, index, point, f"{where}: points[{index}]"))
    for point, keys in zip(results.points, by_difference([point.keys for point in results.points])):
        point.keys = keys
    for index in _chosen(chosen_points, results):
        for run in results.points[index].runs:
            _load_tables(run)
            place = run.folder.relative_to(folder).as_posix()
            results.missing += [f"{place}/{name}" for name in run.missing]
    _load_scenario(results)
    return results


def folder_name(plan):
    """The plan's folder: bytes outside A-Z a-z 0-9 _ . - are %XX, a leading dot too."""
    safe = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
    encoded = plan.encode("utf-8", "surrogatepass")
    return "".join(
        chr(byte) if byte in safe or (byte == 0x2E and at > 0) else f"%{byte:02X}"
        for at, byte in enumerate(encoded)
    )


def _check_ours(folder):
    if not folder.is_dir():
        raise InputError(
            f"{folder}: no such folder; expected one written by 'pipegraph simulate -o DIR'"
        )
    marker = folder / "pipegraph.json"
    if not marker.is_file():
        raise InputError(
            f"{folder}: not a results folder: it has no pipegraph.json; "
            "expected a folder written by 'pipegraph simulate -o DIR'"
        )
    mark = read_json(marker)
    if mark.get("program") != "pipegraph":
        raise InputError(f"{marker}: program: expected 'pipegraph'; this is not one of our folders")
    _check_format(mark, marker)
    return field(mark, "version", "text", marker)


def _check_format(value, where):
    if value.get("format") != 1:
        raise InputError(f"{where}: format: {value.get('format')!r} is unknown; expected 1")


def _chosen(points, results):
    if points is None:
        return sorted({0, len(results.points) - 1})
    for index in points:
        if index >= len(results.points):
            raise InputError(
                f"{results.folder}: there is no point {index}; expected 0 to {len(results.points) - 1}"
            )
    return sorted(set(points))


def _point(folder, index, point, where):
    if not isinstance(point, dict):
        raise InputError(f"{where}: expected an object")
    keys = field(point, "point", "object", where)
    base = folder / "points" / str(index) if keys else folder
    runs = []
    for order, plan in enumerate(field(point, "plans", "list", where)):
        place = f"{where}.plans[{order}]"
        if not isinstance(plan, dict):
            raise InputError(f"{place}: expected an object")
        name = field(plan, "name", "text", place)
        if field(plan, "status", "text", place) not in STATUSES:
            raise InputError(
                f"{place}.status: '{plan['status']}' is unknown; expected one of {', '.join(STATUSES)}"
            )
        runs.append(Run(name, order, plan, base / "plans" / folder_name(name)))
    return Point(index, keys, runs)


def _load_scenario(results):
    path = results.folder / "scenario.yaml"
    try:
        results.scenario_text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        results.missing.append("scenario.yaml")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _load_tables(run):
    """Reads what the plan's folder holds. A plan that did not run need not have any of it."""
    run.was_read = True
    if not run.folder.is_dir():
        run.missing += [""] if run.ok else []
        return
    run.timeline = _table(run, "timeline.csv", _TIMELINE, _check_timeline, MOST_TIMELINE_ROWS)
    run.memory = _table(run, "memory.csv", _MEMORY, _check_memory)
    run.stages = _table(run, "stages.csv", _STAGES, _check_stages)
    run.stage_edges = _table(run, "stage_edges.csv", _STAGE_EDGES, None)
    run.links = _table(run, "links.csv", _LINKS, None)
    run.critical_path = _table(run, "critical_path.csv", _CRITICAL_PATH, _check_intervals)
    path = run.folder / "details.json"
    if path.is_file():
        run.details = read_json(path)
        _check_details(run.details, path)
    elif run.ok:
        run.missing.append("details.json")
    _check_edges(run)


def _table(run, name, columns, check, most_rows=None):
    path = run.folder / name
    if not path.exists():
        if run.ok:
            run.missing.append(name)
        return None
    table = read_table(path, columns, most_rows)
    if check is not None:
        check(table)
    return table


def _check_intervals(table):
    table.check("end_s", table["end_s"] >= table["start_s"], "an end that is not before the start")


def _check_timeline(table):
    _check_intervals(table)
    known = numpy.array([kind in palette.KINDS for kind in table["kind"]], dtype=bool)
    table.check("kind", known, f"one of {', '.join(palette.KINDS)}")


def _check_memory(table):
    device, time = table["device"], table["time_s"]
    order = numpy.argsort(device, kind="stable")
    back = (numpy.diff(time[order]) < 0) & (numpy.diff(device[order]) == 0)
    good = numpy.ones(len(table), dtype=bool)
    good[order[1:][back]] = False
    table.check("time_s", good, "times of a device in ascending order")


def _check_stages(table):
    good = numpy.array([_device_ids(text) is not None for text in table["devices"]], dtype=bool)
    table.check("devices", good, "device ids separated by blanks")
    table.check("micro_batch_samples", table["micro_batch_samples"] > 0, "at least 1")
    unique = numpy.zeros(len(table), dtype=bool)
    unique[numpy.unique(table["stage"], return_index=True)[1]] = True
    table.check("stage", unique, "every stage once")
    table.columns["device_ids"] = [_device_ids(text) for text in table["devices"]]


def _device_ids(text):
    parts = text.split()
    return [int(part) for part in parts] if all(part.isdecimal() for part in parts) else None


def _check_edges(run):
    if run.stages is None or run.stage_edges is None:
        return
    for column in ("from_stage", "to_stage"):
        known = numpy.isin(run.stage_edges[column], run.stages["stage"])
        run.stage_edges.check(column, known, "a stage of stages.csv")


def _check_details(details, path):
    _check_format(details, path)
    window = field(details, "window", "object", path, optional=True)
    if window is not None:
        for key in ("first_s", "last_s", "shown_instructions", "instructions"):
            field(window, key, "number", f"{path}: window")
    for index, device in enumerate(field(details, "devices", "list", path, optional=True) or []):
        where = f"{path}: devices[{index}]"
        if not isinstance(device, dict):
            raise InputError(f"{where}: expected an object")
        field(device, "device", "number", where)
        field(device, "name", "text", where, optional=True)
        for key in (
            "available_bytes",
            "needed_bytes",
            "peak_bytes",
            "peak_time_s",
            "peak_instruction",
        ):
            field(device, key, "number", where, optional=True)
        parts = field(device, "peak_parts_bytes", "object", where, optional=True) or {}
        for part in parts:
            field(parts, part, "number", f"{where}.peak_parts_bytes", optional=True)
