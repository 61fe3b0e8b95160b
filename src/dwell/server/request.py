"""A command written in Python, as its function sees it: the words, the client, the server around.

Owns the reading of arguments with Redis's error texts. Knows nothing of how a command got here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dwell.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dwell.server.context import Context
    from dwell.server.native import Facts

__all__ = ["NOT_AN_INTEGER", "SYNTAX", "Request", "parse_integer", "text"]

_INTEGER = re.compile(rb"-?[1-9][0-9]{0,18}|0")
NOT_AN_INTEGER: Final = "value is not an integer or out of range"
SYNTAX: Final = "syntax error"


def parse_integer(word: bytes, message: str = NOT_AN_INTEGER) -> int:
    """Read a 64-bit integer as strictly as Redis does.

    Raises:
        UsageError: it is none; the message is the one given.
    """
    value = int(word) if _INTEGER.fullmatch(word) else 2**63
    if not -(2**63) <= value < 2**63:
        raise UsageError(message)
    return value


@dataclass(frozen=True, slots=True)
class Request:
    """One command to answer.

    Attributes:
        words: the command as sent; its name, and its subcommand if it has one, come first.
        arguments: what follows the name and subcommand.
        client: the facts of the connection.
        database: the number that SELECT chose.
        protocol: 2 or 3.
        is_in_multi: whether it runs inside EXEC.
        context: the server around.
    """

    words: Sequence[bytes]
    arguments: Sequence[bytes]
    client: Facts
    database: int
    protocol: int
    is_in_multi: bool
    context: Context

    def options(self) -> list[str]:
        """The arguments as upper-case text, for comparing with literals."""
        return [text(word).upper() for word in self.arguments]


def text(word: bytes) -> str:
    """Bytes as text that becomes the same bytes again."""
    return word.decode("utf-8", "surrogateescape")
