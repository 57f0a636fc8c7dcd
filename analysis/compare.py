#!/usr/bin/env python3
"""Pictures of two results side by side: `compare.py A B -o DIR`, or `pipegraph compare A B --pictures DIR`.

Exit codes: 0 done, 2 bad input, 3 a fault of the machine or of ours.
"""

import argparse
import sys
import traceback
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)


def main(arguments=None):
    """Runs the command line; returns the exit code."""
    options = _parse(arguments)
    try:
        from analysis import comparison_page, files
    except ImportError as error:
        print(
            f"pipegraph compare: {error.name} is missing; install python3-numpy, "
            "python3-matplotlib and python3-jinja2",
            file=sys.stderr,
        )
        return 3
    try:
        comparison_page.make(options.first, options.second, options.output)
    except files.InputError as error:
        print(f"pipegraph compare: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"pipegraph compare: {error.filename}: {error.strerror}", file=sys.stderr)
        return 3
    except Exception:  # our own mistake: say all we know
        traceback.print_exc()
        return 3
    return 0


def _parse(arguments):
    parser = argparse.ArgumentParser(
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
