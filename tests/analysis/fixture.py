"""Makes a results folder (docs/file_formats.md) by its own arithmetic: 1F1B on a graph of stages.

Every stage has `replicas` devices that each take their share of a micro-batch. A message takes latency
plus bytes / bandwidth, messages of a channel one after the other. Not a simulator worth having: only
numbers that the tests can redo on paper.
"""

import csv
import json
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

MIB = 2**20


@dataclass
class Pipeline:
    """A plan to make results of; `successors[i]` lists the stages that stage i feeds."""

    name: str = "graph"
    successors: list = field(default_factory=lambda: [[1], [2], [3], []])
    micro_batches: int = 8
    samples: int = 4  # of a micro-batch
    forward_s: float = 1e-3
    backward_s: float = 2e-3
    message_bytes: int = 0
    latency_s: float = 0.0
    bandwidth: float = 10e9
    replicas: int = 1
    all_reduce_s: float = 0.0
    optimizer_s: float = 0.0
    stage_names: list = None
    activation_bytes: int = 64 * MIB
    parameter_bytes: int = 128 * MIB
    available_bytes: int = 4096 * MIB

    @property
    def stages(self):
        return range(len(self.successors))

    def devices(self, stage):
        return list(range(stage * self.replicas, (stage + 1) * self.replicas))

    def predecessors(self, stage):
        return [other for other in self.stages if stage in self.successors[other]]

    def to_sink(self, stage):
        """Stages on the longest path from `stage` to a sink: micro-batches in flight under 1F1B."""
        return 1 + max(
            (self.to_sink(next_stage) for next_stage in self.successors[stage]), default=0
        )

    def from_source(self, stage):
        return 1 + max((self.from_source(before) for before in self.predecessors(stage)), default=0)

    def order(self, stage):
        """The tasks of a stage, ("forward"|"backward", micro-batch)."""
        ahead = min(self.to_sink(stage), self.micro_batches)
        tasks = [("forward", number) for number in range(ahead)]
        for number in range(self.micro_batches):
            tasks.append(("backward", number))
            if ahead + number < self.micro_batches:
                tasks.append(("forward", ahead + number))
        return tasks


def simulate(plan):
    """Rows of timeline.csv, ordered by start, as dicts."""
    finished, channel_free, device_free, rows = {}, {}, {}, []
    pending = {stage: plan.order(stage) for stage in plan.stages}
    while any(pending.values()):
        for stage in plan.stages:
            while pending[stage] and all(
                need in finished for need in _needs(plan, stage, pending[stage][0])
            ):
                task = pending[stage].pop(0)
                ready = max([finished[need] for need in _needs(plan, stage, task)], default=0.0)
                start = max(ready, device_free.get(stage, 0.0))
                end = start + (plan.forward_s if task[0] == "forward" else plan.backward_s)
                device_free[stage] = end
                _add_compute(plan, rows, stage, task, (ready, start, end))
                _send_on(plan, stage, task, end, (finished, channel_free, rows))
    _finish(plan, rows, device_free)
    rows.sort(key=lambda row: (row["start_s"], row["device"], row["end_s"]))
    for number, row in enumerate(rows):
        row["instruction"] = number
    return rows


def _needs(plan, stage, task):
    """Messages (from, to, pass, micro-batch) a task waits for; the sink's backward needs none."""
    kind, number = task
    others = plan.predecessors(stage) if kind == "forward" else plan.successors[stage]
    return [(other, stage, kind, number) for other in others]


def _add_compute(plan, rows, stage, task, times):
    for device in plan.devices(stage):
        rows.append(_row(plan, device, "compute", task[0], stage, times, number=task[1]))


def _send_on(plan, stage, task, end, state):
    finished, channel_free, rows = state
    kind, number = task
    others = plan.successors[stage] if kind == "forward" else plan.predecessors(stage)
    duration = plan.latency_s + plan.message_bytes / plan.bandwidth
    for other in others:
        start = max(end, channel_free.get((stage, other), 0.0))
        channel_free[(stage, other)] = finished[(stage, other, kind, number)] = start + duration
        if duration == 0:
            continue
        times = (end, start, start + duration)
        for source, target in zip(plan.devices(stage), plan.devices(other)):
            lane = f"{source}->{target}"
            rows.append(_row(plan, source, lane, "send", stage, times, number, target))
            rows.append(_row(plan, target, lane, "recv", stage, times, number, source))


def _finish(plan, rows, device_free):
    for stage in plan.stages:
        end = device_free[stage]
        for device in plan.devices(stage):
            after = end
            if plan.all_reduce_s:
                after = end + plan.all_reduce_s
                rows.append(
                    _row(plan, device, f"group {stage}", "all_reduce", stage, (end, end, after))
                )
            if plan.optimizer_s:
                times = (after, after, after + plan.optimizer_s)
                rows.append(_row(plan, device, "compute", "optimizer", stage, times))


