"""The command line: `dwell VERB`, one verb per file.

Owns the last word about errors: every one of Dwell's errors becomes a sentence on standard error
and an exit code (dwell.cli.exits). A line that needs no explaining is read without loading typer,
so that `dwell get` in a script costs little more than starting Python.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process with its exit code."""
    from dwell.cli import exits
    from dwell.cli.output import complain
    from dwell.errors import Error

    _mend_streams()
    try:
        _run(sys.argv[1:])
        sys.stdout.flush()
    except Error as error:
        complain(str(error), hint=error.hint)
        sys.exit(exits.USAGE if isinstance(error, exits.Mistake) else exits.ERROR)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(exits.PIPE_CLOSED)
    except OSError as error:
        # What the verbs themselves open has its own sentences; this is where they print.
        complain(f"cannot print: {error.strerror}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(exits.ERROR)
    except KeyboardInterrupt:
        sys.exit(exits.INTERRUPTED)


def _mend_streams() -> None:
    """Have all three streams, each able to take any text."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            # The caller has closed it.
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run(words: list[str]) -> None:
    """Run the verb that the words name, or explain what is wrong with them."""
    from dwell.cli import quick
    from dwell.cli.parameters import parameters_of
    from dwell.cli.verbs import find

    found = find(words)
    if found is not None:
        place, rest = found
        if not place.takes_all:
            verb = place.load()
            given = quick.read(parameters_of(verb), rest)
            if given is not None:
                verb(**given)
                return
        elif "--help" not in rest:
            place.load()(rest)
            return
    from dwell.cli.explain import explain

    explain(words)
