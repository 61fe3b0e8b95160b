"""RESP2 and RESP3 as bytes, both ways: pure, no sockets, no waiting.

Owns the encoding of commands and the parsing of replies, from pieces of any size. A parser has
three outcomes: a reply, `NEED_MORE`, or an UnavailableError for bytes that are no RESP, after which
it must not be used again. Lengths are bounded: a mistaken peer cannot take all memory (INV-05).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from dwell.client.replies import ErrorReply, Push, Reply, Status, Verbatim
from dwell.errors import UnavailableError, UsageError
from dwell.values import VALUE_BYTES_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["NEED_MORE", "Argument", "ReplyParser", "encode_command"]

Argument: TypeAlias = bytes | str | int | float
"""A part of a command; everything but bytes is written as UTF-8 text."""

LINE_BYTES_MAX: Final = 64 * 1024
ITEMS_MAX: Final = 2**31 - 1
NESTING_MAX: Final = 128


class _NeedMore:
    """The type of `NEED_MORE`."""

    def __repr__(self) -> str:
        return "NEED_MORE"


NEED_MORE: Final = _NeedMore()
"""What the parser returns while the next reply is not complete."""


def encode_command(words: Sequence[Argument]) -> bytes:
    """Encode one command as an array of bulk strings.

    Raises:
        UsageError: there is no word at all.
    """
    if not words:
        raise UsageError("a command has at least its name: nothing given")
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        data = word if isinstance(word, bytes) else str(word).encode()
        parts += (b"$%d\r\n" % len(data), data, b"\r\n")
    return b"".join(parts)


@dataclass(slots=True)
class _Open:
    """An aggregate whose items are still arriving."""

    kind: int
    items_left: int
    items: list[Reply]


class ReplyParser:
    r"""Turn received bytes into replies.

    >>> parser = ReplyParser()
    >>> parser.feed(b"$5\r\nhel")
    >>> parser.next()
    NEED_MORE
    >>> parser.feed(b"lo\r\n:1\r\n")
    >>> parser.next(), parser.next(), parser.next()
    (b'hello', 1, NEED_MORE)
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._at = 0
        self._open: list[_Open] = []

    def feed(self, data: bytes) -> None:
        """Take bytes as they came."""
        if self._at:
            del self._buffer[: self._at]
            self._at = 0
        self._buffer += data

    def next(self) -> Reply | _NeedMore:
        """The next whole reply, or `NEED_MORE`.

        Raises:
            UnavailableError: the bytes are no RESP.
        """
        while True:
            item = self._item()
            if isinstance(item, _NeedMore):
                return NEED_MORE
            while True:
                if isinstance(item, _Open):
                    if item.items_left:
                        self._open.append(item)
                        break
                    item = _close(item)
                    if item is _SKIPPED:
                        break
                if not self._open:
                    return item  # type: ignore[return-value]
                inner = self._open[-1]
                inner.items.append(item)  # type: ignore[arg-type]
                inner.items_left -= 1
                if inner.items_left:
                    break
                item = self._open.pop()

    def _item(self) -> object:
        """One scalar, or the head of an aggregate, or `NEED_MORE`."""
        end = self._buffer.find(b"\r\n", self._at)
        if end < 0:
            if len(self._buffer) - self._at > LINE_BYTES_MAX:
                raise _mistake("a line without an end", self._buffer[self._at : self._at + 40])
            return NEED_MORE
        line = bytes(self._buffer[self._at : end])
        if not line:
            raise _mistake("an empty line", line)
        kind, rest = line[0], line[1:]
        if kind in _BULK:
            return self._bulk(kind, rest, end + 2)
        if kind in _AGGREGATES:
            self._at = end + 2
            return self._aggregate(kind, rest)
        if kind not in _LINES:
            raise _mistake("an unknown type", line)
        self._at = end + 2
        return _LINES[kind](rest)

    def _bulk(self, kind: int, rest: bytes, start: int) -> object:
        """A string of a stated length, or `NEED_MORE`."""
        length = _integer(rest)
        if length == -1 and kind == ord("$"):
            self._at = start
            return None
        if not 0 <= length <= VALUE_BYTES_MAX:
            raise _mistake("a string of impossible length", rest)
        end = start + length
        if len(self._buffer) < end + 2:
            return NEED_MORE
        if self._buffer[end : end + 2] != b"\r\n":
            raise _mistake("a string without its end", self._buffer[end : end + 2])
        data = bytes(self._buffer[start:end])
        self._at = end + 2
        return _BULK[kind](data)

    def _aggregate(self, kind: int, rest: bytes) -> object:
        """The head of an array, map, set, push or attribute."""
        count = _integer(rest)
        if count == -1 and kind == ord("*"):
            return None
        if not 0 <= count <= ITEMS_MAX:
            raise _mistake("an array of impossible length", rest)
        if len(self._open) >= NESTING_MAX:
            raise _mistake(f"more than {NESTING_MAX} arrays inside each other", rest)
        return _Open(kind, count * _AGGREGATES[kind], [])


_SKIPPED: Final = object()
_BULK: Final[dict[int, Callable[[bytes], Reply]]] = {
    ord("$"): lambda data: data,
    ord("!"): lambda data: ErrorReply(_text(data)),
    ord("="): lambda data: Verbatim(_text(data[:3]), _text(data[4:])),
}
_AGGREGATES: Final = {ord("*"): 1, ord("~"): 1, ord(">"): 1, ord("%"): 2, ord("|"): 2}


def _close(done: _Open) -> object:
    """The value of a complete aggregate; `_SKIPPED` for an attribute, which belongs to no reply.

    A set of arrays or maps becomes a list, since Python cannot put those into a set.
    """
    items = done.items
    if done.kind == ord("%"):
        return dict(zip(map(_hashable, items[::2]), items[1::2], strict=True))
    if done.kind == ord("~"):
        is_hashable = not any(isinstance(item, list | dict | set) for item in items)
        return set(items) if is_hashable else items
    if done.kind == ord(">"):
        return Push(items)
    return _SKIPPED if done.kind == ord("|") else items


def _hashable(item: Reply) -> Reply:
    """The item itself, or its text where Python cannot have it as a key."""
    return repr(item) if isinstance(item, list | dict | set) else item


def _boolean(rest: bytes) -> bool:
    if rest not in (b"t", b"f"):
        raise _mistake("a boolean that is neither t nor f", rest)
    return rest == b"t"


def _integer(rest: bytes) -> int:
    digits = rest[1:] if rest[:1] in (b"-", b"+") else rest
    if not digits.isdigit() or len(digits) > LINE_BYTES_MAX // 16:
        raise _mistake("a number that is none", rest)
    return int(rest)


def _double(rest: bytes) -> float:
    try:
        return float(rest)
    except ValueError:
        raise _mistake("a decimal that is none", rest) from None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


_LINES: Final[dict[int, Callable[[bytes], Reply]]] = {
    ord("+"): lambda rest: Status(_text(rest)),
    ord("-"): lambda rest: ErrorReply(_text(rest)),
    ord(":"): _integer,
    ord("("): _integer,
    ord(","): _double,
    ord("#"): _boolean,
    ord("_"): lambda _: None,
}


def _mistake(what: str, seen: Iterable[int]) -> UnavailableError:
    """The error for bytes that no server of Redis's protocol sends."""
    return UnavailableError(
        f"the server does not speak RESP, it sent {what}: {bytes(seen)[:40]!r}",
        hint="is this the port of a Redis-compatible server?",
    )
