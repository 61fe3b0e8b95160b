"""The judge judged: a right recovery is accepted, and each kind of wrong one is found."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Self

import pytest

from tests.durability.workload import Stored, Writer, now_ms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.resp import Reply, Word


class MemoryServer:
    """A right server of the few commands that the workload sends, which breaks after some replies.

    `halfway` is what it held when half of them were sent.
    """

    def __init__(self, break_after: int) -> None:
        self.stored: dict[bytes, Stored] = {}
        self.halfway: dict[bytes, Stored] = {}
        self._left = break_after
        self._half = break_after // 2
        self._queued: list[Sequence[Word]] | None = None
        self._replies: list[Reply] = []

    def client(self, *, timeout_seconds: float) -> MemoryServer:
        del timeout_seconds
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def send_commands(self, commands: Iterable[Sequence[Word]]) -> None:
        self._replies = [self.execute(command) for command in commands]
        if self._left > self._half:
            self.halfway = dict(self.stored)

    def read_reply(self) -> Reply:
        self._left -= 1
        if self._left < 0:
            raise ConnectionError
        return self._replies.pop(0)

    def call(self, *words: Word) -> Reply:
        return self.execute(words)

    def pipeline(self, commands: Iterable[Sequence[Word]]) -> list[Reply]:
        return [self.execute(command) for command in commands]

    def execute(self, words: Sequence[Word]) -> Reply:
        name = words[0]
        if name == b"MULTI":
            self._queued = []
            return "OK"
        if name == b"EXEC":
            queued, self._queued = self._queued or [], None
            return [self.execute(each) for each in queued]
        if self._queued is not None:
            self._queued.append(words)
            return "QUEUED"
        return self._single(words)

    def _single(self, words: Sequence[Word]) -> Reply:
        name, keys = words[0], [key for key in words[1:] if isinstance(key, bytes)]
        found = self._get(keys[0])
        match name:
            case b"MGET":
                return [None if (each := self._get(key)) is None else each.value for key in keys]
            case b"PEXPIRETIME":
                if found is None:
                    return -2
                return -1 if found.deadline_ms is None else found.deadline_ms[0]
            case b"SET":
                self._put(keys[0], keys[1], words[-1] if len(words) > 3 else None)
                return "OK"
            case b"INCR":
                self._put(keys[0], b"%d" % (int(found.value) + 1 if found else 1), None)
                return 1
            case b"DEL":
                self.stored.pop(keys[0], None)
            case b"PEXPIRE" | b"PERSIST":
                if found is not None:
                    self._put(keys[0], found.value, words[2] if name == b"PEXPIRE" else None)
        return 1

    def _get(self, key: bytes) -> Stored | None:
        found = self.stored.get(key)
        if found is not None and found.deadline_ms is not None and found.deadline_ms[0] < now_ms():
            return None
        return found

    def _put(self, key: bytes, value: bytes, lifetime_ms: Word | None) -> None:
        deadline = None if lifetime_ms is None else now_ms() + int(lifetime_ms)
        self.stored[key] = Stored(value, None if deadline is None else (deadline, deadline))


def worked(break_after: int = 700) -> tuple[Writer, MemoryServer]:
    """Return a writer whose connection broke, and the server that it wrote to."""
    writer, server = Writer(0, "seed"), MemoryServer(break_after)
    writer.work(server, threading.Event())  # type: ignore[arg-type]
    return writer, server


def verify(writer: Writer, server: MemoryServer, *, is_loss_allowed: bool = False) -> None:
    writer.verify(server, is_loss_allowed=is_loss_allowed)  # type: ignore[arg-type]


def test_right_recovery_is_accepted_wherever_the_connection_broke() -> None:
    for break_after in range(200, 260):
        writer, server = worked(break_after)
        verify(writer, server)


def test_value_that_was_never_written_is_found() -> None:
    writer, server = worked()
    server.stored[b"plain:0:0"] = Stored(b"never written")
    with pytest.raises(AssertionError, match="plain:0:0"):
        verify(writer, server)


def test_state_before_the_last_answer_is_found_unless_loss_is_allowed() -> None:
    writer, server = worked()
    server.stored = server.halfway
    with pytest.raises(AssertionError, match="no state from step"):
        verify(writer, server)
    verify(writer, server, is_loss_allowed=True)


def test_half_a_batch_is_found() -> None:
    writer, server = worked()
    del server.stored[b"right:0"]
    with pytest.raises(AssertionError, match="right:0"):
        verify(writer, server)
    with pytest.raises(AssertionError, match="no state"):
        verify(writer, server, is_loss_allowed=True)


def test_lost_lifetime_and_moved_deadline_are_found() -> None:
    for deadline_ms in (None, (now_ms() + 2_000_000,) * 2, (now_ms() + 900_000,) * 2):
        writer, server = worked()
        right = server.stored[b"right:0"]
        server.stored[b"right:0"] = Stored(right.value, deadline_ms)
        with pytest.raises(AssertionError, match="right:0"):
            verify(writer, server)


def test_key_that_came_back_is_found() -> None:
    writer, server = worked()
    gone = next(key for key in writer.keys if key not in server.stored)
    server.stored[gone] = Stored(b"old")
    with pytest.raises(AssertionError, match="no state"):
        verify(writer, server)


def test_expired_key_that_is_still_there_is_found() -> None:
    writer, server = worked()
    past = now_ms() - 500
    fleeting = next(key for key in server.stored if key.startswith(b"fleeting"))
    value = server.stored[fleeting].value
    server.stored[fleeting] = Stored(value, (past + 100_000, past + 100_000))
    with pytest.raises(AssertionError, match="fleeting"):
        verify(writer, server)
