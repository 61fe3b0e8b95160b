"""`dwell log stats`: sum a log up."""

from __future__ import annotations

from pathlib import Path

from dwell.cli.arguments import Json
from dwell.cli.log.directory import Directory, moment
from dwell.cli.output import print_json, print_table


def stats(directory: Directory = Path("data"), json: Json = False) -> None:
    """Sum a log up: segments, records, bytes, unclean stops, the span of time, how it ends.

    Example:  dwell log stats /var/lib/dwell
    """
    from dwell.server.log_survey import survey_log

    survey = survey_log(directory)
    starts = [each.first_ms for each in survey.segments if each.first_ms is not None]
    ends = [each.last_ms for each in survey.segments if each.last_ms is not None]
    told = {
        "lineage": survey.lineage,
        "segments": len(survey.segments),
        "records": sum(each.records_count for each in survey.segments),
        "records_bytes": sum(each.records_bytes for each in survey.segments),
        "size_bytes": sum(each.size_bytes for each in survey.segments),
        "gaps": sum(each.gaps_count for each in survey.segments),
        "last_sequence": max((each.last_sequence for each in survey.segments), default=0),
        "from": moment(min(starts, default=None)),
        "to": moment(max(ends, default=None)),
        "tail": survey.tail,
        "damage": survey.damage,
    }
    if json:
        print_json(told)
    else:
        print_table(("what", "value"), told.items())
