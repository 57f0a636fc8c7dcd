"""Reading CSV and JSON: values, and the place in every complaint."""

import tempfile
import unittest
from pathlib import Path

from analysis.files import InputError, field, read_json, read_table, write_together

COLUMNS = {
    "name": "text",
    "count": "count",
    "peer": "count?",
    "time_s": "number",
    "rate": "number?",
}
HEADER = "name,count,peer,time_s,rate\n"


class FileCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "table.csv"

    def table(self, text, most_rows=None):
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(self.path, COLUMNS, most_rows)

    def complaint(self, text):
        with self.assertRaises(InputError) as caught:
            self.table(text)
        return str(caught.exception)


class Tables(FileCase):
    def test_values_by_column(self):
        table = self.table(HEADER + '"a, ""b""",1,2,0.5,1e9\nñ,3,,1,\n')
        self.assertEqual(table["name"], ['a, "b"', "ñ"])
        self.assertEqual(table["count"].tolist(), [1, 3])
        self.assertEqual(table["peer"].tolist(), [2, -1])
        self.assertEqual(table["time_s"].tolist(), [0.5, 1.0])
        self.assertEqual(table["rate"].tolist(), [1e9, float("inf")])

    def test_header_alone_is_an_empty_table(self):
        self.assertEqual(len(self.table(HEADER)), 0)

    def test_columns_are_found_by_name(self):
        table = self.table("rate,extra,time_s,peer,count,name\n1,x,2,3,4,n\n")
        self.assertEqual((table["time_s"][0], table["count"][0]), (2.0, 4))

    def test_stops_after_the_rows_wanted(self):
        table = self.table(HEADER + "a,1,1,1,1\n" * 5, most_rows=3)
        self.assertEqual((len(table), table.truncated), (3, True))
        self.assertFalse(self.table(HEADER + "a,1,1,1,1\n" * 3, most_rows=3).truncated)

    def test_names_line_and_column_of_a_bad_number(self):
        self.assertIn(
            "table.csv:3: time_s: 'soon' is not a number",
            self.complaint(HEADER + "a,1,1,1,1\nb,1,1,soon,1\n"),
        )

    def test_line_counts_lines_inside_quoted_fields(self):
        self.assertIn(
            "table.csv:4: count: 'x' is not an integer",
            self.complaint(HEADER + '"a\nb",1,1,1,1\nb,x,1,1,1\n'),
        )

    def test_refuses_impossible_values(self):
        self.assertIn("table.csv:2: time_s", self.complaint(HEADER + "a,1,1,-1,1\n"))
        self.assertIn("table.csv:2: time_s", self.complaint(HEADER + "a,1,1,nan,1\n"))
        self.assertIn("table.csv:2: time_s", self.complaint(HEADER + "a,1,1,inf,1\n"))
        self.assertIn("table.csv:2: rate", self.complaint(HEADER + "a,1,1,1,nan\n"))
        self.assertIn(
            "table.csv:2: count", self.complaint(HEADER + "a,99999999999999999999,1,1,1\n")
        )

    def test_says_which_column_is_missing(self):
        self.assertIn(
            "table.csv:1: column 'rate' is missing",
            self.complaint("name,count,peer,time_s\na,1,1,1\n"),
        )

    def test_notices_a_file_cut_off(self):
        self.assertIn(
            "table.csv:3: the file ends inside this line",
            self.complaint(HEADER + "a,1,1,1,1\nb,1,1,1,1"),
        )
        self.assertIn(
            "table.csv:3: 2 fields; expected 5", self.complaint(HEADER + "a,1,1,1,1\nb,1\n")
        )
        self.assertIn("the file is empty", self.complaint(""))
        self.assertIn("not a CSV file", self.complaint(HEADER + '"a,1,1,1,1\n'))

    def test_notices_what_is_not_text(self):
        self.assertIn(
            "table.csv:3: not UTF-8", self.complaint(HEADER.encode() + b"a,1,1,1,1\n\xff,1,1,1,1\n")
        )

    def test_says_when_a_file_cannot_be_read(self):
        with self.assertRaisesRegex(InputError, "absent.csv: cannot be read"):
            read_table(self.path.with_name("absent.csv"), COLUMNS)


class Json(FileCase):
    def complaint(self, text):
        self.path.write_text(text)
        with self.assertRaises(InputError) as caught:
            read_json(self.path)
        return str(caught.exception)

    def test_names_line_and_column(self):
        self.assertIn("table.csv:2:7: not JSON", self.complaint('{"a": 1,\n "b": }'))

    def test_refuses_what_is_no_object(self):
        self.assertIn("expected a JSON object", self.complaint("[1, 2]"))
        self.assertIn("NaN is no JSON number", self.complaint('{"a": NaN}'))
        self.assertIn("not JSON", self.complaint("[" * 100_000))

    def test_fields_are_checked(self):
        value = {"n": 1.5, "t": "x", "b": True, "z": None}
        self.assertEqual(field(value, "n", "number", "f"), 1.5)
        self.assertIsNone(field(value, "z", "number", "f", optional=True))
        self.assertIsNone(field(value, "absent", "text", "f", optional=True))
        for key, kind in (
            ("absent", "number"),
            ("t", "number"),
            ("b", "number"),
            ("n", "text"),
            ("z", "list"),
        ):
            with self.assertRaisesRegex(InputError, f"^f: .*{key}"):
                field(value, key, kind, "f")


class Writing(FileCase):
    def setUp(self):
        super().setUp()
        self.folder = self.path.parent / "made" / "pages"

    def entries(self):
        return sorted(path.name for path in self.path.parent.rglob("*") if path != self.path)

    def test_replaces_and_leaves_nothing_beside(self):
        write_together(self.folder, {"a": b"one", "b": b"one"})
        write_together(self.folder, {"a": b"two"})
        self.assertEqual((self.folder / "a").read_bytes(), b"two")
        self.assertEqual((self.folder / "b").read_bytes(), b"one")
        self.assertEqual(self.entries(), ["a", "b", "made", "pages"])

    def test_changes_no_file_when_one_cannot_be_written(self):
        write_together(self.folder, {"a": b"old"})
        with self.assertRaises(TypeError):
            write_together(self.folder, {"a": b"new", "b": "text is not bytes"})
        self.assertEqual((self.folder / "a").read_bytes(), b"old")
        self.assertEqual(self.entries(), ["a", "made", "pages"])

    def test_names_the_file_and_removes_the_folders_that_it_made(self):
        with self.assertRaisesRegex(OSError, "pages/absent/b'"):
            write_together(self.folder, {"a": b"new", "absent/b": b"new"})
        self.assertEqual(self.entries(), [])


if __name__ == "__main__":
    unittest.main()
