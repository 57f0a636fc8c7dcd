"""Places the nodes of a directed acyclic graph in layers (Sugiyama's scheme): longest-path layers, edges
that skip layers bent around the nodes there, order inside a layer by barycentres."""

from dataclasses import dataclass

_SWEEPS = 8


@dataclass
class Layout:
    """`layer` and `place` (from 0, may be fractional) per node; per edge its bends [(layer, place)]."""

    layer: dict
    place: dict
    bends: dict
    layers: int
    breadth: int  # places needed by the fullest layer


def arrange(nodes, edges, bend=True):
    """Layout of `nodes` (ids) and `edges` (pairs of ids; cycles are broken by ignoring an edge)."""
    layer = _longest_path_layers(nodes, edges)
    rows = [[] for _ in range(max(layer.values(), default=0) + 1)]
    for node in nodes:
        rows[layer[node]].append(node)
    links, chains = [], {}
    for edge in edges:
        source, target = edge
        chain = [source]
        if bend:
            for between in range(layer[source] + 1, layer[target]):
                rows[between].append((edge, between))
                chain.append((edge, between))
        chain.append(target)
        chains[edge] = chain
        links += zip(chain, chain[1:])
    _order_by_barycentre(rows, links)
    breadth = max((len(row) for row in rows), default=0)
    place = _straighten(rows, links, breadth)
    bends = {
        edge: [(inner[1], place[inner]) for inner in chain[1:-1]] for edge, chain in chains.items()
    }
    return Layout(layer, {node: place[node] for node in nodes}, bends, len(rows), breadth)


def _longest_path_layers(nodes, edges):
    successors = {node: [] for node in nodes}
    missing = {node: 0 for node in nodes}
    for source, target in edges:
        successors[source].append(target)
        missing[target] += 1
    layer = {node: 0 for node in nodes}
    ready = [node for node in nodes if missing[node] == 0]
    while ready:
        node = ready.pop(0)
        for target in successors[node]:
            layer[target] = max(layer[target], layer[node] + 1)
            missing[target] -= 1
            if missing[target] == 0:
                ready.append(target)
    return layer


def _neighbours(links):
    before, after = {}, {}
    for source, target in links:
        after.setdefault(source, []).append(target)
        before.setdefault(target, []).append(source)
    return before, after


def _order_by_barycentre(rows, links):
    """Sweeps down and up, sorting each layer by the mean place of its neighbours in the layer before."""
    before, after = _neighbours(links)
    place = {node: at for row in rows for at, node in enumerate(row)}
    for sweep in range(_SWEEPS):
        neighbours = before if sweep % 2 == 0 else after
        for row in rows if sweep % 2 == 0 else reversed(rows):
            row.sort(
                key=lambda node: (
                    _mean(place, neighbours.get(node)) if neighbours.get(node) else place[node]
                )
            )
            for at, node in enumerate(row):
                place[node] = at


def _mean(place, nodes):
    return sum(place[node] for node in nodes) / len(nodes)


def _straighten(rows, links, breadth):
    """Places that keep each layer's order, at least 1 apart, drawn towards the neighbours' mean."""
    before, after = _neighbours(links)
    place = {}
    for row in rows:
        for at, node in enumerate(row):
            place[node] = at + (breadth - len(row)) / 2
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wished = []
            for node in row:
                near = before.get(node, []) + after.get(node, [])
                wished.append(_mean(place, near) if near else place[node])
            for node, at in zip(row, spread(wished, breadth)):
                place[node] = at
    return place


def spread(wished, breadth):
    """The places in [0, breadth - 1], at least 1 apart and in order, that are nearest to `wished`.

    Least squares by pooling adjacent violators on wished[i] - i.
    """
    blocks = []
    for at, wish in enumerate(wished):
        blocks.append([wish - at, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            value, count = blocks.pop()
            blocks[-1] = [
                (blocks[-1][0] * blocks[-1][1] + value * count) / (blocks[-1][1] + count),
                blocks[-1][1] + count,
            ]
    shifted = [value for value, count in blocks for _ in range(count)]
    highest = breadth - len(wished)
    return [at + min(max(value, 0.0), highest) for at, value in enumerate(shifted)]
