"""The random numbers of exec/kernels/random.h in numpy: a number is a function of seed, name and index."""

import numpy as np

SEED = 7


def mix_bits(z):
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def bits(name, count, seed=SEED):
    """The first `count` 64-bit numbers of a stream."""
    mask = (1 << 64) - 1
    start = 0xCBF29CE484222325
    for byte in name.encode():
        start = (start ^ byte) * 0x100000001B3 & mask
    start = np.array([start ^ (seed * 0xD1342543DE82EF95 & mask)], dtype=np.uint64)
    index = np.arange(1, count + 1, dtype=np.uint64)
    return mix_bits(mix_bits(start) + index * np.uint64(0x9E3779B97F4A7C15))


def symmetric(name, shape, bound=1.0):
    """In [-bound, bound), rounded to float32 and then widened."""
    high = (bits(name, int(np.prod(shape))) >> np.uint64(40)).astype(np.int64)
    unit = ((high - (1 << 23)) * 2.0**-23).astype(np.float32)
    return (np.float32(bound) * unit).astype(np.float64).reshape(shape)


def below(name, shape, limit):
    """Whole numbers in [0, limit)."""
    high = bits(name, int(np.prod(shape))) >> np.uint64(32)
    return ((high * np.uint64(limit)) >> np.uint64(32)).astype(np.int64).reshape(shape)
