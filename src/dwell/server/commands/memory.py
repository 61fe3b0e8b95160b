"""MEMORY USAGE: the bytes of a key and its value, without the tables around them.

Source: Redis MEMORY USAGE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwell.errors import UsageError
from dwell.server.registry import command
from dwell.server.request import SYNTAX, parse_integer

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.request import Request


@command("memory|usage", is_readonly=True, is_slow=True)
def memory_usage(request: Request) -> Reply:
    """Answer the bytes of a key and its value; null for an absent key."""
    key, *options = request.arguments
    match [option.upper() for option in options]:
        case []:
            pass
        case [b"SAMPLES", count]:
            if parse_integer(count) < 0:
                raise UsageError(SYNTAX)
        case _:
            raise UsageError(SYNTAX)
    facts = request.context.engine.where(request.database, key)
    return None if facts is None else len(key) + int(facts["size_bytes"])
