"""Reads and writes tensor files and reads checkpoints (docs/file_formats.md), as numpy arrays by name."""

import json
import os
import re
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy

from analysis.files import InputError

MAGIC = b"PGTENSOR"
FORMAT = 1
ALIGNMENT = 64
TYPES = ("float32", "int32")


def write_tensors(path, arrays):
    """Writes the dict `arrays` in its order; elements must be float32 or int32."""
    entries, blocks, offset = [], [], 0
    for name, array in arrays.items():
        array = numpy.ascontiguousarray(array)
        if array.dtype.name not in TYPES:
            raise ValueError(f"'{name}' is {array.dtype.name}; expected one of {', '.join(TYPES)}")
        entries.append(
            {
                "name": name,
                "type": array.dtype.name,
                "shape": list(array.shape),
                "offset": offset,
            }
        )
        blocks.append((offset, array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()))
        offset = _aligned(offset + array.nbytes)
    header = json.dumps({"tensors": entries}).encode()
    header += b" " * (_aligned(16 + len(header)) - 16 - len(header))
    temporary = f"{path}.tmp{os.getpid()}"
    with open(temporary, "wb") as file:
        file.write(MAGIC + FORMAT.to_bytes(4, "little") + len(header).to_bytes(4, "little") + header)
        for begin, block in blocks:
            file.seek(16 + len(header) + begin)
            file.write(block)
    os.replace(temporary, path)


def read_tensors(path):
    """The tensors of a file as a dict of arrays that read from it when they are used."""
    path = Path(path)
    try:
        with open(path, "rb") as file:
            start = file.read(16)
            header = file.read(int.from_bytes(start[12:16], "little"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if start[:8] != MAGIC:
        raise InputError(f"{path}: is not a tensor file")
    if int.from_bytes(start[8:12], "little") != FORMAT:
        raise InputError(f"{path}: is not of format {FORMAT}")
    size = path.stat().st_size
    arrays = {}
    try:
        for entry in json.loads(header)["tensors"]:
            begin = 16 + len(header) + entry["offset"]
            count = int(numpy.prod(entry["shape"], dtype=numpy.int64))
            if entry["type"] not in TYPES or begin + 4 * count > size:
                raise InputError(f"{path}: ends inside tensor '{entry['name']}'")
            dtype = numpy.dtype(entry["type"]).newbyteorder("<")
            shape = tuple(entry["shape"])
            arrays[entry["name"]] = (
                numpy.memmap(path, dtype, "r", begin, shape) if count else numpy.empty(shape, dtype)
            )
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: its header is damaged: {error}") from None
    return arrays


@dataclass
class Checkpoint:
    """`manifest` is its JSON, `tensors` the parameters and the optimizer's state by name."""

    manifest: dict
    tensors: dict


def latest_manifest(folder):
    """The manifest of the highest step in a folder of checkpoints."""
    found = [
        (int(match[1]), path)
        for path in Path(folder).iterdir()
        if (match := re.fullmatch(r"step_(\d+)\.json", path.name))
    ]
    if not found:
        raise InputError(f"{folder}: holds no checkpoint")
    return max(found)[1]


def read_checkpoint(path):
    """A checkpoint by its manifest, or the latest of a folder; all checksums are compared."""
    path = Path(path)
    manifest_path = latest_manifest(path) if path.is_dir() else path
    text = manifest_path.read_bytes()
    last = text.rfind(b"\n", 0, len(text) - 1) + 1
    if text[last:] != f'"crc32": "{zlib.crc32(text[:last]):08x}"}}\n'.encode():
        raise InputError(f"{manifest_path}: is damaged: its checksum does not match")
    manifest = json.loads(text)
    files = [read_tensors(manifest_path.parent / name) for name in manifest["files"]]
    tensors = {}
    for entry in manifest["tensors"]:
        array = files[entry["file"]].get(entry["name"])
        if array is None or list(array.shape) != entry["shape"]:
            raise InputError(f"{manifest_path}: tensor '{entry['name']}' is not in its file")
        if f"{zlib.crc32(array.tobytes()):08x}" != entry["crc32"]:
            raise InputError(
                f"{manifest_path.parent / manifest['files'][entry['file']]}: tensor "
                f"'{entry['name']}' is damaged: its checksum does not match"
            )
        tensors[entry["name"]] = array
    return Checkpoint(manifest, tensors)


def _aligned(position):
    return -(-position // ALIGNMENT) * ALIGNMENT


def main():
    """Lists the tensors of a file, a manifest or a folder of checkpoints."""
    if len(sys.argv) != 2:
        sys.exit("usage: python3 -m analysis.tensors FILE|MANIFEST|FOLDER")
    path = Path(sys.argv[1])
    try:
        is_checkpoint = path.is_dir() or path.suffix == ".json"
        tensors = read_checkpoint(path).tensors if is_checkpoint else read_tensors(path)
    except InputError as error:
        sys.exit(f"pipegraph: {error}")
    for name, array in tensors.items():
        print(f"{name}: {array.dtype.name} {list(array.shape)}")


if __name__ == "__main__":
    main()
