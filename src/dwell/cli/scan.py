"""`dwell scan`: walk the keys under a prefix, in order, over both homes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, cast

from dwell.cli.arguments import Json
from dwell.cli.connect import key_bytes, speaks_to_server
from dwell.cli.output import as_json, as_text, print_json, print_table, say
from dwell.cli.parameters import Argument, Option

if TYPE_CHECKING:
    from dwell.client.connection import Client

PAGE_KEYS = 1000

Prefix = Annotated[str, Argument("What the keys begin with; without one, all keys.")]
Limit = Annotated[int | None, Option(("--limit",), minimum=1, help="How many keys at most.")]
Reverse = Annotated[bool, Option(("--reverse",), help="From the last key to the first.")]
KeysOnly = Annotated[bool, Option(("--keys-only",), help="Without the values.")]


@speaks_to_server
def scan(
    client: Client,
    prefix: Prefix = "",
    limit: Limit = None,
    reverse: Reverse = False,
    keys_only: KeysOnly = False,
    json: Json = False,
) -> None:
    """Print the keys under a prefix in order, with their values.

    With --json one object a line. Into a pipe, key and value are separated by a tab and escaped.

    Example:  dwell scan user: --limit 20
    """
    rows = _rows(client, key_bytes(prefix), limit, reverse=reverse, keys_only=keys_only)
    if json:
        for key, value in rows:
            told = {"key": as_json(key)}
            if not keys_only:
                told["value"] = _value_json(value)
            print_json(told)
    elif keys_only:
        for key, _ in rows:
            say(as_text(key))
    else:
        print_table(("key", "value"), ((as_text(key), _value_text(value)) for key, value in rows))
    sys.stdout.flush()


def _rows(
    client: Client, prefix: bytes, limit: int | None, *, reverse: bool, keys_only: bool
) -> Iterator[tuple[bytes, Any]]:
    """Keys and values, fetched page by page."""
    cursor: bytes | None = None
    left = limit
    while left is None or left > 0:
        page = PAGE_KEYS if left is None else min(left, PAGE_KEYS)
        words: list[bytes | str | int] = ["DWELL.SCAN", prefix, "LIMIT", page]
        words += ["CURSOR", cursor] if cursor is not None else []
        words += ["REV"] * reverse + ["KEYSONLY"] * keys_only
        cursor, items = cast("tuple[bytes | None, list[Any]]", client.execute(*words))
        step = 1 if keys_only else 2
        for at in range(0, len(items), step):
            yield items[at], None if keys_only else items[at + 1]
        if left is not None:
            left -= len(items) // step
        if cursor is None:
            return


def _value_text(value: object) -> str:
    return as_text(value) if isinstance(value, bytes) else str(value)


def _value_json(value: object) -> object:
    return as_json(value) if isinstance(value, bytes) else value
