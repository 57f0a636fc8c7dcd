"""The pictures: no text on another or outside, right numbers, from 1 to hundreds of devices."""

import itertools
import json
import unittest
from unittest import mock

import matplotlib.text
import numpy

from analysis import comparison, figure, gantt, memory, palette, stage_graph, sweep
from analysis.gantt_view import batch_numbers, covered, enlarged_span, view
from analysis.load import load
from analysis.memory import highest_per_column
from tests.analysis import fixture
from tests.analysis.folders import FolderCase

PNG = b"\x89PNG\r\n\x1a\n"
LONG = ["encoder.layers.%d.self_attention_and_feed_forward_network" % stage for stage in range(64)]


def chain(stages):
    return [[stage + 1] for stage in range(stages - 1)] + [[]]


def fork(branches, length):
    """A stem, `branches` branches of `length` stages, a join."""
    join = branches * length + 1
    graph = [[1 + branch * length for branch in range(branches)]] + [[] for _ in range(join)]
    for branch, step in itertools.product(range(branches), range(length)):
        stage = 1 + branch * length + step
        graph[stage] = [stage + 1 if step + 1 < length else join]
    return graph


def drawn_texts(painter, *arguments):
    """(figure size in pixels, [(text, box)]) of all text that is drawn."""
    found = []
    original = matplotlib.text.Text.draw

    def record(self, renderer):
        if self.get_visible() and self.get_text():
            found.append((self.get_text(), self.get_window_extent(renderer)))
        return original(self, renderer)

    with mock.patch.object(matplotlib.text.Text, "draw", record):
        png = figure.draw(painter, *arguments)
    assert png.startswith(PNG)
    size = [int.from_bytes(png[at : at + 4], "big") for at in (16, 20)]
    return size, found


class PictureCase(FolderCase):
    def run_of(self, **options):
        self.write(fixture.Pipeline(**options))
        return load(self.folder).points[0].runs[0]

    def assert_tidy(self, painter, *arguments):
        """No text overlaps another text or leaves the picture; returns the texts."""
        (width, height), texts = drawn_texts(painter, *arguments)
        for text, box in texts:
            inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1
            self.assertTrue(inside, f"'{text}' leaves the picture")
        for (one, box), (other, other_box) in itertools.combinations(texts, 2):
            apart = (
                box.x1 <= other_box.x0 + 1
                or other_box.x1 <= box.x0 + 1
                or box.y1 <= other_box.y0 + 2
                or other_box.y1 <= box.y0 + 2
            )
            self.assertTrue(apart, f"'{one}' and '{other}' overlap")
        return [text for text, _ in texts]


class Tidy(PictureCase):
    CASES = {
        "one stage": {"successors": [[]], "micro_batches": 1},
        "two devices": {"successors": chain(2), "micro_batches": 4},
        "eight, branches, messages": {
            "successors": fork(3, 2),
            "message_bytes": 2**23,
            "optimizer_s": 1e-3,
        },
        "sixteen, long names": {"successors": chain(16), "stage_names": LONG},
        "sixty-four, replicas": {
            "successors": chain(16),
            "replicas": 4,
            "all_reduce_s": 1e-3,
            "latency_s": 1e-4,
            "stage_names": LONG,
        },
        "a hundred and fifty": {"successors": fork(4, 37), "micro_batches": 4},
        "names with odd characters": {
            "name": "$x_1$ <&>\n\x00 ñ 漢",
            "successors": chain(2),
            "stage_names": ["$a^", "\\frac{"],
        },
        "almost no memory left": {"successors": chain(4), "available_bytes": 520 * fixture.MIB},
    }

    def test_nothing_overlaps(self):
        for name, options in self.CASES.items():
            with self.subTest(name):
                run = self.run_of(**options)
                for painter in (gantt.paint, memory.paint, stage_graph.paint):
                    texts = self.assert_tidy(painter, run)
                    if painter is not stage_graph.paint:
                        self.assertTrue(
                            any("time from the start of the mini-batch (" in text for text in texts)
                        )

    def test_comparison_of_many_plans_with_long_names(self):
        plans = [
            fixture.Pipeline(name=f"planner number {number} with a very long name indeed")
            for number in range(12)
        ]
        summary = self.write(*plans)
        summary["points"][0]["plans"].append(fixture.failed("infeasible", "infeasible"))
        (self.folder / "summary.json").write_text(json.dumps(summary))
        texts = self.assert_tidy(comparison.paint, load(self.folder).points[0])
        self.assertIn("infeasible", texts)
        self.assertIn("throughput (samples/s)", texts)

    def test_sweep_with_failures(self):
        keys = [
            {"cluster.nodes": nodes, "training.mini_batch": batch}
            for nodes in (2, 4, 8)
            for batch in (64, 128)
        ]

        def plans(nodes):
            names = [f"plan {number}" for number in range(9)]
            return [fixture.Pipeline(name=name, successors=chain(nodes)) for name in names]

        summary = self.write(points=[(key, plans(key["cluster.nodes"])) for key in keys])
        summary["points"][1]["plans"][0] = fixture.failed("plan 0")
        (self.folder / "summary.json").write_text(json.dumps(summary))
        texts = self.assert_tidy(sweep.paint, load(self.folder))
        self.assertIn("training.mini_batch = 128", texts)
        self.assertEqual(texts.count("cluster.nodes"), 2)

    def test_sweep_over_names(self):
        shapes = ["ring", "torus", "fat tree with a long name", "dragonfly", "star"]
        plans = [fixture.Pipeline(successors=chain(2))]
        self.write(points=[({"cluster.shape": shape, "n": 1}, plans) for shape in shapes])
        texts = self.assert_tidy(sweep.paint, load(self.folder))
        self.assertIn("dragonfly", texts)
        self.assertIn("cluster.shape", texts)

    def test_every_memory_part_has_room(self):
        self.write(fixture.Pipeline(available_bytes=520 * fixture.MIB))
        path = self.folder / "plans/graph/details.json"
        details = json.loads(path.read_text())
        for device in details["devices"]:
            device["peak_parts_bytes"] = {part: 30 * fixture.MIB for part in palette.MEMORY_PARTS}
        path.write_text(json.dumps(details))
        texts = self.assert_tidy(memory.paint, load(self.folder).points[0].runs[0])
        for part in palette.MEMORY_PARTS:
            self.assertIn(part.replace("_", " "), texts)


