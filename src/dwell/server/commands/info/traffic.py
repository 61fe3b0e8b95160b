"""INFO clients and stats: connections and what came over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dwell.server.context import Context

UNUSED = (
    "sync_full",
    "sync_partial_ok",
    "sync_partial_err",
    "pubsub_channels",
    "pubsub_patterns",
    "tracking_clients",
)


def clients(context: Context) -> dict[str, object]:
    """The connections open now."""
    facts = context.server.facts()
    return {
        "connected_clients": facts.get("clients", 0),
        "cluster_connections": 0,
        "maxclients": context.configuration.settings.clients_max,
        "client_recent_max_input_buffer": facts.get("input_buffer_bytes_peak", 0),
        "client_recent_max_output_buffer": facts.get("output_buffer_bytes_peak", 0),
        "blocked_clients": facts.get("blocked_clients", 0),
        "tracking_clients": 0,
        "clients_in_timeout_table": 0,
    }


def stats(context: Context) -> dict[str, object]:
    """What came since the start, or since CONFIG RESETSTAT."""
    counts = context.counts()
    told: dict[str, object] = {
        "total_connections_received": counts.get("connections_received", 0),
        "total_commands_processed": counts.get("commands_processed", 0),
        "instantaneous_ops_per_sec": counts.get("commands_per_s", 0),
        "total_net_input_bytes": counts.get("input_bytes", 0),
        "total_net_output_bytes": counts.get("output_bytes", 0),
        "instantaneous_input_kbps": f"{counts.get('input_bytes_per_s', 0) / 1024:.2f}",
        "instantaneous_output_kbps": f"{counts.get('output_bytes_per_s', 0) / 1024:.2f}",
        "rejected_connections": counts.get("connections_rejected", 0),
        "expired_keys": counts.get("keys_expired", 0),
        "evicted_keys": counts.get("keys_evicted", 0),
        "evicted_clients": 0,
        "keyspace_hits": counts.get("keyspace_hits", 0),
        "keyspace_misses": counts.get("keyspace_misses", 0),
        "total_error_replies": counts.get("error_replies", 0),
        "latest_fork_usec": 0,
        "total_forks": 0,
    }
    return told | dict.fromkeys(UNUSED, 0)
