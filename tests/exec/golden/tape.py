"""Reverse-mode differentiation in float64 over a handful of numpy operations.

Layers are written as compositions of these, so that no derivative of a layer is worked out by hand.
"""

import numpy as np


class Value:
    """An array, and how a gradient of it flows on to what it was computed from."""

    def __init__(self, array, sources=()):
        self.array = np.asarray(array, dtype=np.float64)
        self.sources = sources  # pairs of a Value and a function from this gradient to its
        self.gradient = np.zeros_like(self.array)

    def __add__(self, other):
        return Value(self.array + other.array,
                     [(self, lambda g: summed_to(g, self)), (other, lambda g: summed_to(g, other))])

    def __sub__(self, other):
        return Value(self.array - other.array,
                     [(self, lambda g: summed_to(g, self)), (other, lambda g: summed_to(-g, other))])

    def __mul__(self, other):
        return Value(self.array * other.array,
                     [(self, lambda g: summed_to(g * other.array, self)),
                      (other, lambda g: summed_to(g * self.array, other))])

    def __matmul__(self, other):
        return Value(self.array @ other.array,
                     [(self, lambda g: summed_to(g @ np.swapaxes(other.array, -1, -2), self)),
                      (other, lambda g: summed_to(np.swapaxes(self.array, -1, -2) @ g, other))])

    def times(self, factor):
        return Value(self.array * factor, [(self, lambda g: g * factor)])

    def power(self, exponent):
        return Value(self.array**exponent,
                     [(self, lambda g: g * exponent * self.array**(exponent - 1))])

    def tanh(self):
        result = np.tanh(self.array)
        return Value(result, [(self, lambda g: g * (1.0 - result**2))])

    def exp(self):
        result = np.exp(self.array)
        return Value(result, [(self, lambda g: g * result)])

    def log(self):
        return Value(np.log(self.array), [(self, lambda g: g / self.array)])

    def positive(self):
        return Value(np.maximum(self.array, 0.0), [(self, lambda g: g * (self.array > 0.0))])

    def sum(self, axis):
        return Value(self.array.sum(axis=axis, keepdims=True),
                     [(self, lambda g: np.broadcast_to(g, self.array.shape))])

    def mean(self, axis):
        return self.sum(axis).times(1.0 / self.array.shape[axis])

    def reshape(self, *shape):
        return Value(self.array.reshape(shape), [(self, lambda g: g.reshape(self.array.shape))])

    def transpose(self, *axes):
        return Value(self.array.transpose(axes), [(self, lambda g: g.transpose(np.argsort(axes)))])

    def at(self, key):
        """Indexing of any kind that numpy knows."""

        def scatter(g):
            into = np.zeros_like(self.array)
            np.add.at(into, key, g)
            return into

        return Value(self.array[key], [(self, scatter)])


def concatenate(parts):
    """Along the last axis."""
    ends = np.cumsum([part.array.shape[-1] for part in parts])
    sources = [(part, lambda g, end=end, width=part.array.shape[-1]: g[..., end - width:end])
               for part, end in zip(parts, ends)]
    return Value(np.concatenate([part.array for part in parts], axis=-1), sources)


def summed_to(gradient, value):
    """Undoes numpy's broadcasting of `value`."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - value.array.ndim)))
    stretched = [axis for axis, size in enumerate(value.array.shape)
                 if size == 1 and gradient.shape[axis] > 1]
    return gradient.sum(axis=tuple(stretched), keepdims=True)


def differentiate(result):
    """Fills the gradients of everything that `result`, a single number, was computed from."""
    order, seen = [], set()

    def visit(value):
        if id(value) in seen:
            return
        seen.add(id(value))
        for source, _ in value.sources:
            visit(source)
        order.append(value)

    visit(result)
    result.gradient = np.ones_like(result.array)
    for value in reversed(order):
        for source, flow in value.sources:
            source.gradient = source.gradient + flow(value.gradient)
