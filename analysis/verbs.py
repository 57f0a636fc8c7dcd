"""What the commands that draw have in common: how arguments and failures are told, and which exit code they give."""

import argparse
import sys
import traceback


class InputError(Exception):
    """The folder or one of its files is not what it should be; the message names the place."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as the other commands do."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message.removeprefix('argument ')}\n")


def carry_out(name, work):
    """Runs `work()`; returns 0, 2 for bad input or 3 for a fault, told as `pipegraph NAME: ...`."""

    def tell(text):
        print(f"pipegraph {name}: {text}", file=sys.stderr)

    try:
        work()
    except ImportError as error:
        tell(f"{error.name} is missing; install python3-numpy, python3-matplotlib and python3-jinja2")
        return 3
    except InputError as error:
        tell(error)
        return 2
    except OSError as error:
        tell(f"{error.filename}: {error.strerror}")
        return 3
    except Exception:  # our own mistake: say all we know
        traceback.print_exc()
        return 3
    return 0
