"""`dwell ttl`: print how long a key has left."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from dwell.cli import exits
from dwell.cli.arguments import Json, Key
from dwell.cli.connect import key_bytes, speaks_to_server
from dwell.cli.output import as_json, complain, print_json, say

if TYPE_CHECKING:
    from dwell.client.connection import Client

NO_LIFETIME_MS = -1
ABSENT_MS = -2


@speaks_to_server
def ttl(client: Client, key: Key, json: Json = False) -> None:
    """Print the seconds that a key has left, or `none`; an absent key is exit code 3.

    Example:  dwell ttl session:7
    """
    left_ms = cast("int", client.execute("PTTL", key_bytes(key)))
    left_s = left_ms / 1000 if left_ms >= 0 else None
    is_present = left_ms != ABSENT_MS
    if json:
        print_json({"key": as_json(key_bytes(key)), "exists": is_present, "ttl_s": left_s})
    elif is_present:
        say("none" if left_s is None else f"{left_s:.3f}")
    if not is_present:
        if not json:
            complain(f"no such key: {key}")
        raise SystemExit(exits.NO)
