"""`dwell where`: tell where keys live and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

from dwell.cli import exits
from dwell.cli.arguments import Json
from dwell.cli.connect import key_bytes, speaks_to_server
from dwell.cli.output import as_json, as_text, print_json, print_table
from dwell.cli.parameters import Argument

if TYPE_CHECKING:
    from dwell.client.connection import Client

Keys = Annotated[list[str], Argument("The keys.")]


@speaks_to_server
def where(client: Client, keys: Keys, json: Json = False) -> None:
    """Tell where keys live, memory or disk, and why; an absent key is exit code 3.

    Example:  dwell where session:7 user:42
    """
    replies = cast("list[Any]", client.execute("DWELL.WHERE", *map(key_bytes, keys)))
    places = [_facts(reply) for reply in replies]
    if json:
        print_json(
            [
                {"key": as_json(key_bytes(key)), **(place or {"home": None})}
                for key, place in zip(keys, places, strict=True)
            ]
        )
    else:
        columns = ("home", "tier", "size_bytes", "reason")
        rows = [
            (key, *(place[name] for name in columns)) if place else (key, "absent", "", "", "")
            for key, place in zip(keys, places, strict=True)
        ]
        print_table(("key", "home", "answered from", "bytes", "why"), rows)
    if not all(places):
        raise SystemExit(exits.NO)


def _facts(reply: Any) -> dict[str, Any] | None:
    """What is told of one key, as text by name; None for an absent key."""
    if reply is None:
        return None
    pairs = reply.items() if isinstance(reply, dict) else zip(reply[::2], reply[1::2], strict=True)
    return {_text(name): _text(value) for name, value in pairs}


def _text(value: Any) -> Any:
    return as_text(value) if isinstance(value, bytes) else value
