"""`dwell get`: print the value at a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from dwell.cli import exits
from dwell.cli.arguments import Json, Key
from dwell.cli.connect import key_bytes, speaks_to_server
from dwell.cli.output import as_json, complain, print_bytes, print_json

if TYPE_CHECKING:
    from dwell.client.connection import Client


@speaks_to_server
def get(client: Client, key: Key, json: Json = False) -> None:
    """Print the value at a key.

    Into a pipe or file it prints the bytes and nothing else. An absent key is exit code 3.

    Example:  dwell get picture > picture.png
    """
    value = cast("bytes | None", client.execute("GET", key_bytes(key)))
    if json:
        print_json(
            {"key": as_json(key_bytes(key)), "value": None if value is None else as_json(value)}
        )
    elif value is not None:
        print_bytes(value)
    if value is None:
        if not json:
            complain(f"no such key: {key}")
        raise SystemExit(exits.NO)
