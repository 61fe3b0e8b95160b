"""`dwell compare-and-delete`: delete a key only while it holds a value."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

from dwell.cli import exits
from dwell.cli.arguments import Json, Key
from dwell.cli.connect import key_bytes, speaks_to_server
from dwell.cli.output import as_json, complain, print_json
from dwell.cli.parameters import Argument

if TYPE_CHECKING:
    from dwell.client.connection import Client

Expected = Annotated[str, Argument("The value that the key must hold.")]


@speaks_to_server
def compare_and_delete(client: Client, key: Key, expected: Expected, json: Json = False) -> None:
    """Delete a key only while it holds a value; if it does not, exit code 3.

    One step: of two callers that expect the same value, one deletes it.

    Example:  dwell compare-and-delete lock:job7 "$TOKEN"
    """
    is_deleted = bool(client.execute("DELIFEQ", key_bytes(key), os.fsencode(expected)))
    if json:
        print_json({"key": as_json(key_bytes(key)), "deleted": is_deleted})
    if not is_deleted:
        if not json:
            complain(f"not deleted, absent or another value: {key}")
        raise SystemExit(exits.NO)
