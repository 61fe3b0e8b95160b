"""`dwell log inspect`: list the segments of a log."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from dwell.cli import exits
from dwell.cli.arguments import Json
from dwell.cli.log.directory import Directory, moment
from dwell.cli.output import complain, print_json, print_table

COLUMNS = ("segment", "bytes", "records", "bytes of these", "gaps", "last", "from", "to")


def inspect(directory: Directory = Path("data"), json: Json = False) -> None:
    """List the segments of a log, oldest first: size, records, unclean stops, times (UTC).

    Example:  dwell log inspect /var/lib/dwell
    """
    from dwell.server.log_survey import survey_log

    survey = survey_log(directory)
    if json:
        print_json(dataclasses.asdict(survey))
        return
    rows = [
        (
            each.name,
            each.size_bytes,
            each.records_count,
            each.records_bytes,
            each.gaps_count,
            each.last_sequence,
            moment(each.first_ms),
            moment(each.last_ms),
        )
        for each in survey.segments
    ]
    print_table(COLUMNS, rows)
    if survey.damage:
        complain(f"the log is damaged behind these: {survey.damage}")
        sys.exit(exits.ERROR)
