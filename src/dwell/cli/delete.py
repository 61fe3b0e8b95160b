"""`dwell delete`: delete keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dwell.cli import exits
from dwell.cli.arguments import Json
from dwell.cli.connect import key_bytes, speaks_to_server
from dwell.cli.output import print_json, say
from dwell.cli.parameters import Argument

if TYPE_CHECKING:
    from dwell.client.connection import Client

Keys = Annotated[list[str], Argument("The keys.")]


@speaks_to_server
def delete(client: Client, keys: Keys, json: Json = False) -> None:
    """Delete keys and print how many there were; none is exit code 3.

    Example:  dwell delete session:7 session:8
    """
    deleted = client.execute("DEL", *map(key_bytes, keys))
    if json:
        print_json({"deleted": deleted})
    else:
        say(str(deleted))
    if not deleted:
        raise SystemExit(exits.NO)
