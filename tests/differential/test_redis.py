"""Dwell answers what redis-server 7.0 answers, command by command, and ends in the same state.

Two servers get the same sequences; each difference that is meant has its reason in `sequences`.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.differential.sequences import KEYS, Command, sequences
from tests.resp import Client, Reply, ReplyError
from tests.servers import Server, needs_server

pytestmark = [
    needs_server,
    pytest.mark.redis,
    pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not here"),
]

TIME_TOLERANCE = {b"TTL": 20, b"EXPIRETIME": 20, b"PTTL": 20_000, b"PEXPIRETIME": 20_000}
DATABASES = (0, 1)
# What is written goes down at once and what is read is soon forgotten, so that a sequence meets its
# own keys in every state: dirty, being drained, below, a copy.
HURRIED = ["--drain-after-ms", "1", "--sync-interval-ms", "1", "--probation-bytes-max", "1048576"]
COMMANDS_PER_PIECE = 6
PAUSE_SECONDS = 0.003


@dataclass(frozen=True)
class Pair:
    """The same commands to both."""

    redis: Client
    dwell: Client

    def answers(self, commands: list[Command]) -> tuple[list[Reply], list[Reply]]:
        """Return what each answers, with pauses in which Dwell drains."""
        from_redis = self.redis.pipeline(commands)
        from_dwell: list[Reply] = []
        for start in range(0, len(commands), COMMANDS_PER_PIECE):
            from_dwell += self.dwell.pipeline(commands[start : start + COMMANDS_PER_PIECE])
            time.sleep(PAUSE_SECONDS)
        return from_redis, from_dwell


@pytest.fixture(scope="module", params=["lifetime", "memory", "disk"])
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    root = tmp_path_factory.mktemp("differential")
    flags = ["--save", "", "--appendonly", "no"]
    redis = Server(root / "redis", flags, command=["redis-server"])
    dwell = Server(root / "dwell", ["--placement", request.param, *HURRIED])
    with redis, dwell, redis.client() as to_redis, dwell.client() as to_dwell:
        yield Pair(to_redis, to_dwell)


def comparable(command: Command, reply: Reply) -> object:
    """Return a reply without what may differ."""
    if isinstance(reply, ReplyError):
        return f"error: {reply}"
    name = command[0].upper()
    if name == b"KEYS" and isinstance(reply, list):
        return sorted(repr(key) for key in reply)
    if name == b"RANDOMKEY":
        return reply is None
    return reply


def agree(command: Command, redis: Reply, dwell: Reply) -> bool:
    """Whether two replies to the same command are equal but for known differences."""
    tolerance = TIME_TOLERANCE.get(command[0].upper())
    if tolerance and isinstance(redis, int) and isinstance(dwell, int) and min(redis, dwell) > 0:
        return abs(redis - dwell) <= tolerance
    return comparable(command, redis) == comparable(command, dwell)


def with_expired_keys_noticed(commands: list[Command]) -> list[Command]:
    """Ask for every key before each count of keys, so that neither counts an expired one."""
    asking: list[Command] = [(b"EXISTS", *KEYS), *((b"EXISTS", key) for key in KEYS)]
    return [one for c in commands for one in ([*asking, c] if c[0] == b"DBSIZE" else [c])]


def state_commands() -> list[Command]:
    """Return the commands that show everything that is there."""
    per_key = (b"TYPE", b"GET", b"PEXPIRETIME")
    commands: list[Command] = []
    for database in DATABASES:
        commands.append((b"SELECT", b"%d" % database))
        commands += [(name, key) for key in KEYS for name in per_key]
        commands += [(b"KEYS", b"*"), (b"DBSIZE",)]
    return commands


def scanned(client: Client) -> set[str]:
    """Return the keys that a whole walk tells."""
    keys: set[str] = set()
    cursor = b"0"
    while True:
        reply = client.call("SCAN", cursor, "COUNT", 2)
        assert isinstance(reply, list)
        following, page = reply
        assert isinstance(following, bytes)
        assert isinstance(page, list)
        keys |= {repr(key) for key in page}
        cursor = following
        if cursor == b"0":
            return keys


def clear(pair: Pair) -> None:
    """Empty both."""
    pair.answers([(b"SELECT", b"0"), (b"FLUSHALL",)])


def check_answers(commands: list[Command], redis: Reply, dwell: Reply) -> None:
    """Compare the answers to some commands one by one."""
    assert isinstance(redis, list)
    assert isinstance(dwell, list)
    for command, one, other in zip(commands, redis, dwell, strict=True):
        assert agree(command, one, other), (command, one, other)


def check_state(pair: Pair) -> None:
    """Compare everything that is there."""
    asked = state_commands()
    check_answers(asked, *pair.answers(asked))
    assert scanned(pair.redis) == scanned(pair.dwell)


many_examples = settings(
    max_examples=100,
    deadline=None,
    print_blob=True,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)


@many_examples
@given(commands=sequences)
def test_dwell_answers_as_redis_does(pair: Pair, commands: list[Command]) -> None:
    clear(pair)
    commands = with_expired_keys_noticed(commands)
    check_answers(commands, *pair.answers(commands))
    check_state(pair)


@many_examples
@given(commands=sequences, sizes=st.lists(st.integers(1, 12), min_size=1, max_size=8))
def test_transactions_end_as_in_redis(
    pair: Pair, commands: list[Command], sizes: list[int]
) -> None:
    """KEY-05."""
    clear(pair)
    rest = with_expired_keys_noticed(commands)
    for size in sizes:
        queued, rest = rest[:size], rest[size:]
        redis, dwell = pair.answers([(b"MULTI",), *queued, (b"EXEC",)])
        if isinstance(redis[-1], list):
            check_answers(queued, redis[-1], dwell[-1])
        else:
            assert list(map(str, redis)) == list(map(str, dwell)), queued
    check_state(pair)
