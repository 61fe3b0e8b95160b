"""The exit codes of the command line, one for each thing that a script may want to know.

0  done, and the answer is yes
1  an error: one sentence on standard error says what, and a hint what to do
2  the call cannot be right: an unknown option, a value out of its bounds
3  done, and the answer is no: the key is absent, the condition did not hold
"""

from __future__ import annotations

from typing import Final

from dwell.errors import UsageError

__all__ = ["ERROR", "INTERRUPTED", "NO", "OK", "PIPE_CLOSED", "USAGE", "Mistake"]

OK: Final = 0
ERROR: Final = 1
USAGE: Final = 2
NO: Final = 3
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141


class Mistake(UsageError):  # noqa: N818 an error of the caller, named as what it is
    """Words that contradict each other: exit code 2."""
