"""The command: exit codes, messages, and that nothing is written when something is wrong."""

import random
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from tests.analysis import fixture
from tests.analysis.folders import FolderCase

PROGRAM = Path(__file__).resolve().parents[2] / "analysis" / "report.py"


def report(*arguments, **options):
    command = [sys.executable, "-B", str(PROGRAM), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


class Report(FolderCase):
    def made(self):
        return sorted(
            path.name for path in self.folder.rglob("*") if path.suffix in (".png", ".html", ".tmp")
        )

    def test_help_shows_an_example(self):
        done = report("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("report.py out/quickstart", done.stdout)

    def test_writes_pictures_and_page_from_any_directory(self):
        self.write()
        done = report(self.folder, cwd="/")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn(f"report: {self.folder / 'report.html'}", done.stderr)
        self.assertEqual(
            self.made(),
            ["comparison.png", "memory.png", "report.html", "stage_graph.png", "timeline.png"],
        )

    def test_processes_do_not_change_the_result(self):
        self.write(fixture.Pipeline(name="a"), fixture.Pipeline(name="b", message_bytes=2**20))
        pages = []
        for jobs in ("1", "3"):
            self.assertEqual(report(self.folder, "--jobs", jobs).returncode, 0)
            pages.append((self.folder / "report.html").read_bytes())
        self.assertEqual(pages[0], pages[1])

    def test_bad_input_ends_with_two_and_writes_nothing(self):
        self.write()
        self.edit("plans/graph/memory.csv", "0,0.001,", "0,oops,")
        done = report(self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(
            done.stderr,
            r"^pipegraph report: .*plans/graph/memory.csv:3: time_s: 'oops' is not a number\n$",
        )
        self.assertEqual(self.made(), [])

    def test_a_signal_ends_it_without_half_a_file(self):
        self.write()
        script = (
            "import os, signal, sys; from pathlib import Path\n"
            "from analysis import files, verbs\n"
            "signum = signal.Signals[sys.argv[1]]\n"
            "signal.signal(signum, signal.SIG_DFL)\n"
            "os.replace = lambda *_: os.kill(os.getpid(), signum)\n"
            "pages = {'a.png': b'half', 'report.html': b'half'}\n"
            "verbs.carry_out('report', lambda: files.write_together(Path(sys.argv[2]), pages))\n"
        )
        for name in ("SIGHUP", "SIGINT", "SIGTERM"):
            done = subprocess.run(
                [sys.executable, "-B", "-c", script, name, str(self.folder)],
                capture_output=True,
                text=True,
                check=False,
                cwd=PROGRAM.parents[1],
            )
            self.assertEqual((done.returncode, done.stderr), (-signal.Signals[name], ""))
            self.assertEqual(self.made(), [])

    def test_bad_arguments_end_with_two(self):
        self.write()
        for arguments in (
            (),
            (self.folder / "absent",),
            (self.folder, "--points", "x"),
            (self.folder, "--jobs", "0"),
            (self.folder, "--points", "7"),
        ):
            done = report(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertNotIn("Traceback", done.stderr)
            self.assertRegex(done.stderr, r"^pipegraph report: [^\n]*\n$")

    def test_a_folder_that_cannot_be_written_ends_with_three(self):
        self.write()
        (self.folder / "report.html").mkdir()
        done = report(self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertNotIn("Traceback", done.stderr)


class Damage(FolderCase):
    def test_damaged_files_never_crash_the_reader(self):
        # Seeded mutations of good files: either they still load, or an InputError names the file.
        from analysis.files import InputError
        from analysis.load import load

        draw = random.Random(7)
        self.write(fixture.Pipeline(successors=[[1], []], micro_batches=2, message_bytes=1024))
        names = sorted(path for path in self.folder.rglob("*") if path.suffix in (".csv", ".json"))
        refused = 0
        for turn in range(600):
            path = names[turn % len(names)]
            good = path.read_bytes()
            path.write_bytes(self.mutate(draw, good))
            try:
                load(self.folder)
            except InputError as error:
                refused += 1
                self.assertIn(str(self.folder), str(error))
            finally:
                path.write_bytes(good)
        self.assertGreater(refused, 200)

    @staticmethod
    def mutate(draw, content):
        kind, at = draw.randrange(4), draw.randrange(len(content))
        if kind == 0:
            return content[:at]
        if kind == 1:
            return content[:at] + bytes([draw.randrange(256)]) + content[at + 1 :]
        if kind == 2:
            return content[:at] + content[at + draw.randrange(1, 20) :]
        return (
            content[:at]
            + draw.choice([b'"', b",", b"\n", b"-1", b"1e999", b"null", b"{", b"\x00"])
            + content[at:]
        )


if __name__ == "__main__":
    unittest.main()
