"""`dwell status`: tell how a server is doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwell.cli.arguments import Json
from dwell.cli.connect import speaks_to_server
from dwell.cli.output import print_json, print_table
from dwell.client.replies import Verbatim

if TYPE_CHECKING:
    from dwell.client.connection import Client

SHOWN = {
    "server": ("dwell_version", "redis_version", "process_id", "uptime_in_seconds", "tcp_port"),
    "clients": ("connected_clients", "maxclients"),
    "memory": ("used_memory_human", "used_memory_rss_human", "maxmemory_human", "maxmemory_policy"),
    "persistence": (
        "dwell_synced_sequence",
        "dwell_applied_sequence",
        "dwell_dirty_bytes",
        "dwell_drain_lag_ms",
        "dwell_clock_stands_still",
        "dwell_drain_error",
        "dwell_refusing_writes",
    ),
    "stats": (
        "total_commands_processed",
        "instantaneous_ops_per_sec",
        "keyspace_hits",
        "keyspace_misses",
    ),
}
WHOLE = ("keyspace", "dwell")


@speaks_to_server
def status(client: Client, json: Json = False) -> None:
    """Tell how a server is doing: version, clients, memory, log and drain, keys, modules.

    With --json all that INFO tells, by section.

    Example:  dwell status --port 7000
    """
    sections = parse_info(client.execute("INFO", "everything"))
    if json:
        print_json(sections)
        return
    rows = [
        (section, name, sections[section][name])
        for section, names in SHOWN.items()
        for name in names
        if sections.get(section, {}).get(name, "") != ""
    ]
    rows += [(section, *pair) for section in WHOLE for pair in sections.get(section, {}).items()]
    print_table(("section", "what", "value"), rows)


def parse_info(reply: object) -> dict[str, dict[str, str]]:
    """The sections of INFO, their names in lower case."""
    text = reply.text if isinstance(reply, Verbatim) else str(reply)
    sections: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("# "):
            current = sections.setdefault(line[2:].lower(), {})
        elif ":" in line:
            name, _, value = line.partition(":")
            current[name] = value
    return sections
