"""`dwell expire`: give a key a lifetime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dwell.cli import exits
from dwell.cli.arguments import Json, Key
from dwell.cli.connect import key_bytes, milliseconds, speaks_to_server
from dwell.cli.output import as_json, complain, print_json
from dwell.cli.parameters import Argument

if TYPE_CHECKING:
    from dwell.client.connection import Client

Seconds = Annotated[float, Argument("The lifetime from now on; 0 deletes.", minimum=0)]


@speaks_to_server
def expire(client: Client, key: Key, seconds: Seconds, json: Json = False) -> None:
    """Give a key a lifetime, and with it a home in memory; an absent key is exit code 3.

    Example:  dwell expire draft 3600
    """
    is_present = bool(client.execute("PEXPIRE", key_bytes(key), milliseconds(seconds)))
    if json:
        print_json({"key": as_json(key_bytes(key)), "exists": is_present})
    if not is_present:
        if not json:
            complain(f"no such key: {key}")
        raise SystemExit(exits.NO)
