"""Tensor files and checkpoints: what was written comes back, and damage is named."""

import json
import tempfile
import unittest
import zlib
from pathlib import Path

import numpy

from analysis.files import InputError
from analysis.tensors import read_checkpoint, read_tensors, write_tensors

X = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
K = numpy.array([4, -5], dtype=numpy.int32)


class TensorCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "step_00000003-0.0.tensors"

    def complaint(self, action):
        with self.assertRaises(InputError) as caught:
            action()
        return str(caught.exception)


class TensorFiles(TensorCase):
    def test_arrays_by_name(self):
        write_tensors(self.path, {"x": X, "none": X[:0], "k": K})
        read = read_tensors(self.path)
        self.assertEqual(list(read), ["x", "none", "k"])
        numpy.testing.assert_array_equal(read["x"], X)
        numpy.testing.assert_array_equal(read["k"], K)
        self.assertEqual(read["none"].shape, (0, 3))

    def test_bytes_as_documented(self):
        write_tensors(self.path, {"x": X, "k": K})
        raw = self.path.read_bytes()
        length = int.from_bytes(raw[12:16], "little")
        self.assertEqual((raw[:8], raw[8:12]), (b"PGTENSOR", b"\1\0\0\0"))
        self.assertEqual((16 + length) % 64, 0)
        entry = json.loads(raw[16 : 16 + length])["tensors"][1]
        self.assertEqual(entry, {"name": "k", "type": "int32", "shape": [2], "offset": 64})
        self.assertEqual(raw[16 + length + 64 :], b"\4\0\0\0\xfb\xff\xff\xff")

    def test_other_types_are_not_written(self):
        with self.assertRaises(ValueError):
            write_tensors(self.path, {"x": X.astype(float)})
        self.assertFalse(self.path.exists())

    def test_damaged_files_are_named(self):
        self.assertIn("cannot be read", self.complaint(lambda: read_tensors(self.path)))
        self.path.write_bytes(b"x,y\n1,2\n")
        self.assertIn("is not a tensor file", self.complaint(lambda: read_tensors(self.path)))
        write_tensors(self.path, {"x": X, "k": K})
        whole = self.path.read_bytes()
        self.path.write_bytes(whole[:-1])
        self.assertIn("inside tensor 'k'", self.complaint(lambda: read_tensors(self.path)))
        self.path.write_bytes(whole[:40])
        self.assertIn("header is damaged", self.complaint(lambda: read_tensors(self.path)))


class Checkpoints(TensorCase):
    def setUp(self):
        super().setUp()
        write_tensors(self.path, {"x": X})
        self.manifest = self.folder / "step_00000003.json"
        text = (
            '{"step": 3, "files": ["step_00000003-0.0.tensors"], "tensors": [{"name": "x", '
            f'"shape": [2, 3], "file": 0, "crc32": "{zlib.crc32(X.tobytes()):08x}"}}],\n'
        )
        self.manifest.write_text(f'{text}"crc32": "{zlib.crc32(text.encode()):08x}"}}\n')

    def test_latest_of_a_folder(self):
        (self.folder / "step_00000002.json").write_text("an older one")
        checkpoint = read_checkpoint(self.folder)
        self.assertEqual(checkpoint.manifest["step"], 3)
        numpy.testing.assert_array_equal(checkpoint.tensors["x"], X)

    def test_damage_is_named(self):
        raw = bytearray(self.path.read_bytes())
        raw[-1] ^= 1
        self.path.write_bytes(raw)
        self.assertIn("'x' is damaged", self.complaint(lambda: read_checkpoint(self.manifest)))
        self.manifest.write_text(self.manifest.read_text().replace('"step": 3', '"step": 4'))
        self.assertIn("is damaged", self.complaint(lambda: read_checkpoint(self.manifest)))

    def test_an_empty_folder_is_named(self):
        self.manifest.unlink()
        self.assertIn("no checkpoint", self.complaint(lambda: read_checkpoint(self.folder)))


if __name__ == "__main__":
    unittest.main()
