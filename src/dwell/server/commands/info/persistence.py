"""INFO persistence: the log, the drain, the saves.

Redis's fields first, with the nearest truth about Dwell; Dwell's own after them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dwell.server.context import Context


def persistence(context: Context) -> dict[str, object]:
    """How far log and files have come."""
    stats = context.engine.stats()
    settings = context.configuration.settings
    has_log = settings.directory is not None
    status = "err" if context.save_error else "ok"
    refusing = _sentence(stats.get("refusing"))
    return {
        "loading": 0,
        "async_loading": 0,
        "rdb_changes_since_last_save": stats.get("sequence", 0) - stats.get("applied_sequence", 0),
        "rdb_bgsave_in_progress": int(context.saving.locked()),
        "rdb_last_save_time": (context.saved_us or context.started_us) // 1_000_000,
        "rdb_last_bgsave_status": status,
        "rdb_last_bgsave_time_sec": -1,
        "rdb_current_bgsave_time_sec": -1,
        "aof_enabled": int(has_log and settings.log_resident),
        "aof_rewrite_in_progress": 0,
        "aof_rewrite_scheduled": 0,
        "aof_last_bgrewrite_status": "ok",
        "aof_last_write_status": "err" if refusing else "ok",
        "dwell_sequence": stats.get("sequence", 0),
        "dwell_written_sequence": stats.get("written_sequence", 0),
        "dwell_synced_sequence": stats.get("synced_sequence", 0),
        "dwell_applied_sequence": stats.get("applied_sequence", 0),
        "dwell_dirty_bytes": stats.get("dirty_bytes", 0),
        "dwell_dirty_bytes_max": settings.dirty_bytes_max,
        "dwell_drain_lag_ms": stats.get("drain_lag_ms", 0),
        "dwell_log_bytes": stats.get("log_bytes", 0),
        "dwell_clock_stands_still": int(stats.get("clock_stands_still", False)),
        "dwell_drain_error": _sentence(stats.get("drain_error")),
        "dwell_refusing_writes": refusing,
    }


def _sentence(error: object) -> str:
    """An error on one line; empty for none."""
    return " ".join(str(error).split()) if error else ""
