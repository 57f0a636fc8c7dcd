"""Parses every Python file below the given folder; prints file:line of the first error of each and fails."""

import ast
import pathlib
import sys


def main(folder):
    failed = False
    for path in sorted(pathlib.Path(folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        try:
            ast.parse(text, filename=str(path))
        except SyntaxError as error:
            failed = True
            print(f"{path}:{error.lineno}: {error.msg}")
        for number, line in enumerate(text.splitlines(), start=1):
            if len(line) > 120 or line != line.rstrip() or "\t" in line:
                failed = True
                print(f"{path}:{number}: over 120 columns, a tab, or blanks at the end")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