def _row(plan, device, lane, kind, stage, times, number=None, peer=""):
    moved = (
        plan.message_bytes
        if kind in ("send", "recv")
        else plan.parameter_bytes
        if kind == "all_reduce"
        else ""
    )
    return {
        "device": device,
        "lane": lane,
        "kind": kind,
        "stage": stage,
        "peer": peer,
        "first_sample": "" if number is None else number * plan.samples,
        "last_sample": "" if number is None else (number + 1) * plan.samples,
        "ready_s": times[0],
        "start_s": times[1],
        "end_s": times[2],
        "bytes": moved,
    }


def memory_rows(plan, rows):
    """Rows of memory.csv: parameters and gradients always, an activation from forward start to backward end."""
    changes = []
    for device in range(len(plan.successors) * plan.replicas):
        changes.append((device, 0.0, 0, 2 * plan.parameter_bytes))
    for row in rows:
        if row["kind"] == "forward":
            changes.append((row["device"], row["start_s"], 0, plan.activation_bytes))
        if row["kind"] == "backward":
            changes.append((row["device"], row["end_s"], 1, -plan.activation_bytes))
    held, memory = {}, []
    for device, time, _, change in sorted(changes):
        held[device] = held.get(device, 0) + change
        if memory and memory[-1]["device"] == device and memory[-1]["time_s"] == time:
            memory[-1]["bytes"] = (
                max(memory[-1]["bytes"], held[device]) if change > 0 else held[device]
            )
        else:
            memory.append({"device": device, "time_s": time, "bytes": held[device]})
    return memory


def critical_path(rows):
    """Rows of critical_path.csv: from the last instruction back to time 0, each begun by the one that ended then."""
    current = max(rows, key=lambda row: (row["end_s"], -row["instruction"]))
    chain = [current]
    while current["start_s"] > 0:
        before = [
            row
            for row in rows
            if row["end_s"] == current["start_s"]
            and row["start_s"] < row["end_s"]
            and _related(row, current)
        ]
        current = before[0]
        chain.append(current)
    return [
        {key: row[key] for key in ("instruction", "device", "kind", "stage", "start_s", "end_s")}
        | {"cause": "work"}
        for row in reversed(chain)
    ]


def _related(before, after):
    return before["device"] == after["device"] or after["first_sample"] == before["first_sample"]


def write_results(folder, points, scenario="fixture"):
    """Writes a results folder; `points` is a list of (point keys, plans). Returns the summary."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for index, (keys, plans) in enumerate(points):
        base = folder / "points" / str(index) if keys else folder
        entries.append(
            {"point": keys, "plans": [write_plan(base / "plans", plan) for plan in plans]}
        )
    summary = {"format": 1, "scenario": scenario, "points": entries}
    _write_json(folder / "summary.json", summary)
    _write_json(
        folder / "pipegraph.json", {"format": 1, "program": "pipegraph", "version": "0.1.0"}
    )
    (folder / "scenario.yaml").write_text(
        f"name: {scenario}\ntraining: {{mini_batch: 32}}  # <b>&\n"
    )
    return summary


def write_plan(plans, plan):
    """Writes one plan's folder under `plans`; returns its entry of summary.json."""
    folder = plans / quote(plan.name, safe="").replace("~", "%7E")
    folder.mkdir(parents=True, exist_ok=True)
    rows = simulate(plan)
    memory = memory_rows(plan, rows)
    path = critical_path(rows)
    summary = _summary(plan, rows, memory)
    _write_csv(folder / "timeline.csv", ["instruction", *rows[0].keys()][:12], rows)
    _write_csv(folder / "memory.csv", ["device", "time_s", "bytes"], memory)
    _write_csv(folder / "stages.csv", None, _stage_rows(plan))
    edges = [(stage, other) for stage in plan.stages for other in plan.successors[stage]]
    _write_csv(
        folder / "stage_edges.csv",
        ["from_stage", "to_stage", "bytes_per_sample"],
        [
            {
                "from_stage": stage,
                "to_stage": other,
                "bytes_per_sample": plan.message_bytes // plan.samples,
            }
            for stage, other in edges
        ],
    )
    _write_csv(
        folder / "links.csv",
        ["link", "bandwidth_bytes_per_s", "bytes", "utilisation"],
        _link_rows(plan, edges, summary["iteration_time_s"]),
    )
    _write_csv(folder / "critical_path.csv", None, path)
    _write_json(folder / "details.json", _details(plan, rows, memory, summary))
    return summary


def _stage_rows(plan):
    for stage in plan.stages:
        yield {
            "stage": stage,
            "name": plan.stage_names[stage] if plan.stage_names else f"s{stage}",
            "depth": plan.from_source(stage),
            "operators": 6,
            "devices": " ".join(map(str, plan.devices(stage))),
            "micro_batch_samples": plan.samples,
            "k": 1,
            "in_flight_samples": min(plan.to_sink(stage), plan.micro_batches) * plan.samples,
            "forward_s": plan.forward_s,
            "backward_s": plan.backward_s,
            "parameters_bytes": plan.parameter_bytes,
        }


