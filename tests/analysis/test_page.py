"""The page: needs nothing from outside, shows the right numbers, escapes what it is given."""

import json
import re
import unittest
from html.parser import HTMLParser
from unittest import mock

from analysis import tables, work
from analysis.load import load
from tests.analysis import fixture
from tests.analysis.folders import FolderCase


class Reader(HTMLParser):
    """Collects tables as lists of rows, and every attribute that could load something."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.sources, self.tags, self._cell = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.sources += [
            value
            for name, value in attributes
            if name in ("src", "href", "srcset", "action", "data")
        ]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._cell = ""

    def handle_data(self, data):
        if self._cell is not None:
            self._cell += data

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self._cell)
            self._cell = None


class PageCase(FolderCase):
    def page(self):
        """(text, what a reader finds in it) of the folder's page; the pictures are stand-ins."""
        with mock.patch("analysis.figure.draw", return_value=b"PNG"):
            work.make_report(self.folder)
        text = (self.folder / "report.html").read_text()
        return text, Reader(text)

    def table(self, reader, first):
        return next(table for table in reader.tables if table[0][0] == first)


class Page(PageCase):
    def test_needs_nothing_from_outside(self):
        self.write(fixture.Pipeline(message_bytes=2**20))
        text, reader = self.page()
        for source in reader.sources:
            self.assertRegex(source, r"^(data:image/png;base64,|#)")
        for anchor in (source[1:] for source in reader.sources if source.startswith("#")):
            self.assertIn(f'id="{anchor}"', text)
        self.assertNotIn("@import", text)
        self.assertIsNone(re.search(r"url\(|https?://", text))
        self.assertFalse({"script", "link", "iframe", "object"} & set(reader.tags))
        self.assertTrue(text.startswith("<!DOCTYPE html>"))

    def test_key_figures_of_the_closed_form(self):
        # P = 4, M = 8, F = 1 ms, B = 2 ms: 33 ms, 32 samples: 969.7 samples/s; bubble 3/11 and 3/8.
        self.write(fixture.Pipeline())
        _, reader = self.page()
        head, row = self.table(reader, "plan")
        shown = dict(zip(head, row))
        self.assertEqual(shown["iteration time"], "33 ms")
        self.assertEqual(shown["samples/s"], "969.7")
        self.assertEqual(shown["bubble fraction"], "27.3 %")
        self.assertEqual(shown["bubble overhead"], "37.5 %")
        # 4 micro-batches of 64 MiB in flight, parameters and gradients of 128 MiB each.
        self.assertEqual(shown["highest peak memory"], "512 MiB")

    def test_the_fastest_plan_is_named(self):
        self.write(fixture.Pipeline(name="slow", backward_s=5e-3), fixture.Pipeline(name="quick"))
        text, _ = self.page()
        # (1 + 5) / (1 + 2) = 2.
        self.assertIn("quick is the fastest plan: 969.7 samples/s, 2.00 times slow.", text)

    def test_how_a_plan_was_found(self):
        self.write(fixture.Pipeline())
        path = self.folder / "summary.json"
        summary = json.loads(path.read_text())
        summary["points"][0]["plans"][0] |= {
            "planner": "graphpipe",
            "objective": {"name": "max_time_per_sample_s", "value": 7.5e-4},
            "busiest_device_s_per_sample": 8e-4,
            "search": {"lower_bound_s": 6e-4, "gap": 0.25, "family": "all ideals"},
        }
        path.write_text(json.dumps(summary))
        _, reader = self.page()
        found = next(table for table in reader.tables if "searched" in table[0])
        shown = dict(zip(*found))
        self.assertEqual(shown["searched"], "all ideals")
        self.assertEqual(shown["above its lower bound"], "25.0 %")
        self.assertEqual(shown["busiest device (per sample)"], "800 us")

    def test_devices_and_memory_peaks(self):
        self.write(fixture.Pipeline())
        _, reader = self.page()
        devices = [table for table in reader.tables if table[0][:2] == ["device", "computing"]][0]
        self.assertEqual(devices[1], ["0 (node0/gpu0)", "24 ms", "0 s", "9 ms", "72.7 %"])
        peaks = [table for table in reader.tables if table[0][:2] == ["device", "peak"]][0]
        self.assertEqual(
            peaks[1][:6], ["0 (node0/gpu0)", "512 MiB", "4 GiB", "12.5 %", "512 MiB", "3 ms"]
        )
        # The fourth forward, micro-batch 3 of 4 samples, is the first to hold four activations.
        self.assertRegex(peaks[1][6], r"^forward of s0, samples \[12, 16\) \(instruction \d+\)$")
        self.assertEqual(peaks[0][7:], ["parameters", "gradients", "activations"])
        self.assertEqual(peaks[1][7:], ["128 MiB", "128 MiB", "256 MiB"])

    def test_critical_path_adds_up(self):
        self.write(fixture.Pipeline(latency_s=1e-4, optimizer_s=5e-4))
        text, reader = self.page()
        run = load(self.folder).points[0].runs[0]
        sums = tables.path_sums(run, run.critical_path["kind"])
        self.assertAlmostEqual(sum(sums.values()), run.makespan_s)
        self.assertAlmostEqual(sums[("optimizer", "work")], 5e-4)
        self.assertEqual(self.table(reader, "kind")[0], ["kind", "work", "sum", "share"])
        self.assertIn("intervals fill the makespan", text)

    def test_links_are_ordered_by_utilisation(self):
        self.write(fixture.Pipeline(message_bytes=2**20))
        path = self.folder / "plans/graph/links.csv"
        path.write_text(
            "link,bandwidth_bytes_per_s,bytes,utilisation\nlazy,1e9,10,0.1\nbusy,,5,0.6\n"
        )
        _, reader = self.page()
        self.assertEqual(
            self.table(reader, "link")[1:],
            [["busy", "60.0 %", "5 B", "no limit"], ["lazy", "10.0 %", "10 B", "1 GB/s"]],
        )

    def test_text_is_escaped(self):
        self.write(fixture.Pipeline(name="<script>alert(1)</script>"))
        text, reader = self.page()
        self.assertNotIn("script", reader.tags)
        self.assertIn("&lt;script&gt;", text)
        self.assertIn("# &lt;b&gt;&amp;", text)

    def test_plans_that_failed_say_why(self):
        summary = self.write()
        summary["points"][0]["plans"].insert(0, fixture.failed("big"))
        (self.folder / "summary.json").write_text(json.dumps(summary))
        text, reader = self.page()
        self.assertIn("out of memory: stage 2 needs 91 GiB, device 5 has 80 GiB", text)
        self.assertEqual(self.table(reader, "plan")[1][:4], ["big", "graph", "out of memory", "–"])

    def test_no_plan_ran(self):
        summary = self.write()
        summary["points"][0]["plans"] = [fixture.failed("big")]
        (self.folder / "summary.json").write_text(json.dumps(summary))
        self.assertIn("No plan has a result", self.page()[0])

    def test_absent_files_are_listed(self):
        self.write()
        for name in ("timeline.csv", "details.json", "links.csv"):
            (self.folder / "plans/graph" / name).unlink()
        text, _ = self.page()
        self.assertIn("Not shown", text)
        self.assertIn("<li>plans/graph/timeline.csv</li>", text)
        self.assertFalse((self.folder / "plans/graph/timeline.png").exists())
        self.assertTrue((self.folder / "plans/graph/memory.png").exists())

    def test_every_optional_file_may_be_absent(self):
        names = [
            "timeline.csv",
            "memory.csv",
            "stages.csv",
            "stage_edges.csv",
            "links.csv",
            "critical_path.csv",
            "details.json",
        ]
        for name in names:
            with self.subTest(name):
                self.write()
                (self.folder / "plans/graph" / name).unlink()
                self.assertIn(f"<li>plans/graph/{name}</li>", self.page()[0])

    def test_a_sweep_shows_its_table(self):
        self.write(
            points=[
                ({"cluster.nodes": nodes}, [fixture.Pipeline(micro_batches=8 * nodes)])
                for nodes in (1, 2)
            ]
        )
        text, reader = self.page()
        # 32 samples in 33 ms; 64 samples in (16 + 3) * 3 = 57 ms.
        expected = [
            ["point", "cluster.nodes", "graph (samples/s)"],
            ["0", "1", "969.7"],
            ["1", "2", "1123"],
        ]
        self.assertEqual(self.table(reader, "point"), expected)
        self.assertTrue((self.folder / "sweep.png").exists())
        self.assertIn("graph is the fastest plan: 1123 samples/s, at cluster.nodes = 2.", text)

    def test_the_same_folder_makes_the_same_page(self):
        self.write()
        self.assertEqual(self.page()[0], self.page()[0])


if __name__ == "__main__":
    unittest.main()
