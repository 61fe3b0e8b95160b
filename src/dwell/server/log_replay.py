"""Making an instance from the log of another one up to a time, for `dwell log replay`.

Owns what such a time may look like. The other instance is only read, served or not.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from dwell import _core
from dwell.database import engine_settings
from dwell.errors import UsageError
from dwell.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["replay_log", "unix_ms"]

MILLISECOND: Final = timedelta(milliseconds=1)


def unix_ms(moment: str) -> int:
    """Read a time: ISO 8601, in UTC unless it names a zone.

    Raises:
        UsageError: it is no time.

    >>> unix_ms("1970-01-01 00:00:01.5"), unix_ms("1970-01-01T01:00:00+01:00")
    (1500, 0)
    """
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        hint = "such as 2026-11-30T17:05:00 or '2026-11-30 17:05:00.250+01:00'"
        raise UsageError(f"this is no time: {moment}", hint=hint) from None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return (at - datetime.fromtimestamp(0, UTC)) // MILLISECOND


def replay_log(directory: Path, target: Path, until_ms: int, database_file_name: str) -> int:
    """Make `target` what the instance in `directory` was at a time.

    Args:
        directory: the instance's directory.
        target: a directory that does not exist or is empty.
        until_ms: the time, in Unix milliseconds.
        database_file_name: the setting of that name, of both instances.

    Returns:
        How many records were replayed.

    Raises:
        UsageError: the target is not empty, or the log does not reach back to that time.
        CorruptError: a file is damaged.
        UnavailableError: there is no log, or a file cannot be read or written.
    """
    settings = Settings(directory=target, database_file_name=database_file_name)
    told = engine_settings(settings)
    return _core._replay_log(  # noqa: SLF001 the core's name for what is told here
        str(directory), str(target), until_ms, told
    )
