"""The administration commands, one file per family; importing this package registers them all."""

from __future__ import annotations

from dwell.server.commands import (
    client,
    clock,
    command,
    config,
    container_help,
    debug,
    function,
    info,
    latency,
    lolwut,
    memory,
    role,
    save,
    shutdown,
    slowlog,
)

__all__ = [
    "client",
    "clock",
    "command",
    "config",
    "container_help",
    "debug",
    "function",
    "info",
    "latency",
    "lolwut",
    "memory",
    "role",
    "save",
    "shutdown",
    "slowlog",
]
