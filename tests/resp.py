"""A small RESP2 and RESP3 client for tests, written apart from the server's own codec.

It owns one socket and decodes replies one by one. It must not know what a command means: it sends
words and returns what came back, so that a test compares the server with the protocol's text and
not with our own reading of it. Simple strings come back as `str` and bulk strings as `bytes`, since
a status sent as a bulk string is a fault that real clients notice.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Self, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType


class ReplyError(Exception):
    """An error reply; `code` is its first word."""

    @property
    def code(self) -> str:
        """The first word of the message, such as `WRONGTYPE`."""
        return str(self).split(" ", 1)[0]


Word: TypeAlias = bytes | str | int | float
Scalar: TypeAlias = bool | int | float | str | bytes | ReplyError | None
Reply: TypeAlias = Scalar | list["Reply"] | dict[bytes | str, "Reply"]


class DisconnectedError(ConnectionError):
    """The server closed the connection before a whole reply had come."""


def encode(*words: Word) -> bytes:
    """Return the words as one RESP request."""
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        data = word if isinstance(word, bytes) else str(word).encode()
        parts.append(b"$%d\r\n%b\r\n" % (len(data), data))
    return b"".join(parts)


class Client:
    """One connection: `call` for one command, `pipeline` for many, `send_raw` for hostile bytes.

    Args:
        address: `(host, port)`, or the path of a Unix socket.
        protocol: 3 sends `HELLO 3` first.
        timeout_seconds: for connecting and for each read.
    """

    def __init__(
        self, address: tuple[str, int] | str, *, protocol: int = 2, timeout_seconds: float = 20.0
    ) -> None:
        """Connect, and say HELLO when RESP3 is asked for."""
        if isinstance(address, str):
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        else:
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(timeout_seconds)
        self.pushes: list[list[Reply]] = []
        try:
            self.socket.connect(address)
            self._incoming = self.socket.makefile("rb", buffering=1 << 16)
            if protocol == 3:
                self.call("HELLO", 3)
        except BaseException:
            self.socket.close()
            raise

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connection."""
        self.close()

    def close(self) -> None:
        """Close the connection; closing twice is harmless."""
        self._incoming.close()
        self.socket.close()

    def call(self, *words: Word) -> Reply:
        """Send one command and return its reply.

        Raises:
            ReplyError: the server answered by an error.
        """
        self.socket.sendall(encode(*words))
        reply = self.read_reply()
        if isinstance(reply, ReplyError):
            raise reply
        return reply

    def pipeline(self, commands: Iterable[Sequence[Word]]) -> list[Reply]:
        """Send all commands at once and return the replies in order; errors are values here."""
        count = self.send_commands(commands)
        return [self.read_reply() for _ in range(count)]

    def send_commands(self, commands: Iterable[Sequence[Word]]) -> int:
        """Send all commands at once, read nothing, and return how many replies will come."""
        requests = [encode(*command) for command in commands]
        self.socket.sendall(b"".join(requests))
        return len(requests)

    def send_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self.socket.sendall(data)

    def read_exactly(self, size: int) -> bytes:
        """Return the next `size` raw bytes of replies, for tests that know every reply's length."""
        data: bytes = self._incoming.read(size)
        if len(data) < size:
            raise DisconnectedError(f"connection closed after {len(data)} of {size} bytes")
        return data

    def read_reply(self) -> Reply:
        """Return the next reply; RESP3 pushes before it are kept in `pushes`."""
        while True:
            line = self._line()
            if line[:1] != b">":
                return self._decode(line)
            self.pushes.append([self.read_reply() for _ in range(int(line[1:]))])

    def _line(self) -> bytes:
        line: bytes = self._incoming.readline()
        if not line.endswith(b"\r\n"):
            raise DisconnectedError(f"connection closed inside a reply: {line!r}")
        return line[:-2]

    def _decode(self, line: bytes) -> Reply:
        mark, rest = line[:1], line[1:]
        if mark in b"+-:_#,(":
            return _decode_line(mark, rest)
        count = int(rest)
        if count < 0:
            return None
        if mark in b"$=!":
            data = self.read_exactly(count + 2)[:-2]
            if mark == b"!":
                return ReplyError(data.decode())
            return data[4:] if mark == b"=" else data
        if mark in b"*~":
            return [self.read_reply() for _ in range(count)]
        if mark == b"%":
            return {_map_key(self.read_reply()): self.read_reply() for _ in range(count)}
        if mark == b"|":  # attributes stand before the reply that they describe
            for _ in range(2 * count):
                self.read_reply()
            return self.read_reply()
        raise ValueError(f"no RESP type begins like this: {line!r}")


def _decode_line(mark: bytes, rest: bytes) -> Reply:
    if mark == b"+":
        return rest.decode()
    if mark == b"-":
        return ReplyError(rest.decode())
    if mark in b":(":
        return int(rest)
    if mark == b",":
        return float(rest)
    return rest == b"t" if mark == b"#" else None


def _map_key(reply: Reply) -> bytes | str:
    if isinstance(reply, bytes | str):
        return reply
    return str(reply)