def _link_rows(plan, edges, makespan):
    for stage, other in edges:
        for source, target in ((stage, other), (other, stage)):
            moved = plan.message_bytes * plan.micro_batches
            yield {
                "link": f"gpu{source}-gpu{target}",
                "bandwidth_bytes_per_s": plan.bandwidth,
                "bytes": moved,
                "utilisation": moved / (plan.bandwidth * makespan),
            }


def _busy(rows, device):
    kinds = ("forward", "backward", "optimizer")
    return sum(
        row["end_s"] - row["start_s"]
        for row in rows
        if row["device"] == device and row["kind"] in kinds
    )


def _exposed(rows, device):
    """Time between neighbouring starts and ends in which the device moves data and computes nothing."""
    mine = [row for row in rows if row["device"] == device]
    edges = sorted({row[key] for row in mine for key in ("start_s", "end_s")})
    exposed, running = 0.0, {"compute": 0, "move": 0}
    changes = sorted(
        (row[key], step, "move" if row["kind"] in ("send", "recv", "all_reduce") else "compute")
        for row in mine
        for key, step in (("start_s", 1), ("end_s", -1))
    )
    at = 0
    for begin, end in zip(edges, edges[1:]):
        while at < len(changes) and changes[at][0] <= begin:
            running[changes[at][2]] += changes[at][1]
            at += 1
        if running["move"] and not running["compute"]:
            exposed += end - begin
    return exposed


def _summary(plan, rows, memory):
    makespan = max(row["end_s"] for row in rows)
    devices = range(len(plan.successors) * plan.replicas)
    compute = [_busy(rows, device) for device in devices]
    exposed = [_exposed(rows, device) for device in devices]
    share = sum(compute) / (len(devices) * makespan)
    peaks = [max(row["bytes"] for row in memory if row["device"] == device) for device in devices]
    return {
        "name": plan.name,
        "planner": "manual",
        "kind": "graph",
        "status": "ok",
        "reason": None,
        "fits": True,
        "iteration_time_s": makespan,
        "throughput_samples_per_s": plan.micro_batches * plan.samples / makespan,
        "bubble_fraction": 1 - share,
        "bubble_overhead": 1 / share - 1,
        "depth": max(plan.from_source(stage) for stage in plan.stages),
        "stages": len(plan.successors),
        "devices": len(devices),
        "micro_batch_samples": plan.samples,
        "in_flight_samples": [plan.to_sink(stage) * plan.samples for stage in plan.stages],
        "peak_memory_bytes": peaks,
        "compute_s": compute,
        "exposed_communication_s": exposed,
        "idle_s": [makespan - busy - moving for busy, moving in zip(compute, exposed)],
        "search_time_s": None,
        "backend": "analytic",
        "instructions": len(rows),
        "simulation_time_s": 0.01,
    }


def _details(plan, rows, memory, summary):
    devices = []
    for device in range(summary["devices"]):
        peak = max((row for row in memory if row["device"] == device), key=lambda row: row["bytes"])
        cause = next(
            row
            for row in rows
            if row["device"] == device
            and row["kind"] == "forward"
            and row["start_s"] == peak["time_s"]
        )
        devices.append(
            {
                "device": device,
                "name": f"node{device // 4}/gpu{device % 4}",
                "compute_s": summary["compute_s"][device],
                "exposed_communication_s": summary["exposed_communication_s"][device],
                "idle_s": summary["idle_s"][device],
                "available_bytes": plan.available_bytes,
                "needed_bytes": peak["bytes"],
                "peak_bytes": peak["bytes"],
                "peak_time_s": peak["time_s"],
                "peak_instruction": cause["instruction"],
                "peak_kind": cause["kind"],
                "peak_stage": cause["stage"],
                "peak_first_sample": cause["first_sample"],
                "peak_last_sample": cause["last_sample"],
                "peak_parts_bytes": {
                    "parameters": plan.parameter_bytes,
                    "gradients": plan.parameter_bytes,
                    "optimizer_state": 0,
                    "activations": peak["bytes"] - 2 * plan.parameter_bytes,
                    "receive_slots": 0,
                    "send_buffers": 0,
                    "reserved": 0,
                },
            }
        )
    return {
        "format": 1,
        "makespan_s": summary["iteration_time_s"],
        "window": None,
        "devices": devices,
    }


def failed(name, status="out_of_memory", reason="stage 2 needs 91 GiB, device 5 has 80 GiB"):
    """The entry of summary.json of a plan that did not run."""
    return {
        "name": name,
        "planner": name,
        "kind": "graph",
        "status": status,
        "reason": reason,
        "fits": False,
    }


def _write_csv(path, columns, rows):
    rows = list(rows)
    columns = columns or list(rows[0])
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _write_json(path, value):
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
