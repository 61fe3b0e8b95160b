"""What a log holds, read by the core and told as plain values, for `dwell log`.

Owns the shape. Reading changes nothing and works on a log that a server is writing just now.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import dwell.database  # noqa: F401 it hands the classes of errors to the core
from dwell import _core

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LogSurvey", "Segment", "survey_log"]


@dataclass(frozen=True, slots=True)
class Segment:
    """One file of the log.

    Attributes:
        name: its file name.
        size_bytes: its size, what was prewritten included.
        records_count: how many records it has.
        records_bytes: what these take.
        gaps_count: how many unclean stops it tells of.
        last_sequence: that of its last record; 0 if it has none.
        first_ms: when its first record was written, in Unix milliseconds; None without a record.
        last_ms: when its last one was.
    """

    name: str
    size_bytes: int
    records_count: int
    records_bytes: int
    gaps_count: int
    last_sequence: int
    first_ms: int | None
    last_ms: int | None


@dataclass(frozen=True, slots=True)
class LogSurvey:
    """A whole log.

    Attributes:
        lineage: the history that it belongs to, in hexadecimal; empty where there is no segment.
        segments: the files, oldest first.
        tail: `closed` by a clean stop, `open`, or `torn`: the next start cuts the torn rest off.
        damage: what is damaged and where; empty for a log that is whole.
    """

    lineage: str
    segments: tuple[Segment, ...]
    tail: str
    damage: str


def survey_log(directory: Path) -> LogSurvey:
    """Read and verify the log of an instance.

    Args:
        directory: the instance's directory.

    Raises:
        UnavailableError: there is no log, or it cannot be read.
    """
    told = _core.survey_log(str(directory))
    segments = tuple(Segment(**each) for each in told["segments"])
    return LogSurvey(told["lineage"], segments, told["tail"], told["damage"])
