"""Swept maps and lists by what differs in them: `cluster.nics` with four maps that differ in their
bandwidth alone becomes `cluster.nics.bandwidth` with four bandwidths."""

import json


def by_difference(entries):
    """Keys of the points of a sweep -> the same with maps and lists replaced by what differs in them.

    A key whose values are maps or lists (as JSON texts) that differ in one value gets that value's
    path; of several the values are named, as in "memory = 8 GiB, slowdown = 2". What does not differ
    anywhere stays as it is.
    """
    names = list(dict.fromkeys(name for entry in entries for name in entry))
    replaced = {name: _replaced(name, [entry.get(name) for entry in entries]) for name in names}
    return [
        {replaced[name][0]: replaced[name][1][index] for name in names if name in entry}
        for index, entry in enumerate(entries)
    ]


def _replaced(name, values):
    """(The key's new name, its values by point)."""
    leaves = [_leaves(value) for value in values]
    if any(found is None for found in leaves):
        return name, values
    paths = list(dict.fromkeys(path for found in leaves for path in found))
    differing = [
        path for path in paths if len({json.dumps(found.get(path)) for found in leaves}) > 1
    ]
    if not differing:
        return name, values
    if len(differing) == 1 and all(differing[0] in found for found in leaves):
        return name + differing[0], [found[differing[0]] for found in leaves]
    return name, [_text(found, differing) for found in leaves]


def _text(leaves, paths):
    texts = [f"{path.lstrip('.')} = {leaves[path]}" for path in paths if path in leaves]
    return ", ".join(texts) or "none"


def _leaves(value):
    """Path -> value of everything in a map or list; None of other values."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return None
    try:
        parsed = json.loads(value)
    except ValueError:
        return None
    return _collected(parsed, "") if isinstance(parsed, (dict, list)) else None


def _collected(value, path):
    if isinstance(value, dict):
        inside = [(f"{path}.{key}", child) for key, child in value.items()]
    elif isinstance(value, list):
        inside = [(f"{path}[{index}]", child) for index, child in enumerate(value)]
    else:
        return {path: value}
    found = {}
    for name, child in inside:
        found.update(_collected(child, name))
    return found
