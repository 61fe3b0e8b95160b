"""The three races that TRIC+ loses, each at a hundred times the sample that showed it (INV-01).

Found there: 20 of 9,000 compare-and-deletes had two winners, 45 of 20,000 reads after one's own
write were stale, and 105 of 1,500 deleted keys came back. Here each sample is one key or one read
under the same race over sockets, pipelined so that the whole sample takes seconds; replies have
known lengths, so a whole pipeline of them is compared at once.
"""

from __future__ import annotations

import operator
import os
import threading
from typing import TYPE_CHECKING, Self

import pytest

from tests.concurrency.recorder import compare_and_delete
from tests.resp import Client, encode
from tests.servers import Server, data_flags, needs_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from tests.resp import Word

pytestmark = [needs_server, pytest.mark.slow]

SAMPLE_FACTOR = int(os.environ.get("DWELL_TEST_SAMPLE_FACTOR", "100"))
COMPARE_AND_DELETES = 9_000 * SAMPLE_FACTOR
OWN_READS = 20_000 * SAMPLE_FACTOR
DELETIONS = 1_500 * SAMPLE_FACTOR
CHUNK = 1_000
HOT_KEYS = 50
CONTENDERS = 3
READERS = 2
VALUE = b"v"


def join(commands: Iterable[Sequence[Word]]) -> bytes:
    """Return many commands as one run of bytes."""
    return b"".join(encode(*command) for command in commands)


def set_command(key: bytes, value: bytes, number: int) -> list[Word]:
    """Write with a lifetime at odd numbers and without one at even: the homes alternate."""
    return [b"SET", key, value, b"EX", b"1000"] if number % 2 else [b"SET", key, value]


def ask(client: Client, request: bytes, reply_bytes: int) -> bytes:
    """Send a run of commands and return the raw replies."""
    client.send_raw(request)
    return client.read_exactly(reply_bytes)


