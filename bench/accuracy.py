#!/usr/bin/env python3
"""Cross-checks many (model, plan) cases on this machine and writes docs/accuracy.md.

usage: bench/accuracy.py [--program build/release/apps/pipegraph] [--steps 24] [--output docs/accuracy.md]

Every model is one `pipegraph crosscheck` with all its plans, so that profile and measurement of all of
them take turns. Nothing else should run meanwhile; the page says how far that was true.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MINI_BATCH = 32
CLUSTER = "{shape: uniform, devices: 2, latency: 0 s, bandwidth: inf}"
HALVES = [["branch0.*", "branch1.*"], ["branch2.*", "branch3.*"]]


def plan(name, stages, devices, micro_batch, schedule="1f1b", kind="graph"):
    """A plan by hand: operator patterns and the device, or list of devices, of each stage."""
    lines = [
        f"  - {{name: {name}, planner: manual, kind: {kind}, schedule: {schedule}, "
        f"micro_batch: {micro_batch}, stages: ["
    ]
    for patterns, replicas in zip(stages, devices):
        quoted = ", ".join(f'"{pattern}"' for pattern in patterns)
        on = replicas if isinstance(replicas, list) else [replicas]
        lines.append(f"      {{operators: [{quoted}], devices: {on}}},")
    return "\n".join(lines) + "\n    ]}\n"


def two_branch_mlp():
    tail = ["concat", "tail.*", "output", "loss"]
    graph = [["branch0.*"], ["branch1.*"], tail]
    chain = [["branch0.*", "branch1.layer0", "branch1.input"], ["branch1.layer*", *tail]]
    uneven = [["branch0.input", "branch0.layer0"], ["branch0.layer*", "branch1.*", *tail]]
    return "{family: candle_uno, branches: 2, layers: 3, hidden: 1024, features: 1024, tail_layers: 1}", [
        plan("graph_b4", graph, [0, 1, 1], 4),
        plan("graph_gpipe_b8", graph, [0, 1, 1], 8, "gpipe"),
        plan("graph_b32", graph, [0, 1, 0], 32),
        plan("chain_b2", chain, [0, 1], 2, kind="sequential"),
        plan("chain_gpipe_b16", chain, [0, 1], 16, "gpipe", "sequential"),
        plan("uneven_b8", uneven, [0, 1], 8, kind="sequential"),
        plan("replicas_b16", [["*"]], [[0, 1]], 16),
        plan("replicated_tail_b8", graph, [0, 1, [0, 1]], 8),
    ]


def multi_branch_mlp():
    tail = ["concat", "tail.*", "output", "loss"]
    graph = [*HALVES, tail]
    chain = [["branch0.*", "branch1.*", "branch2.*"], ["branch3.*", *tail]]
    return "{family: candle_uno, branches: 4, layers: 2, hidden: 1024, features: 1024, tail_layers: 2}", [
        plan("graph_b1", graph, [0, 1, 1], 1),
        plan("graph_gpipe_b16", graph, [0, 1, 0], 16, "gpipe"),
        plan("chain_b4", chain, [0, 1], 4, kind="sequential"),
        plan("chain_b16", chain, [0, 1], 16, kind="sequential"),
    ]


def two_branch_transformer():
    end = ["concat", "loss"]
    graph = [["branch0.*"], ["branch1.*"], end]
    chain = [["branch0.*", "branch1.input", "branch1.layer0.*"], ["branch1.layer1.*", *end]]
    return "{family: two_branch_transformer, layers: 2, hidden: 160, heads: 4, sequence: 32}", [
        plan("graph_b2", graph, [0, 1, 1], 2),
        plan("graph_gpipe_b8", graph, [0, 1, 1], 8, "gpipe"),
        plan("chain_b1", chain, [0, 1], 1, kind="sequential"),
        plan("chain_b8", chain, [0, 1], 8, kind="sequential"),
        plan("replicas_b8", [["*"]], [[0, 1]], 8),
    ]


def multi_branch_transformer():
    end = ["concat", "loss"]
    graph = [*HALVES, end]
    uneven = [["branch0.*"], ["branch1.*", "branch2.*", "branch3.*", *end]]
    return (
        "{family: multimodal_transformer, branches: 4, layers: 1, hidden: 160, heads: 4, sequence: 24}",
        [
            plan("graph_b4", graph, [0, 1, 1], 4),
            plan("graph_gpipe_b16", graph, [0, 1, 0], 16, "gpipe"),
            plan("uneven_b4", uneven, [0, 1], 4, kind="sequential"),
        ],
    )


def dlrm():
    top = ["concat", "top.*", "output", "loss"]
    graph = [["dense*"], ["sparse*"], top]
    chain = [["dense*", "sparse*"], top]
    return (
        "{family: dlrm, dense_branches: 2, dense_layers: 2, hidden: 1024, dense_features: 1024, "
        "sparse_branches: 4, table_rows: 2000, embedding: 32, bag: 8, top_layers: 2}",
        [
            plan("graph_b4", graph, [0, 1, 1], 4),
            plan("graph_gpipe_b16", graph, [0, 1, 1], 16, "gpipe"),
            plan("chain_b2", chain, [0, 1], 2, kind="sequential"),
            plan("chain_b16", chain, [0, 1], 16, kind="sequential"),
            plan("replicated_top_b16", [["dense*", "sparse*"], top], [0, [0, 1]], 16),
        ],
    )


def candle_uno():
    tail = ["concat", "tail.*", "output", "loss"]
    left = [f"branch{i}.*" for i in range(3)]
    right = [f"branch{i}.*" for i in range(3, 7)]
    return "{family: candle_uno, layers: 2, hidden: 1024, features: 1024, tail_layers: 2}", [
        plan("graph_b8", [left, right, tail], [0, 1, 0], 8),
        plan("chain_b8", [left + right, tail], [0, 1], 8, kind="sequential"),
        plan("chain_gpipe_b4", [left + right, tail], [0, 1], 4, "gpipe", "sequential"),
    ]


def towers():
    whole = [["tower0.*"], ["tower1.*"]]
    fronts = [[f"tower{i}.input", f"tower{i}.layer0", f"tower{i}.layer1"] for i in range(2)]
    backs = [[f"tower{i}.layer*", f"tower{i}.output", f"tower{i}.loss"] for i in range(2)]
    four = [fronts[0], backs[0], fronts[1], backs[1]]
    return "{family: towers, layers: 4, inputs: 1280, hidden: 1280, outputs: 16}", [
        plan("graph_b8", whole, [0, 1], 8),
        plan("chain_b8", whole, [0, 1], 8, kind="sequential"),
        plan("graph_b32", whole, [0, 1], 32),
        plan("chain_b32", whole, [0, 1], 32, kind="sequential"),
        plan("four_stages_b4", four, [0, 1, 1, 0], 4),
        plan("four_stages_gpipe_b8", four, [0, 1, 1, 0], 8, "gpipe"),
    ]


MODELS = {
    "MLP, two branches": two_branch_mlp,
    "MLP, four branches": multi_branch_mlp,
    "transformer, two branches": two_branch_transformer,
    "transformer, four branches": multi_branch_transformer,
    "DLRM": dlrm,
    "CANDLE-Uno": candle_uno,
    "two towers": towers,
}


def crosscheck(program, name, model, plans, options, folder):
    """The comparison of one model's plans, with the load of the machine before and after."""
    scenario = folder / "scenario.yaml"
    scenario.write_text(
        f"name: accuracy\nmodel: {model}\ncluster: {CLUSTER}\n"
        f"training: {{mini_batch: {MINI_BATCH}, optimizer: sgd}}\nplans:\n" + "".join(plans),
        encoding="utf-8",
    )
    before = os.getloadavg()[0]
    words = [program, "crosscheck", scenario, "-o", folder / "out", "--no-report"]
    words += ["--format", "json", "--steps", str(options.steps), "--blocks", str(options.blocks)]
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"accuracy: {name}: exit code {done.returncode}")
    measured = json.loads((folder / "out/measured/summary.json").read_text(encoding="utf-8"))
    by_name = {entry["name"]: entry for entry in measured["points"][0]["plans"]}
    rows = []
    for pair in json.loads(done.stdout)["plans"]:
        rows.append(
            {
                "model": name,
                "plan": pair["plan_a"],
                "predicted": pair["iteration_time_a_s"],
                "measured": pair["iteration_time_b_s"],
                "error": pair["iteration_time_a_s"] / pair["iteration_time_b_s"] - 1,
                "details": by_name[pair["plan_b"]]["measured"],
                "parts": pair["times"],
            }
        )
    return rows, (before, os.getloadavg()[0])


