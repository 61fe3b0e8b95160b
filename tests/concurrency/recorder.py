"""Clients that do random operations on a server and write down what they asked and what they saw.

Each client is a thread with a connection of its own and at most one request under way. What it
records is what the checker reads; a reply that never came is recorded as unknown, never as failed.
"""

from __future__ import annotations

import dataclasses
import random
import threading
import time
from typing import TYPE_CHECKING

from tests.concurrency.checker import Kind, Operation, Outcome
from tests.resp import Client, ReplyError
from tests.servers import is_dwell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.resp import Reply, Word
    from tests.servers import Server

RECONNECT_SECONDS = 0.01
REGISTERS = [b"register:%d" % number for number in range(5)]
COUNTERS = [b"counter:%d" % number for number in range(2)]
# Redis has neither command, so the harness is proven there by the scripts that people use instead.
SCRIPT_DELETE = "return redis.call('get',KEYS[1])==ARGV[1] and redis.call('del',KEYS[1]) or 0"
SCRIPT_SET = (
    "return redis.call('get',KEYS[1])==ARGV[1] and redis.call('set',KEYS[1],ARGV[2]) or false"
)


def compare_and_delete(key: bytes, expected: bytes) -> list[Word]:
    """Return the command that deletes a key if it holds `expected`."""
    if is_dwell():
        return [b"DELIFEQ", key, expected]
    return [b"EVAL", SCRIPT_DELETE, 1, key, expected]


def compare_and_set(key: bytes, value: bytes, expected: bytes) -> list[Word]:
    """Return the command that sets a key if it holds `expected`."""
    if is_dwell():
        return [b"SET", key, value, b"IFEQ", expected]
    return [b"EVAL", SCRIPT_SET, 1, key, expected, value]


class Recorder(threading.Thread):
    """One client; after `join`, `history` holds its operations and `error` what stopped it.

    Args:
        server: where to connect, again and again if connections break.
        client: the number of this client; it makes every written value unique.
        seed: with the number, decides all choices.
        stop: ends the client when it is set.
    """

    def __init__(self, server: Server, client: int, seed: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.history: list[Operation] = []
        self.error: BaseException | None = None
        self._server = server
        self._number = client
        self._randomness = random.Random(f"{seed}/{client}")
        self._stop_event = stop
        self._written = 0
        self._last_seen: dict[bytes, bytes] = {}

    def run(self) -> None:
        """Connect and work until told to stop, connecting again after each break."""
        while not self._stop_event.is_set():
            try:
                with self._server.client(timeout_seconds=5.0) as connection:
                    self._work(connection)
            except OSError:
                time.sleep(RECONNECT_SECONDS)
            except ReplyError as error:
                # Redis refuses commands while it loads; a command refused has not happened.
                if error.code != "LOADING":
                    self.error = error
                    return
                time.sleep(RECONNECT_SECONDS)
            except BaseException as error:  # noqa: BLE001 - reported by the test that joins us
                self.error = error
                return

    def _work(self, connection: Client) -> None:
        while not self._stop_event.is_set():
            if self._randomness.random() < 0.15:
                self._move_to_the_other_home(connection)
            operation, command = self._choose()
            self._do(connection, operation, command)

    def _move_to_the_other_home(self, connection: Client) -> None:
        """Give a key a lifetime or take it away, which must not change what is read."""
        key = self._randomness.choice([*REGISTERS, *COUNTERS])
        command: list[Word] = self._randomness.choice([[b"EXPIRE", key, 1000], [b"PERSIST", key]])
        connection.call(*command)

    def _choose(self) -> tuple[Operation, Sequence[Word]]:
        """Return a planned operation without its times, and the command that does it."""
        if self._randomness.random() < 0.25:
            return self._choose_for_counter(self._randomness.choice(COUNTERS))
        key = self._randomness.choice(REGISTERS)
        kind = self._randomness.choices(
            [Kind.READ, Kind.WRITE, Kind.DELETE, Kind.COMPARE_AND_DELETE, Kind.COMPARE_AND_SET],
            weights=[8, 5, 1, 3, 3],
        )[0]
        value = self._fresh_value()
        expected = self._last_seen.get(key, b"never written")
        match kind:
            case Kind.READ:
                return self._plan(key, kind), [b"GET", key]
            case Kind.WRITE:
                return self._plan(key, kind, value=value), self._write(key, value)
            case Kind.DELETE:
                return self._plan(key, kind), [b"DEL", key]
            case Kind.COMPARE_AND_DELETE:
                planned = self._plan(key, kind, expected=expected)
                return planned, compare_and_delete(key, expected)
            case _:
                planned = self._plan(key, kind, value=value, expected=expected)
                return planned, compare_and_set(key, value, expected)

    def _choose_for_counter(self, key: bytes) -> tuple[Operation, Sequence[Word]]:
        if self._randomness.random() < 0.3:
            return self._plan(key, Kind.READ), [b"GET", key]
        amount = self._randomness.randint(-3, 5)
        return self._plan(key, Kind.INCREMENT, value=amount), [b"INCRBY", key, amount]

    def _write(self, key: bytes, value: bytes) -> list[Word]:
        """Write with or without a lifetime, so that the key changes its home."""
        lifetime: list[Word] = [b"EX", 1000] if self._randomness.random() < 0.5 else []
        return [b"SET", key, value, *lifetime]

    def _fresh_value(self) -> bytes:
        self._written += 1
        return b"%d-%d" % (self._number, self._written)

    def _plan(
        self,
        key: bytes,
        kind: Kind,
        *,
        value: bytes | int | None = None,
        expected: bytes | None = None,
    ) -> Operation:
        return Operation(
            self._number, key, kind, 0, None, Outcome.UNKNOWN, value=value, expected=expected
        )

    def _do(self, connection: Client, planned: Operation, command: Sequence[Word]) -> None:
        called = dataclasses.replace(planned, called_ns=time.monotonic_ns())
        try:
            reply = connection.call(*command)
        except OSError:
            self.history.append(called)
            raise
        self.history.append(
            dataclasses.replace(
                called,
                returned_ns=time.monotonic_ns(),
                outcome=Outcome.OK,
                result=_result(planned.kind, reply),
            )
        )
        if planned.kind is Kind.READ and isinstance(reply, bytes):
            self._last_seen[planned.key] = reply


def _result(kind: Kind, reply: Reply) -> bytes | int | bool | None:
    """Turn a reply into what the checker compares."""
    match kind:
        case Kind.READ:
            assert reply is None or isinstance(reply, bytes)
            return reply
        case Kind.WRITE:
            assert reply == "OK"
            return None
        case Kind.COMPARE_AND_SET:
            assert reply in {"OK", None}
            return reply == "OK"
        case Kind.DELETE | Kind.COMPARE_AND_DELETE:
            assert reply in {0, 1}
            return reply == 1
        case Kind.INCREMENT:
            assert isinstance(reply, int)
            return reply
