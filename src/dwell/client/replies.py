"""What a reply can be beyond Python's own types: a status line, an error line, a verbatim text.

Owns these types and the name for all replies; knows nothing of bytes or sockets. The client gives
them to its callers, and commands written in Python answer with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dwell import errors

__all__ = ["Attributed", "ErrorReply", "Push", "Reply", "Status", "Verbatim", "to_error"]


@dataclass(frozen=True, slots=True)
class Status:
    """A status line such as `OK`: a word that the server says about itself, never stored data."""

    text: str


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An error line such as `ERR syntax error`, its code first."""

    text: str

    @property
    def code(self) -> str:
        """The first word, by which programs tell errors apart."""
        return self.text.partition(" ")[0]


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A text for people together with its format, `txt` or `mkd`."""

    format: str
    text: str


@dataclass(frozen=True, slots=True)
class Push:
    """What a server says unasked, apart from the replies (RESP3)."""

    items: list[Reply]


@dataclass(frozen=True, slots=True)
class Attributed:
    """A reply with pairs about it, which a server alone makes; in RESP2 they are left out."""

    attributes: dict[Reply, Reply]
    reply: Reply


Reply: TypeAlias = (
    "bool | int | float | bytes | str | Status | ErrorReply | Verbatim | Push | Attributed"
    " | list[Reply] | dict[Reply, Reply] | set[Reply] | frozenset[Reply] | None"
)
"""One reply: an answer of the server, or an element of one."""

_CODES = {
    "WRONGTYPE": errors.WrongTypeError,
    "BUSY": errors.BusyError,
    "LOCKED": errors.BusyError,
    "LOADING": errors.BusyError,
    "READONLY": errors.RefusedError,
    "OOM": errors.RefusedError,
    "NOAUTH": errors.RefusedError,
    "WRONGPASS": errors.RefusedError,
    "DENIED": errors.RefusedError,
    "NOPERM": errors.RefusedError,
    "MISCONF": errors.UnavailableError,
}


def to_error(reply: ErrorReply) -> errors.Error:
    """The exception for an error line, by what the caller can do about it."""
    if reply.text.startswith("ERR corrupt"):
        return errors.CorruptError(reply.text)
    if reply.text.startswith("ERR internal"):
        return errors.InternalError(reply.text)
    return _CODES.get(reply.code, errors.UsageError)(reply.text)