def ranking(rows):
    """(right, all) pairs of one model's plans whose measured times differ by more than 5 %."""
    right = pairs = 0
    for index, one in enumerate(rows):
        for other in rows[index + 1 :]:
            low, high = sorted((one["measured"], other["measured"]))
            if one["model"] != other["model"] or high <= 1.05 * low:
                continue
            pairs += 1
            measured = one["measured"] < other["measured"]
            right += (one["predicted"] < other["predicted"]) == measured
    return right, pairs


def percentile(values, share):
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def by_part(rows):
    """Sum over all cases of each kind of part, predicted and measured."""
    sums = {}
    for row in rows:
        for part in row["parts"]:
            key = part["part"]
            if key == "pass":
                key = f"pass: {part['what'].rsplit(' ', 1)[-1]}"
            first, second = sums.get(key, (0.0, 0.0))
            sums[key] = (first + part["a_s"], second + part["b_s"])
    return sums


def page(rows, loads, options, machine):
    """The text of docs/accuracy.md."""
    errors = [abs(row["error"]) for row in rows]
    right, pairs = ranking(rows)
    unsure = sum(1 for row in rows if row["details"]["no_verdict"])
    signed = statistics.median(row["error"] for row in rows)
    lines = [
        "# Accuracy of predictions",
        "",
        "How well `pipegraph crosscheck` predicts the iteration time of a plan on cpu devices. Made by "
        "`bench/accuracy.py`; do not edit.",
        "",
        f"* machine: {machine['cpu']}, {machine['cores']} usable cores, {machine['blas'] or 'no BLAS'}",
        f"* {len(rows)} cases on two devices, mini-batch {MINI_BATCH}, {options.steps} steps each in "
        f"{options.blocks} blocks of profile and measurement",
        f"* load average (1 minute) while measuring: {min(map(min, loads)):.1f} to {max(map(max, loads)):.1f}",
        "",
        "| figure | value | bar, on a quiet machine |",
        "|---|---|---|",
        f"| median absolute error | {100 * statistics.median(errors):.1f} % | 3 % |",
        f"| 90th percentile | {100 * percentile(errors, 0.9):.1f} % | 10 % |",
        f"| worst | {100 * max(errors):.1f} % | |",
        f"| median signed error | {100 * signed:+.1f} % | |",
        f"| pairs that differ by more than 5 %, ranked right | {right} of {pairs} | 95 % |",
        f"| cases without a verdict, because the machine was disturbed | {unsure} of {len(rows)} | 0 |",
        "",
    ]
    if unsure:
        lines += [
            "**The machine was busy with other things**: figures of cases without a verdict are shown to be "
            "looked at, and prove nothing.",
            "",
        ]
    lines += [
        "| model | plan | predicted | measured | quartiles | error | verdict |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        spread = row["details"]["untraced"]
        quartiles = f"{1e3 * spread['lower_quartile_s']:.1f} ... {1e3 * spread['upper_quartile_s']:.1f} ms"
        verdict = "no verdict" if row["details"]["no_verdict"] else "ok"
        lines.append(
            f"| {row['model']} | {row['plan']} | {1e3 * row['predicted']:.1f} ms "
            f"| {1e3 * row['measured']:.1f} ms | {quartiles} | {100 * row['error']:+.1f} % | {verdict} |"
        )
    lines += [
        "",
        "## Which kinds of instruction are off",
        "",
        "Sums over all cases, predicted and measured in traced steps. Waiting is not work: it shows where "
        "errors of other parts end up.",
        "",
        "| part | predicted | measured | error |",
        "|---|---|---|---|",
    ]
    for part, (first, second) in by_part(rows).items():
        error = f"{100 * (first / second - 1):+.1f} %" if second > 0 else ""
        lines.append(f"| {part} | {1e3 * first:.1f} ms | {1e3 * second:.1f} ms | {error} |")
    return "\n".join(lines) + "\n"


def machine_of(costs):
    """The machine line of a cost file, without a YAML reader: names are quoted or plain."""
    text = next(line for line in costs.read_text().splitlines() if line.startswith("machine:"))
    found = {}
    for key, last in (("cpu", "cores"), ("cores", "blas"), ("blas", "blas_core")):
        start = text.index(f"{key}: ") + len(key) + 2
        found[key] = text[start : text.index(f", {last}: ", start)].strip('"')
    return found


def main():
    parser = argparse.ArgumentParser(description="Writes docs/accuracy.md.")
    parser.add_argument("--program", default=ROOT / "build/release/apps/pipegraph")
    parser.add_argument("--output", default=ROOT / "docs/accuracy.md", type=Path)
    parser.add_argument("--steps", default=24, type=int)
    parser.add_argument("--blocks", default=4, type=int)
    parser.add_argument("--only", help="models whose name contains this")
    options = parser.parse_args()
    rows, loads, machine = [], [], {}
    with tempfile.TemporaryDirectory() as place:
        for name, make in MODELS.items():
            if options.only and options.only not in name:
                continue
            model, plans = make()
            folder = Path(place) / name.replace(" ", "_").replace(",", "")
            folder.mkdir()
            more, load = crosscheck(options.program, name, model, plans, options, folder)
            rows += more
            loads.append(load)
            machine = machine_of(folder / "out/costs.yaml")
            print(f"{name}: {len(more)} plans, load {load[0]:.1f} to {load[1]:.1f}", file=sys.stderr)
            options.output.write_text(page(rows, loads, options, machine), encoding="utf-8")


if __name__ == "__main__":
    main()
