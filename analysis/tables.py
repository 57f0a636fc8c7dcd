"""The report's tables: figures of plans, stages, devices' memory and time, links, critical path.

A table is a dict: `head` (texts), `rows` (lists of texts), `note` (text or ""). Its first `names` columns
are names, the others numbers.
"""

from analysis import palette, quantities

MOST_ROWS = 64
MOST_LINKS = 20


def plans(point):
    """Key figures, a row per plan of `point`."""
    best = max(
        (run.value("throughput_samples_per_s") or 0.0 for run in point.runs if run.ok), default=0.0
    )
    head = [
        "plan",
        "kind",
        "status",
        "iteration time",
        "samples/s",
        "of the best",
        "bubble fraction",
    ]
    head += [
        "bubble overhead",
        "depth",
        "stages",
        "devices",
        "micro-batch",
        "highest peak memory",
        "fits",
    ]
    rows = []
    for run in point.runs:
        throughput = run.value("throughput_samples_per_s")
        counts = [
            quantities.number(run.value(key))
            for key in ("depth", "stages", "devices", "micro_batch_samples")
        ]
        rows.append(
            [
                run.name,
                _text(run, "kind"),
                _status(run),
                quantities.seconds(run.makespan_s),
                quantities.number(throughput),
                quantities.percent(throughput / best if throughput and best else None),
                quantities.percent(run.value("bubble_fraction")),
                quantities.percent(run.value("bubble_overhead")),
                *counts,
                quantities.size(max(run.values("peak_memory_bytes"), default=None)),
                {True: "yes", False: "no"}.get(run.summary.get("fits"), quantities.NONE),
            ]
        )
    return _table(head, rows, names=3)


def search(point):
    """How each plan was found and simulated."""
    head = [
        "plan",
        "planner",
        "objective",
        "searched",
        "backend",
        "above its lower bound",
        "busiest device (per sample)",
        "search time",
        "transfer time",
        "instructions",
    ]
    head += ["simulation time", "unused devices"]
    rows = []
    for run in point.runs:
        objective = run.summary.get("objective")
        found = run.summary.get("search")
        found = found if isinstance(found, dict) else {}
        goal = quantities.NONE
        if isinstance(objective, dict) and _number(objective.get("value")) is not None:
            goal = f"{objective.get('name')} = {quantities.number(objective['value'])}"
        unused = " ".join(str(device) for device in run.values("unused_devices"))
        rows.append(
            [
                run.name,
                _text(run, "planner"),
                goal,
                str(found.get("family") or quantities.NONE),
                _text(run, "backend"),
                quantities.percent(_number(found.get("gap"))),
                quantities.seconds(run.value("busiest_device_s_per_sample")),
                quantities.seconds(run.value("search_time_s")),
                quantities.seconds(run.value("transfer_time_s")),
                quantities.number(run.value("instructions")),
                quantities.seconds(run.value("simulation_time_s")),
                unused or "none",
            ]
        )
    return _table(head, rows, names=5)


def _number(value):
    """`value` if it is a number, else None."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def sweep(points):
    """Throughput of every plan at every point."""
    keys = list(dict.fromkeys(key for point in points for key in point.keys))
    names = list(dict.fromkeys(run.name for point in points for run in point.runs))
    rows = []
    for point in points:
        by_name = {run.name: run for run in point.runs}
        cells = [str(point.keys.get(key, quantities.NONE)) for key in keys]
        for name in names:
            run = by_name.get(name)
            cells.append(
                quantities.NONE
                if run is None
                else quantities.number(run.value("throughput_samples_per_s"))
                if run.ok
                else run.summary["status"].replace("_", " ")
            )
        rows.append([str(point.index), *cells])
    return _table(["point", *keys, *(f"{name} (samples/s)" for name in names)], rows, names=1)


def stages(run):
    table = run.stages
    head = [
        "stage",
        "depth",
        "operators",
        "devices",
        "micro-batch",
        "k",
        "in flight",
        "forward",
        "backward",
        "parameters",
    ]
    rows = []
    for row in range(len(table)):
        counts = [
            str(table[name][row]) for name in ("micro_batch_samples", "k", "in_flight_samples")
        ]
        rows.append(
            [
                table["name"][row],
                quantities.NONE if table["depth"][row] < 0 else str(table["depth"][row]),
                str(table["operators"][row]),
                table["devices"][row] or "none",
                *counts,
                quantities.seconds(table["forward_s"][row]),
                quantities.seconds(table["backward_s"][row]),
                quantities.size(table["parameters_bytes"][row]),
            ]
        )
    return _table(head, rows, rest="stages.csv")


def devices(run):
    """Where each device's time goes."""
    ids = _device_ids(run)
    columns = [run.values(key) for key in ("compute_s", "exposed_communication_s", "idle_s")]
    head = ["device", "computing", "exposed communication", "idle", "computing, share"]
    rows = []
    for device, *parts in zip(ids, *columns):
        share = parts[0] / sum(parts) if sum(parts) > 0 else None
        rows.append(
            [_device_name(run, device), *map(quantities.seconds, parts), quantities.percent(share)]
        )
    return _table(head, rows, rest="summary.json")


