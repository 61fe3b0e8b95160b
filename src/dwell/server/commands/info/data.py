"""INFO keyspace: the databases that hold keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dwell.server.context import Context


def keyspace(context: Context) -> dict[str, object]:
    """Keys and deadlines of each database that is not empty."""
    spaces: Sequence[Mapping[str, Any]] = context.engine.stats().get("spaces", ())
    numbered = {int(each["name"]): each for each in spaces if bytes(each["name"]).isdigit()}
    return {
        f"db{number}": f"keys={each['keys']},expires={each['expiring']},"
        f"avg_ttl={each['average_left_ms']}"
        for number, each in sorted(numbered.items())
        if each["keys"]
    }
