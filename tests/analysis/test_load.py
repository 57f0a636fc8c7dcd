"""Reading a results folder: what is found, what may be absent, what is refused."""

import json
import shutil
import unittest

from analysis.files import InputError
from analysis.load import folder_name, load
from tests.analysis import fixture
from tests.analysis.folders import FolderCase


class Load(FolderCase):
    def refuse(self, pattern):
        with self.assertRaisesRegex(InputError, pattern):
            load(self.folder)

    def test_reads_every_table(self):
        self.write()
        results = load(self.folder)
        run = results.points[0].runs[0]
        # 4 stages x 8 micro-batches x (forward, backward); free messages leave no rows.
        self.assertEqual(len(run.timeline), 64)
        self.assertEqual(run.stages["device_ids"], [[0], [1], [2], [3]])
        self.assertEqual(results.missing, [])
        self.assertFalse(results.is_sweep)
        self.assertIn("mini_batch: 32", results.scenario_text)

    def test_plan_folders_are_percent_encoded(self):
        self.assertEqual(folder_name("a/b c"), "a%2Fb%20c")
        self.assertEqual(folder_name("..x.y"), "%2E.x.y")
        self.assertEqual(folder_name("ñ~"), "%C3%B1%7E")
        self.write(fixture.Pipeline(name="odd / name"))
        self.assertIsNotNone(load(self.folder).points[0].runs[0].timeline)

    def test_reads_chosen_points_only(self):
        self.write(points=[({"cluster.nodes": nodes}, [fixture.Pipeline()]) for nodes in (1, 2, 4)])

        def read(results):
            return [point.runs[0].timeline is not None for point in results.points]

        self.assertEqual(read(load(self.folder)), [True, False, True])
        self.assertEqual(read(load(self.folder, [1])), [False, True, False])
        with self.assertRaisesRegex(InputError, "no point 3; expected 0 to 2"):
            load(self.folder, [3])

    def test_lists_absent_files(self):
        self.write()
        (self.folder / "plans/graph/links.csv").unlink()
        (self.folder / "scenario.yaml").unlink()
        self.assertEqual(load(self.folder).missing, ["plans/graph/links.csv", "scenario.yaml"])
        shutil.rmtree(self.folder / "plans/graph")
        self.assertEqual(load(self.folder).missing, ["plans/graph/", "scenario.yaml"])

    def test_a_plan_that_did_not_run_needs_no_files(self):
        summary = self.write()
        summary["points"][0]["plans"].append(fixture.failed("too_big"))
        (self.folder / "summary.json").write_text(json.dumps(summary))
        results = load(self.folder)
        self.assertEqual(results.missing, [])
        self.assertIsNone(results.points[0].runs[1].makespan_s)

    def test_refuses_foreign_folders(self):
        self.refuse("no such folder")
        self.folder.mkdir()
        self.refuse("not a results folder: it has no pipegraph.json")
        (self.folder / "pipegraph.json").write_text('{"program": "other", "format": 1}')
        self.refuse("pipegraph.json: program: expected 'pipegraph'")
        (self.folder / "pipegraph.json").write_text(
            '{"program": "pipegraph", "format": 2, "version": "9"}'
        )
        self.refuse("pipegraph.json: format: 2 is unknown; expected 1")

    def test_refuses_a_bad_summary(self):
        self.write()
        (self.folder / "summary.json").unlink()
        self.refuse("summary.json: cannot be read")
        (self.folder / "summary.json").write_text('{"format": 1, "scenario": "x", "points": []}')
        self.refuse("points: the list is empty")
        (self.folder / "summary.json").write_text(
            '{"format": 1, "scenario": "x", "points": [{"point": {}, "plans": [{}]}]}'
        )
        self.refuse(r"points\[0\].plans\[0\]: key 'name' is missing")
        self.write()
        self.edit("summary.json", '"status": "ok"', '"status": "fine"')
        self.refuse("status: 'fine' is unknown")

    def test_refuses_tables_that_contradict_themselves(self):
        places = {
            "timeline.csv": (
                "compute,forward",
                "compute,sideways",
                r"timeline.csv:2: kind: sideways",
            ),
            "memory.csv": ("0,0.0,", "0,9.0,", r"memory.csv:3: time_s"),
            "stages.csv": (",6,0,", ",6,zero,", r"stages.csv:2: devices"),
            "stage_edges.csv": ("0,1,", "0,7,", r"stage_edges.csv:2: to_stage: 7"),
            "critical_path.csv": ("0.0,0.001", "0.5,0.001", r"critical_path.csv:2: end_s"),
        }
        for name, (old, new, pattern) in places.items():
            with self.subTest(name):
                self.write()
                self.edit(f"plans/graph/{name}", old, new)
                self.refuse(pattern)

    def test_refuses_bad_details(self):
        self.write()
        self.edit("plans/graph/details.json", '"window": null', '"window": {"first_s": 0}')
        self.refuse("details.json: window: key 'last_s' is missing")


if __name__ == "__main__":
    unittest.main()
