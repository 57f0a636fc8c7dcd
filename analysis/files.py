"""Reads CSV and JSON so that every fault names file, line and column; writes whole files."""

import contextlib
import csv
import json
import math
import os
from dataclasses import dataclass

import numpy

from analysis.verbs import InputError


@dataclass
class Table:
    """A CSV file by column: numpy arrays for numbers, lists of str for text."""

    path: object
    columns: dict
    lines: list  # line of the file in which each row ends
    truncated: bool = False  # more rows follow in the file than were read

    def __getitem__(self, name):
        return self.columns[name]

    def __len__(self):
        return len(self.lines)

    def fail(self, row, column, problem):
        """Raises InputError about the value of `column` in `row`."""
        raise InputError(f"{self.path}:{self.lines[row]}: {column}: {problem}")

    def check(self, column, good, expected):
        """Raises InputError at the first row where the array `good` is false."""
        if not good.all():
            row = int(numpy.argmin(good))
            self.fail(
                row, column, f"{self.columns[column][row]} is impossible; expected {expected}"
            )


def read_table(path, columns, most_rows=None):
    """The CSV file at `path` as a Table.

    `columns` maps each required column to `text`, `count` (an integer, at least 0), `count?` (may be
    empty, then -1), `number` (finite, at least 0) or `number?` (may be empty or infinite, then inf).
    Other columns are ignored. Stops after `most_rows` rows.
    """
    try:
        rows, lines, truncated = _read_rows(path, most_rows)
    except UnicodeDecodeError:
        raise InputError(
            f"{path}:{_first_line_not_utf8(path)}: not UTF-8 text; the file is damaged"
        ) from None
    except csv.Error as error:
        raise InputError(f"{path}: not a CSV file: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    header = rows.pop(0)
    lines.pop(0)
    for name in columns:
        if name not in header:
            raise InputError(
                f"{path}:1: column '{name}' is missing; the header is '{','.join(header)}'"
            )
    by_column = list(zip(*rows)) if rows else [()] * len(header)
    table = Table(path, {}, lines, truncated)
    for name, kind in columns.items():
        table.columns[name] = _converted(table, name, kind, by_column[header.index(name)])
    return table


def _read_rows(path, most_rows):
    """(rows with the header first, their lines, whether rows were left out)."""
    _check_ends_with_newline(path)
    rows, lines = [], []
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.reader(file, strict=True)
        for row in reader:
            if most_rows is not None and len(rows) > most_rows:
                return rows, lines, True
            if rows and len(row) != len(rows[0]):
                raise InputError(
                    f"{path}:{reader.line_num}: {len(row)} fields; expected {len(rows[0])} as in the header"
                )
            rows.append(row)
            lines.append(reader.line_num)
    return rows, lines, False


def _check_ends_with_newline(path):
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        if file.tell() == 0:
            raise InputError(f"{path}: the file is empty; expected a header line")
        file.seek(-1, os.SEEK_END)
        if file.read(1) == b"\n":
            return
        file.seek(0)
        last = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b"")) + 1
        raise InputError(f"{path}:{last}: the file ends inside this line; it was cut off")


def _first_line_not_utf8(path):
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 1


def _converted(table, name, kind, values):
    if kind == "text":
        return list(values)
    dtype, empty = {
        "count": (numpy.int64, None),
        "count?": (numpy.int64, "-1"),
        "number": (numpy.float64, None),
        "number?": (numpy.float64, "inf"),
    }[kind]
    if empty is not None:
        values = [value or empty for value in values]
    try:
        array = numpy.array(values, dtype=dtype)
    except (ValueError, OverflowError):
        row = next(row for row, value in enumerate(values) if not _is_number(value, dtype))
        wanted = "an integer" if dtype is numpy.int64 else "a number"
        table.fail(row, name, f"'{values[row]}' is not {wanted}")
    table.columns[name] = array
    lowest = -1 if kind == "count?" else 0
    table.check(name, array >= lowest, "a value that is not negative")
    if kind == "number":
        table.check(name, numpy.isfinite(array), "a finite value")
    return array


def _is_number(text, dtype):
    try:
        numpy.array([text], dtype=dtype)
        return True
    except (ValueError, OverflowError):
        return False


def read_json(path):
    """The JSON object in the file at `path`."""
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except UnicodeDecodeError:
        raise InputError(
            f"{path}:{_first_line_not_utf8(path)}: not UTF-8 text; the file is damaged"
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON we can read: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if not isinstance(value, dict):
        raise InputError(f"{path}:1: expected a JSON object")
    return value


def _refuse_constant(name):
    raise ValueError(f"{name} is no JSON number; expected null")


_KINDS = {
    "text": (str,),
    "object": (dict,),
    "list": (list,),
    "number": (int, float),
    "boolean": (bool,),
}


def field(value, key, kind, where, optional=False):
    """`value[key]` of a JSON object, checked to be of `kind`; None if `optional` and absent or null.

    `where` names file and place for the error. Numbers are finite.
    """
    found = value.get(key)
    if found is None and optional:
        return None
    if key not in value:
        raise InputError(f"{where}: key '{key}' is missing")
    good = isinstance(found, _KINDS[kind]) and (kind == "boolean" or not isinstance(found, bool))
    if good and kind == "number":
        good = math.isfinite(found)
    if not good:
        article = "an" if kind == "object" else "a"
        raise InputError(f"{where}: {key}: {json.dumps(found)[:60]} is not {article} {kind}")
    return found


def write_together(folder, contents):
    """Writes the bytes of `contents` (by path below `folder`) all or none: under temporary names, then renamed.

    Makes the folder and its parents; what was made is gone again after a failure.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    temporaries = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in contents.items():
            target = folder / path
            temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
            temporaries[temporary] = target
            _write(temporary, target, content)
        for temporary, target in temporaries.items():
            os.replace(temporary, target)
    except BaseException:
        for temporary in temporaries:
            temporary.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            for path in missing:
                path.rmdir()
        raise


def _write(path, name, content):
    try:
        with open(path, "wb") as file:
            file.write(content)
    except OSError as error:  # a full disk does not say where it is full
        raise OSError(error.errno, error.strerror, str(name)) from error