class Gantt(PictureCase):
    def test_numbers_are_micro_batches(self):
        run = self.run_of(micro_batches=3, successors=chain(2), samples=4)
        texts, note = batch_numbers(run, numpy.arange(len(run.timeline)))
        expected = (run.timeline["first_sample"] // 4).astype(str).tolist()
        self.assertEqual((texts, note), (expected, "numbers: micro-batches"))

    def test_numbers_are_first_samples_where_sizes_differ(self):
        self.write(fixture.Pipeline(micro_batches=3, successors=chain(2), samples=4))
        self.edit("plans/graph/stages.csv", "\n1,s1,2,6,1,4,", "\n1,s1,2,6,1,2,")
        run = load(self.folder).points[0].runs[0]
        texts, note = batch_numbers(run, numpy.arange(len(run.timeline)))
        self.assertEqual(texts, run.timeline["first_sample"].astype(str).tolist())
        self.assertIn("first sample", note)

    def test_few_micro_batches_need_no_enlargement(self):
        self.assertIsNone(enlarged_span(self.run_of(micro_batches=4, successors=chain(2))))
        run = self.run_of(micro_batches=200, successors=chain(2))
        first, last = enlarged_span(run)
        self.assertEqual(first, 0.0)
        self.assertLess(last, run.makespan_s / 2)
        # In the enlarged span a forward's bar, 1 ms, holds the widest number, three digits.
        points = view(run, (first, last)).points(1e-3)
        self.assertGreaterEqual(points + 1e-6, figure.text_width(3, 7))

    def test_a_window_is_said_and_drawn(self):
        self.write()
        window = '{"first_s": 0, "last_s": 0.01, "shown_instructions": 20, "instructions": 64}'
        self.edit("plans/graph/details.json", '"window": null', f'"window": {window}')
        run = load(self.folder).points[0].runs[0]
        self.assertEqual(covered(run)[:2], (0, 0.01))
        texts = self.assert_tidy(gantt.paint, run)
        self.assertTrue(
            any("window 0 s to 10 ms: 20 of 64 instructions" in text for text in texts), texts
        )

    def test_later_stages_of_a_device_are_darker(self):
        self.write(fixture.Pipeline(successors=chain(2)))
        path = self.folder / "plans/graph/timeline.csv"
        lines = path.read_text().splitlines(keepends=True)
        moved = [line.replace(",1,compute", ",0,compute", 1) for line in lines]
        path.write_text("".join(moved))
        shown = view(load(self.folder).points[0].runs[0])
        self.assertEqual(shown.steps, {(0, 0): 0, (0, 1): 1})

    def test_a_timeline_without_rows_for_its_limit_is_cut(self):
        self.write()
        with mock.patch("analysis.load.MOST_TIMELINE_ROWS", 30):
            run = load(self.folder).points[0].runs[0]
        first, last, note = covered(run)
        # Rows are by start; the window ends where the first device's rows end.
        starts = [
            max(run.timeline["start_s"][run.timeline["device"] == device]) for device in range(4)
        ]
        self.assertEqual((first, last), (0.0, min(starts)))
        self.assertIn("30 of 64 instructions", note)


class Memory(PictureCase):
    def test_columns_hold_the_highest_value(self):
        # 5 on [0, 1), 9 on [1, 1.5), 2 on [1.5, 4): four columns of 1 s.
        times, values = numpy.array([0.0, 1.0, 1.5, 4.0]), numpy.array([5.0, 9.0, 2.0, 2.0])
        self.assertEqual(highest_per_column(times, values, 4).tolist(), [5, 9, 2, 2])
        self.assertEqual(highest_per_column(times, values, 2).tolist(), [9, 2])

    def test_a_spike_without_length_is_kept(self):
        times, values = numpy.array([0.0, 2.5, 2.5, 4.0]), numpy.array([1.0, 8.0, 1.0, 1.0])
        self.assertEqual(highest_per_column(times, values, 4).tolist(), [1, 1, 8, 1])


class Determinism(PictureCase):
    def test_the_same_data_make_the_same_bytes(self):
        run = self.run_of(message_bytes=2**20)
        for painter in (gantt.paint, memory.paint, stage_graph.paint):
            self.assertEqual(figure.draw(painter, run), figure.draw(painter, run))


if __name__ == "__main__":
    unittest.main()
