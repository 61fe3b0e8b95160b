"""INFO keyspace: the databases that hold keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dwell.server.context import Context


def keyspace(context: Context) -> dict[str, object]:
    """Keys and deadlines of each database that is not empty."""
    databases: Mapping[Any, Mapping[str, int]] = context.engine.stats().get("namespaces", {})
    numbered = {int(number): counts for number, counts in databases.items()}
    return {
        f"db{number}": (
            f"keys={counts['keys']},expires={counts.get('deadlines', 0)},"
            f"avg_ttl={counts.get('average_ttl_ms', 0)}"
        )
        for number, counts in sorted(numbered.items())
        if counts["keys"]
    }
