"""Numbers as people read them: a unit that suits the size, three or four digits."""

import math

_TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_BYTE_UNITS = (
    (2.0**40, "TiB"),
    (2.0**30, "GiB"),
    (2.0**20, "MiB"),
    (2.0**10, "KiB"),
    (1.0, "B"),
)
_RATE_UNITS = ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s"))
NONE = "–"


def time_unit(span_s):
    """(seconds per unit, name) of the unit in which a span of `span_s` seconds is best shown."""
    return _unit(span_s, _TIME_UNITS)


def byte_unit(size_bytes):
    """(bytes per unit, name) of the unit in which `size_bytes` is best shown."""
    return _unit(size_bytes, _BYTE_UNITS)


def seconds(value):
    """A duration, e.g. `53.1 ms`."""
    return _quantity(value, _TIME_UNITS)


def size(value):
    """A number of bytes, e.g. `1.5 GiB`."""
    return _quantity(value, _BYTE_UNITS)


def rate(value):
    """A bandwidth in bytes per second, e.g. `12.5 GB/s`; infinity is `no limit`."""
    return "no limit" if value == math.inf else _quantity(value, _RATE_UNITS)


def percent(value):
    """A fraction as a percentage, e.g. `18.2 %`."""
    return NONE if value is None else f"{100 * value:.1f} %"


def number(value):
    """A plain number with four digits, integers whole."""
    if value is None:
        return NONE
    if float(value).is_integer() and abs(value) < 1e7:
        return f"{int(value)}"
    return f"{value:.4g}"


def _unit(value, units):
    fitting = [unit for unit in units if abs(value) >= unit[0]]
    if value == 0:
        return next(unit for unit in units if unit[0] == 1.0)
    return fitting[0] if fitting else units[-1]


def _quantity(value, units):
    if value is None:
        return NONE
    factor, name = _unit(value, units)
    scaled = value / factor
    return f"{scaled:.4g} {name}" if abs(scaled) < 1e4 else f"{scaled:.0f} {name}"
