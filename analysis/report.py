#!/usr/bin/env python3
"""Makes the pictures and the HTML report of a results folder: `report.py DIR`, or `pipegraph report DIR`.

Exit codes: 0 done, 2 bad input, 3 a fault of the machine or of ours.
"""

import argparse
import os
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from analysis import verbs  # noqa: E402  (needs the path set above)

EXAMPLE = """example:
  report.py out/quickstart      writes out/quickstart/report.html and the PNG pictures beside the data

In a sweep the pictures of single plans are made for the first and the last point;
--points 0,3 chooses others."""


def main(arguments=None):
    """Runs the command line; returns the exit code."""
    options = _parse(arguments)

    def make():
        from analysis import work

        page = work.make_report(options.folder, options.points, options.jobs)
        if not options.quiet:
            print(f"report: {page}", file=sys.stderr)

    return verbs.carry_out("report", make)


def _parse(arguments):
    parser = verbs.Parser(
        prog="pipegraph report",
        description="Makes PNG pictures and one self-contained report.html from a results folder.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "folder",
        metavar="DIR",
        type=Path,
        help="results folder, written by 'pipegraph simulate -o DIR'",
    )
    parser.add_argument(
        "--points",
        type=_point_list,
        metavar="LIST",
        help="points of a sweep to show plan by plan, e.g. 0,3",
    )
    parser.add_argument(
        "--jobs",
        type=_count,
        default=len(os.sched_getaffinity(0)),
        metavar="N",
        help="processes that draw (default: all CPUs)",
    )
    parser.add_argument("--quiet", action="store_true", help="do not say where the report is")
    return parser.parse_args(arguments)


def _point_list(text):
    try:
        points = [int(part) for part in text.split(",")]
    except ValueError:
        points = [-1]
    if min(points) < 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of points; expected e.g. 0,3")
    return points


def _count(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a number of processes; expected 1 or more"
        )
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
