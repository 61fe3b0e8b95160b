"""The command line: `dwell VERB`, one verb per file.

Owns the list of verbs and the last word about errors: every one of Dwell's errors becomes a
sentence on standard error and an exit code (dwell.cli.exits). Only the verb that is called is
imported, so that `dwell get` starts as fast as Python does.
"""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and end the process with its exit code."""
    from dwell.cli import exits
    from dwell.cli.output import complain
    from dwell.errors import Error

    try:
        _run()
    except Error as error:
        complain(str(error), hint=error.hint)
        sys.exit(exits.ERROR)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(exits.PIPE_CLOSED)
    except KeyboardInterrupt:
        sys.exit(exits.INTERRUPTED)


def _run() -> None:
    """Parse the arguments and run the verb."""
    from dwell.cli.app import make_app

    make_app(sys.argv[1:])(prog_name="dwell")
