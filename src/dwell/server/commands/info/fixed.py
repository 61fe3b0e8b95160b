"""INFO replication, modules and cluster: features that are not there yet, said as Redis says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dwell.server.context import Context


def replication(context: Context) -> dict[str, object]:
    """A master without replicas; the run's id stands for its replication id."""
    return {
        "role": "master",
        "connected_slaves": 0,
        "master_failover_state": "no-failover",
        "master_replid": context.run_id,
        "master_replid2": "0" * 40,
        "master_repl_offset": 0,
        "second_repl_offset": -1,
        "repl_backlog_active": 0,
        "repl_backlog_size": 0,
        "repl_backlog_first_byte_offset": 0,
        "repl_backlog_histlen": 0,
    }


def modules(_context: Context) -> dict[str, object]:
    """Modules in C, which cannot be loaded."""
    return {}


def cluster(_context: Context) -> dict[str, object]:
    """There is no cluster."""
    return {"cluster_enabled": 0}
