"""`dwell log verify`: read every record of a log and check it."""

from __future__ import annotations

from pathlib import Path

from dwell.cli import exits
from dwell.cli.arguments import Json
from dwell.cli.log.directory import Directory
from dwell.cli.output import complain, print_json, say


def verify(directory: Directory = Path("data"), json: Json = False) -> None:
    """Read every record of a log and check its sum; damage is exit code 1.

    A torn tail is no damage: it was never acknowledged as durable, and the next start cuts it off.

    Example:  dwell log verify /var/lib/dwell
    """
    from dwell.server.log_survey import survey_log

    survey = survey_log(directory)
    records = sum(each.records_count for each in survey.segments)
    if json:
        print_json({"records": records, "tail": survey.tail, "damage": survey.damage})
    elif not survey.damage:
        say(f"{records} records in {len(survey.segments)} segments are whole; tail: {survey.tail}")
    if survey.damage:
        if not json:
            complain(
                f"the log is damaged after {records} whole records: {survey.damage}",
                hint="restore from a base or a copy; a server refuses to start on this log",
            )
        raise SystemExit(exits.ERROR)