class Team:
    """Threads that run until the test ends; an error in any of them fails the test."""

    def __init__(self, server: Server, work: Callable[[Client], None], size: int) -> None:
        self.stop = threading.Event()
        self.rounds = 0
        self._server = server
        self._work = work
        self._errors: list[BaseException] = []
        self._threads = [threading.Thread(target=self._loop, daemon=True) for _ in range(size)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        for thread in self._threads:
            thread.join(timeout=20)
        if self._errors:
            raise self._errors[0]

    def _loop(self) -> None:
        try:
            with self._server.client() as client:
                while not self.stop.is_set():
                    self._work(client)
                    self.rounds += 1
        except BaseException as error:  # noqa: BLE001 - raised again by the thread of the test
            self._errors.append(error)


def test_compare_and_delete_has_exactly_one_winner(tmp_path: Path) -> None:
    with Server(tmp_path / "data", data_flags()) as server:
        contenders = [server.client() for _ in range(CONTENDERS)]
        barrier = threading.Barrier(CONTENDERS)
        for start in range(0, COMPARE_AND_DELETES, CHUNK):
            keys = [b"cad:%d" % number for number in range(start, start + CHUNK)]
            warm(contenders[0], keys)
            request = join(compare_and_delete(key, VALUE) for key in keys)
            answers = contend(contenders, barrier, request)
            # Every reply is ":0\r\n" or ":1\r\n", so byte 1 of each four is the verdict.
            wins = [
                sum(verdicts) - CONTENDERS * ord("0") for verdicts in zip(*answers, strict=True)
            ]
            assert wins == [1] * CHUNK, f"keys from {start} on: winners {sorted(set(wins))}"
        assert contenders[0].call("DBSIZE") == 0
        for client in contenders:
            client.close()


def warm(client: Client, keys: list[bytes]) -> None:
    """Write the keys and read each twice, so that a copy of it is in memory."""
    writes = join(set_command(key, VALUE, number) for number, key in enumerate(keys))
    assert ask(client, writes, 5 * len(keys)) == b"+OK\r\n" * len(keys)
    reads = join([b"GET", key] for key in keys for _ in range(2))
    assert ask(client, reads, 2 * 7 * len(keys)) == b"$1\r\nv\r\n" * (2 * len(keys))


def contend(clients: list[Client], barrier: threading.Barrier, request: bytes) -> list[bytes]:
    """Let all clients send the same request at the same moment; return each one's verdicts."""
    answers: list[bytes] = [b""] * len(clients)

    def one(number: int) -> None:
        barrier.wait(timeout=20)
        answers[number] = ask(clients[number], request, 4 * CHUNK)[1::4]

    threads = [threading.Thread(target=one, args=(number,)) for number in range(len(clients))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_no_value_older_than_an_acknowledged_one_is_read(tmp_path: Path) -> None:
    keys = [b"own:%d" % number for number in range(HOT_KEYS)]
    reads = join([b"GET", key] for key in keys)
    reply_bytes = 17 * HOT_KEYS
    newest: dict[int, list[bytes]] = {}

    def values_never_go_back(client: Client) -> None:
        values = ask(client, reads, reply_bytes).split(b"\r\n")[1::2]
        before = newest.setdefault(id(client), values)
        assert all(map(operator.ge, values, before)), f"{values} after {before}"
        newest[id(client)] = values

    with Server(tmp_path / "data", data_flags()) as server, server.client() as writer:
        write_all(writer, keys, 0)
        with Team(server, values_never_go_back, READERS) as readers:
            for number in range(1, OWN_READS // HOT_KEYS + 1):
                if number % 2:
                    write_and_read_each(writer, keys, number)
                else:
                    write_all(writer, keys, number)
                    seen = ask(writer, reads, reply_bytes)
                    assert seen == b"$10\r\n%010d\r\n" % number * HOT_KEYS
        assert readers.rounds > OWN_READS // HOT_KEYS // 100, "the readers hardly raced"


def write_all(writer: Client, keys: list[bytes], number: int) -> None:
    """Write one number to all keys, in either home."""
    value = b"%010d" % number
    request = join(set_command(key, value, number // 2) for key in keys)
    assert ask(writer, request, 5 * len(keys)) == b"+OK\r\n" * len(keys)


def write_and_read_each(writer: Client, keys: list[bytes], number: int) -> None:
    """Write and read each key in one pipeline: every read follows its own write."""
    value = b"%010d" % number
    commands = [
        command for key in keys for command in (set_command(key, value, number // 2), [b"GET", key])
    ]
    right = (b"+OK\r\n$10\r\n%b\r\n" % value) * len(keys)
    assert ask(writer, join(commands), len(right)) == right


def test_deleted_key_never_comes_back(tmp_path: Path) -> None:
    under_attack = [b""]

    def read_what_is_being_deleted(client: Client) -> None:
        client.send_raw(under_attack[0] + encode(b"ECHO", b"end"))
        while client.read_reply() != b"end":
            pass

    with Server(tmp_path / "data", data_flags()) as server, server.client() as deleter:
        with Team(server, read_what_is_being_deleted, READERS):
            for start in range(0, DELETIONS, CHUNK // 2):
                keys = [b"del:%d" % number for number in range(start, start + CHUNK // 2)]
                under_attack[0] = join([b"GET", key] for key in keys)
                delete_and_look(deleter, keys)
        assert deleter.call("DBSIZE") == 0
        server.restart()
        with server.client() as client:
            assert client.call("DBSIZE") == 0
            for start in range(0, DELETIONS, CHUNK):
                gone = [b"del:%d" % number for number in range(start, start + CHUNK)]
                assert client.call("EXISTS", *gone) == 0


def delete_and_look(deleter: Client, keys: list[bytes]) -> None:
    """Write, delete and read the keys in three steps, and see none of them after the second."""
    writes = join(set_command(key, VALUE, number) for number, key in enumerate(keys))
    assert ask(deleter, writes, 5 * len(keys)) == b"+OK\r\n" * len(keys)
    deletes = join([b"DEL", key] for key in keys)
    assert ask(deleter, deletes, 4 * len(keys)) == b":1\r\n" * len(keys)
    reads = join([b"GET", key] for key in keys)
    assert ask(deleter, reads, 5 * len(keys)) == b"$-1\r\n" * len(keys)
