"""Two results side by side: which plans belong together, and how long the same things took in both."""

from dataclasses import dataclass

import numpy

from analysis.files import InputError

MOST_POINTS = 20_000


@dataclass
class Pair:
    """A plan of the first result and its partner in the second."""

    name: str
    first: object
    second: object


@dataclass
class Joined:
    """Durations of the same things in both results, a row each; `level` says what the things are."""

    level: str
    kinds: numpy.ndarray
    first_s: numpy.ndarray
    second_s: numpy.ndarray


def pairs(first, second):
    """Plans of one name that ran in both; if both have one plan, these two.

    Raises InputError if there is none.
    """
    runs = [run for run in first.points[0].runs if run.ok]
    others = [run for run in second.points[0].runs if run.ok]
    if len(runs) == 1 and len(others) == 1:
        name = runs[0].name
        if others[0].name != name:
            name = f"{name} : {others[0].name}"
        return [Pair(name, runs[0], others[0])]
    by_name = {run.name: run for run in others}
    found = [Pair(run.name, run, by_name[run.name]) for run in runs if run.name in by_name]
    if not found:
        raise InputError(f"{first.folder} and {second.folder} have no plan in common that ran")
    return found


def join(pair):
    """How long instructions took in both, by id where the programs are equal, else means by stage and kind.

    None where a timeline is absent.
    """
    one, other = pair.first.timeline, pair.second.timeline
    if one is None or other is None or not len(one) or not len(other):
        return None
    hashes = [run.summary.get("program_hash") for run in (pair.first, pair.second)]
    if hashes[0] and hashes[0] == hashes[1]:
        return _by_instruction(one, other)
    return _by_stage_and_kind(pair)


def _by_instruction(one, other):
    _, at, other_at = numpy.intersect1d(
        one["instruction"], other["instruction"], assume_unique=True, return_indices=True
    )
    step = max(1, -(-len(at) // MOST_POINTS))
    at, other_at = at[::step], other_at[::step]
    kinds = numpy.array(one["kind"], dtype=object)[at]
    return Joined("instruction", kinds, _durations(one)[at], _durations(other)[other_at])


def _by_stage_and_kind(pair):
    means = [_means(run) for run in (pair.first, pair.second)]
    keys = [key for key in means[0] if key in means[1]]
    return Joined(
        "mean by stage and kind",
        numpy.array([kind for _, kind in keys], dtype=object),
        numpy.array([means[0][key] for key in keys]),
        numpy.array([means[1][key] for key in keys]),
    )


def _means(run):
    """(stage name, kind) -> mean duration."""
    names = {}
    if run.stages is not None:
        names = dict(zip(run.stages["stage"].tolist(), run.stages["name"]))
    times = {}
    for stage, kind, duration in zip(
        run.timeline["stage"].tolist(), run.timeline["kind"], _durations(run.timeline).tolist()
    ):
        times.setdefault((names.get(stage, str(stage)), kind), []).append(duration)
    return {key: sum(values) / len(values) for key, values in times.items()}


def _durations(timeline):
    return timeline["end_s"] - timeline["start_s"]
