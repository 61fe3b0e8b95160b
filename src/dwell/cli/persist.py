"""`dwell persist`: take a key's lifetime away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwell.cli import exits
from dwell.cli.arguments import Json, Key
from dwell.cli.connect import key_bytes, speaks_to_server
from dwell.cli.output import as_json, complain, print_json

if TYPE_CHECKING:
    from dwell.client.connection import Client


@speaks_to_server
def persist(client: Client, key: Key, json: Json = False) -> None:
    """Take a key's lifetime away, so that it stays; where there was none, exit code 3.

    Example:  dwell persist draft
    """
    had_lifetime = bool(client.execute("PERSIST", key_bytes(key)))
    if json:
        print_json({"key": as_json(key_bytes(key)), "had_lifetime": had_lifetime})
    if not had_lifetime:
        if not json:
            complain(f"absent, or without a lifetime: {key}")
        raise SystemExit(exits.NO)
