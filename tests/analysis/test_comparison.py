"""Pictures of two results: pairs, what is joined, and files that say what they should."""

import json
import tempfile
import unittest
from pathlib import Path

import numpy

from analysis import compare, paired, scatter, twin_timelines
from analysis.files import InputError
from analysis.load import load
from tests.analysis import fixture
from tests.analysis.test_pictures import drawn_texts


class ComparisonCase(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.place = Path(holder.name)

    def write(self, name, *plans, **summary):
        """A results folder; `summary` is added to every plan's entry."""
        folder = self.place / name
        fixture.write_results(folder, [({}, list(plans))])
        path = folder / "summary.json"
        content = json.loads(path.read_text())
        for plan in content["points"][0]["plans"]:
            plan.update(summary)
        path.write_text(json.dumps(content))
        return folder

    def pair(self, first, second, **summary):
        return paired.pairs(
            load(self.write("a", first, **summary)), load(self.write("b", second, **summary))
        )[0]

    def test_plans_pair_by_name(self):
        first = load(self.write("a", fixture.Pipeline("x"), fixture.Pipeline("y")))
        second = load(self.write("b", fixture.Pipeline("y"), fixture.Pipeline("z")))
        self.assertEqual([pair.name for pair in paired.pairs(first, second)], ["y"])

    def test_single_plans_pair_whatever_their_names(self):
        self.assertEqual(self.pair(fixture.Pipeline("x"), fixture.Pipeline("y")).name, "x : y")

    def test_no_plan_in_common_is_said(self):
        first = load(self.write("a", fixture.Pipeline("x"), fixture.Pipeline("y")))
        second = load(self.write("b", fixture.Pipeline("z"), fixture.Pipeline("w")))
        with self.assertRaisesRegex(InputError, "no plan in common"):
            paired.pairs(first, second)

    def test_equal_programs_join_instruction_by_instruction(self):
        pair = self.pair(
            fixture.Pipeline(),
            fixture.Pipeline(forward_s=4e-3, backward_s=8e-3),
            program_hash="1",
        )
        joined = paired.join(pair)
        self.assertEqual(joined.level, "instruction")
        forward = joined.kinds == "forward"
        self.assertEqual(forward.sum(), 4 * 8)  # stages x micro-batches
        numpy.testing.assert_allclose(joined.first_s[forward], 1e-3)
        numpy.testing.assert_allclose(joined.second_s[forward], 4e-3)

    def test_other_programs_join_by_stage_and_kind(self):
        joined = paired.join(self.pair(fixture.Pipeline(), fixture.Pipeline(micro_batches=2)))
        self.assertEqual(joined.level, "mean by stage and kind")
        self.assertEqual((joined.kinds == "forward").sum(), 4)

    def test_timelines_share_one_clock(self):
        pair = self.pair(fixture.Pipeline(), fixture.Pipeline(forward_s=5e-3))
        canvas = twin_timelines.paint(pair, ["predicted", "measured"])
        limits = {axes.get_xlim() for axes in canvas.axes}
        self.assertEqual(len(limits), 1)
        _, texts = drawn_texts(twin_timelines.paint, pair, ["predicted", "measured"])
        said = " ".join(text for text, _ in texts)
        self.assertIn("predicted: iteration time", said)
        self.assertIn("measured: iteration time", said)

    def test_texts_stay_inside_and_apart(self):
        pair = self.pair(
            fixture.Pipeline(message_bytes=1 << 20), fixture.Pipeline(message_bytes=1 << 20)
        )
        labels = ["threads", "cpu"]
        pictures = (
            (twin_timelines.paint, pair, labels),
            (scatter.paint, [pair], [paired.join(pair)], labels),
        )
        for painter, *arguments in pictures:
            (width, height), texts = drawn_texts(painter, *arguments)
            for text, box in texts:
                inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height
                self.assertTrue(inside, text)

    def test_scatter_puts_the_first_result_upright(self):
        pair = self.pair(fixture.Pipeline(), fixture.Pipeline(forward_s=3e-3, backward_s=6e-3))
        canvas = scatter.paint([pair], [None], ["p", "m"])
        (axes,) = canvas.axes
        point = [line for line in axes.lines if len(line.get_xdata()) == 1][0]
        # Three times slower passes, free messages: three times the makespan, measured to the right.
        self.assertAlmostEqual(point.get_xdata()[0] / point.get_ydata()[0], 3.0)

    def test_command_line_writes_pictures_and_page(self):
        first = self.write("a", fixture.Pipeline(), backend="threads")
        second = self.write(
            "b", fixture.Pipeline(), backend="cpu", measured={"no_verdict": "machine disturbed"}
        )
        output = self.place / "pictures"
        self.assertEqual(compare.main([str(first), str(second), "-o", str(output)]), 0)
        names = sorted(path.name for path in output.iterdir())
        self.assertEqual(names, ["comparison.html", "scatter.png", "timelines_graph.png"])
        page = (output / "comparison.html").read_text()
        for text in ("<th>threads</th>", "<th>cpu</th>", "no verdict: machine disturbed", "+0.00 %"):
            self.assertIn(text, page)

    def test_command_line_says_what_is_wrong(self):
        first = self.write("a", fixture.Pipeline())
        self.assertEqual(compare.main([str(first), str(self.place / "none"), "-o", "x"]), 2)


if __name__ == "__main__":
    unittest.main()