def memory(run):
    """The peak of every device: when, in which instruction, and of what it consists."""
    names = stage_names(run)
    entries = run.details.get("devices") or []
    parts = [
        part
        for part in palette.MEMORY_PARTS
        if any((entry.get("peak_parts_bytes") or {}).get(part) for entry in entries)
    ]
    head = [
        "device",
        "peak",
        "of",
        "used",
        "needed by the program",
        "at",
        "during",
        *(part.replace("_", " ") for part in parts),
    ]
    rows = []
    for entry in entries:
        peak, available = entry.get("peak_bytes"), entry.get("available_bytes")
        held = entry.get("peak_parts_bytes") or {}
        rows.append(
            [
                _device_name(run, int(entry["device"])),
                quantities.size(peak),
                "no limit" if available is None else quantities.size(available),
                quantities.percent(peak / available if peak is not None and available else None),
                quantities.size(entry.get("needed_bytes")),
                quantities.seconds(entry.get("peak_time_s")),
                _during(entry, names),
                *(quantities.size(held.get(part)) for part in parts),
            ]
        )
    return _table(head, rows, rest="details.json")


def links(run):
    """The busiest links."""
    table = run.links
    order = sorted(
        range(len(table)), key=lambda row: (-table["utilisation"][row], table["link"][row])
    )
    rows = [
        [
            table["link"][row],
            quantities.percent(table["utilisation"][row]),
            quantities.size(table["bytes"][row]),
            quantities.rate(table["bandwidth_bytes_per_s"][row]),
        ]
        for row in order
    ]
    return _table(
        ["link", "utilisation", "moved", "bandwidth"], rows, most=MOST_LINKS, rest="links.csv"
    )


def critical_path(run):
    """Time on the critical path per kind (rows) and cause (columns)."""
    return _critical_path(run, "kind", run.critical_path["kind"])


def critical_path_stages(run):
    """Time on the critical path per stage (rows) and cause (columns)."""
    names = stage_names(run)
    stages_on_it = [
        names.get(stage, f"stage {stage}") if stage >= 0 else "none"
        for stage in run.critical_path["stage"].tolist()
    ]
    return _critical_path(run, "stage", stages_on_it)


def path_sums(run, groups):
    """{(group, cause): seconds} over the rows of the critical path, in order of appearance."""
    path = run.critical_path
    sums = {}
    for group, cause, length in zip(
        groups, path["cause"], (path["end_s"] - path["start_s"]).tolist()
    ):
        sums[(group, cause)] = sums.get((group, cause), 0.0) + length
    return sums


def stage_names(run):
    if run.stages is None:
        return {}
    return dict(zip(run.stages["stage"].tolist(), run.stages["name"]))


def _critical_path(run, first, groups):
    sums = path_sums(run, groups)
    causes = sorted({cause for _, cause in sums}, key=lambda cause: (cause != "work", cause))
    whole = sum(sums.values())
    totals = {}
    for (group, _), length in sums.items():
        totals[group] = totals.get(group, 0.0) + length
    rows = []
    for group, length in sorted(totals.items(), key=lambda item: -item[1]):
        by_cause = [quantities.seconds(sums.get((group, cause))) for cause in causes]
        rows.append(
            [
                group.replace("_", " "),
                *by_cause,
                quantities.seconds(length),
                quantities.percent(length / whole if whole else None),
            ]
        )
    return _table([first, *causes, "sum", "share"], rows, rest="critical_path.csv")


def _during(entry, names):
    kind, stage = entry.get("peak_kind"), entry.get("peak_stage")
    if kind is None:
        return quantities.NONE
    text = str(kind).replace("_", " ")
    if isinstance(stage, int):
        text += f" of {names.get(stage, f'stage {stage}')}"
    first, last = entry.get("peak_first_sample"), entry.get("peak_last_sample")
    if first is not None and last is not None:
        text += f", samples [{first}, {last})"
    if entry.get("peak_instruction") is not None:
        text += f" (instruction {entry['peak_instruction']})"
    return text


def _device_ids(run):
    if run.details and run.details.get("devices"):
        return [int(entry["device"]) for entry in run.details["devices"]]
    if run.timeline is not None:
        return sorted(set(run.timeline["device"].tolist()))
    return list(range(len(run.values("compute_s"))))


def _device_name(run, device):
    for entry in (run.details or {}).get("devices") or []:
        if entry["device"] == device and entry.get("name"):
            return f"{device} ({entry['name']})"
    return str(device)


def _status(run):
    return run.summary["status"].replace("_", " ")


def _text(run, key):
    return str(run.summary.get(key) or quantities.NONE)


def _table(head, rows, names=1, most=MOST_ROWS, rest=""):
    left = len(rows) - most
    note = (
        f"{left} more rows: see {rest}"
        if left > 0 and rest
        else f"{left} more rows"
        if left > 0
        else ""
    )
    return {"head": head, "rows": rows[:most], "names": names, "note": note}
