"""The argument of every verb of `dwell log`, and the forms that they share."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeAlias

from dwell.cli.parameters import Argument

__all__ = ["Directory", "moment"]

Directory: TypeAlias = Annotated[
    Path, Argument("The directory of the instance; a server may be using it.")
]


def moment(unix_ms: int | None) -> str:
    """A time for people, in UTC; empty for none.

    >>> moment(0), moment(None)
    ('1970-01-01 00:00:00.000', '')
    """
    if unix_ms is None:
        return ""
    at = datetime.fromtimestamp(unix_ms / 1000, UTC)
    return f"{at:%Y-%m-%d %H:%M:%S}.{unix_ms % 1000:03}"
