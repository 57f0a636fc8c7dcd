#!/usr/bin/env python3
"""Pictures of two results side by side: `compare.py A B -o DIR`, or `pipegraph compare A B --pictures DIR`.

Exit codes: 0 done, 2 bad input, 3 a fault of the machine or of ours.
"""

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from analysis import verbs  # noqa: E402  (needs the path set above)


def main(arguments=None):
    """Runs the command line; returns the exit code."""
    options = _parse(arguments)

    def make():
        from analysis import comparison_page

        comparison_page.make(options.first, options.second, options.output)

    return verbs.carry_out("compare", make)


def _parse(arguments):
    parser = verbs.Parser(
        prog="pipegraph compare",
        description="Draws two results folders side by side.",
        epilog="example:\n  compare.py out/predicted out/measured -o out/pictures",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("first", metavar="A", type=Path, help="results folder, e.g. of a simulation")
    parser.add_argument("second", metavar="B", type=Path, help="results folder, e.g. of a run")
    parser.add_argument(
        "-o", dest="output", metavar="DIR", type=Path, required=True, help="where pictures go"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
