#!/usr/bin/env python3
"""Two types of one name in one namespace are one type to the linker, whatever the compiler saw.

    check_names.py ROOT

Lists every struct, class or enum that more than one file defines outside unnamed namespaces, and ends with 1 if there is one.
"""

import collections
import pathlib
import re
import sys

TYPE = re.compile(r"(?:struct|class|enum class|enum)(?: \[\[\w+\]\])? (\w+)(?: final)?(?: : [^;{]*| :)?(?: \{.*)?$")
OPEN = re.compile(r"namespace ?([\w:]*) \{$")
CLOSE = re.compile(r"\}  // namespace")


def types_of(lines):
    """Pairs of a line's number and a type's full name, of types that other files can see."""
    namespaces = []
    for number, line in enumerate(lines, start=1):
        if opened := OPEN.match(line):
            namespaces.append(opened[1])
        elif CLOSE.match(line):
            namespaces.pop()
        elif (found := TYPE.match(line)) and "" not in namespaces:
            yield number, "::".join([*namespaces, found[1]])


def main(root):
    places = collections.defaultdict(dict)
    for path in sorted(root.rglob("*")):
        file = path.relative_to(root)
        if path.suffix not in {".h", ".cpp", ".cu"} or file.parts[0] in {"build", "out"}:
            continue
        for number, name in types_of(path.read_text(encoding="utf-8").splitlines()):
            places[name].setdefault(file, number)  # alternatives of #if stand in one file
    twice = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(twice.items()):
        shown = ", ".join(f"{file}:{number}" for file, number in where.items())
        print(f"{shown}: {name} is defined more than once; expected another name, or an unnamed namespace")
    if not places:
        print(f"{root}: no types found")
    return 1 if twice or not places else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
