"""What the commands that draw have in common: how arguments and failures are told, and which exit code they give."""

import argparse
import multiprocessing
import os
import signal
import sys
import traceback

_STOPPING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class InputError(Exception):
    """The folder or one of its files is not what it should be; the message names the place."""


class Stopped(BaseException):
    """A signal came that ends the program."""


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as the other commands do."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message.removeprefix('argument ')}\n")


def carry_out(name, work):
    """Runs `work()`; returns 0, 2 for bad input or 3 for a fault, told as `pipegraph NAME: ...`.

    A signal that ends it lets unfinished files be removed first.
    """
    before = {signum: signal.getsignal(signum) for signum in _STOPPING}
    try:
        _handle_with(_stop)
        return _tell_failures(name, work)
    except Stopped as stopped:
        signum = stopped.args[0]
        signal.signal(signum, signal.SIG_DFL)
        os.kill(os.getpid(), signum)
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


def end_at_once():
    """For processes that draw: they write nothing."""
    _handle_with(signal.SIG_DFL)


def _stop(signum, _):
    _handle_with(lambda *_: None)  # SIG_IGN would complain of one that waits already
    for child in multiprocessing.active_children():
        child.terminate()
    raise Stopped(signum)


def _handle_with(handler):
    for signum in _STOPPING:
        if signal.getsignal(signum) is not signal.SIG_IGN:  # nohup and background jobs
            signal.signal(signum, handler)


def _tell_failures(name, work):
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
