"""A test case that owns a results folder."""

import tempfile
import unittest
from pathlib import Path

from tests.analysis import fixture


class FolderCase(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name) / "out"

    def write(self, *plans, points=None):
        """A results folder with these plans, or with these points; returns the summary."""
        return fixture.write_results(
            self.folder, points or [({}, list(plans or [fixture.Pipeline()]))]
        )

    def edit(self, name, old, new):
        """Replaces the first `old` by `new` in a file of the folder."""
        path = self.folder / name
        text = path.read_text()
        assert old in text, f"{name} has no {old!r}"
        path.write_text(text.replace(old, new, 1))
