"""INFO clients and stats: connections and what came over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dwell.server.context import Context

KIBIBYTE = 1024
UNUSED = (
    "sync_full",
    "sync_partial_ok",
    "sync_partial_err",
    "pubsub_channels",
    "pubsub_patterns",
)


def clients(context: Context) -> dict[str, object]:
    """The connections open now; blocked are those whose command is held back for a while."""
    facts = context.server.facts()
    return {
        "connected_clients": facts.get("clients", 0),
        "cluster_connections": 0,
        "maxclients": context.configuration.settings.clients_max,
        "client_recent_max_input_buffer": facts.get("input_waiting_bytes", 0),
        "client_recent_max_output_buffer": facts.get("output_waiting_bytes", 0),
        "blocked_clients": facts.get("clients_delayed", 0),
        "tracking_clients": 0,
        "clients_in_timeout_table": 0,
    }


def stats(context: Context) -> dict[str, object]:
    """What came since the start, or since CONFIG RESETSTAT."""
    counts = context.counts()
    told: dict[str, object] = {
        "total_connections_received": counts["connections_received"],
        "total_commands_processed": counts["commands_processed"],
        "instantaneous_ops_per_sec": round(context.rates.commands_per_s),
        "total_net_input_bytes": counts["input_bytes"],
        "total_net_output_bytes": counts["output_bytes"],
        "instantaneous_input_kbps": f"{context.rates.input_bytes_per_s / KIBIBYTE:.2f}",
        "instantaneous_output_kbps": f"{context.rates.output_bytes_per_s / KIBIBYTE:.2f}",
        "rejected_connections": counts["connections_rejected"],
        "expired_keys": counts["expired"],
        "evicted_keys": counts["evicted"],
        "evicted_clients": counts["dropped_for_output"],
        "keyspace_hits": counts["hits"],
        "keyspace_misses": counts["misses"],
        "total_error_replies": counts["error_replies"],
        "latest_fork_usec": 0,
        "total_forks": 0,
    }
    return told | dict.fromkeys(UNUSED, 0)
