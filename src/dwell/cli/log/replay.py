"""`dwell log replay`: make an instance from the log of another one, up to a time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from dwell.cli.arguments import Json
from dwell.cli.log.directory import Directory, moment
from dwell.cli.output import print_json, say
from dwell.cli.parameters import Argument, Option

Target: TypeAlias = Annotated[
    Path, Argument("The directory of the new instance; it does not exist yet, or is empty.")
]
Until: TypeAlias = Annotated[
    str, Option(("--until",), help="The time: ISO 8601, in UTC unless it names a zone.")
]
FileName: TypeAlias = Annotated[
    str,
    Option(("--database-file-name",), help="As the instance is opened with, if it is."),
]


def replay(
    directory: Directory,
    target: Target,
    until: Until,
    database_file_name: FileName = "",
    json: Json = False,
) -> None:
    """Make a new instance that is what another one was at a time, batches whole.

    Reaches back to the beginning of the log, or to the oldest restore point where history is kept
    (the setting history_ms). The other instance is only read; its times are those of the records,
    as `dwell log inspect` shows them.

    Example:  dwell log replay /var/lib/dwell /tmp/restored --until 2026-11-30T17:05:00
    """
    from dwell.server.log_replay import replay_log, unix_ms

    until_ms = unix_ms(until)
    records = replay_log(directory, target, until_ms, database_file_name)
    if json:
        print_json({"target": str(target), "until_ms": until_ms, "records": records})
    else:
        say(f"{target} is what {directory} was at {moment(until_ms)} UTC: {records} records")
