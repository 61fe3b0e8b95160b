"""EXPIRE, PEXPIRE, EXPIREAT and PEXPIREAT key number [NX | XX | GT | LT]."""

from __future__ import annotations

import time

import pytest

from tests.commands.running import WRONG_INTEGER, error_of, ttl_is_about
from tests.resp import Client, Reply, Word
from tests.servers import needs_server

pytestmark = needs_server


FAR_S = 33_177_117_420


def test_each_form_gives_the_deadline(client: Client) -> None:
    client.call("SET", "k", "v")
    assert client.call("EXPIRE", "k", 100) == 1
    assert ttl_is_about(client, "k", 100)
    assert client.call("PEXPIRE", "k", 200_000) == 1
    assert ttl_is_about(client, "k", 200)
    assert client.call("EXPIREAT", "k", FAR_S) == 1
    assert client.call("EXPIRETIME", "k") == FAR_S
    assert client.call("PEXPIREAT", "k", FAR_S * 1000 + 1) == 1
    assert client.call("PEXPIRETIME", "k") == FAR_S * 1000 + 1
    assert client.call("GET", "k") == b"v"


def test_deadline_ends_the_key_for_every_command(client: Client) -> None:
    """TTL-03."""
    client.call("SET", "k", "v")
    assert client.call("PEXPIRE", "k", 50) == 1
    time.sleep(0.1)
    answers: list[tuple[tuple[Word, ...], Reply]] = [
        (("PERSIST", "k"), 0),
        (("EXPIRE", "k", 100), 0),
        (("GET", "k"), None),
        (("TTL", "k"), -2),
        (("EXISTS", "k"), 0),
        (("COPY", "k", "other"), 0),
        (("KEYS", "*"), []),
        (("DEL", "k"), 0),
    ]
    for words, expected in answers:
        assert client.call(*words) == expected, words


def test_expired_key_counts_as_absent_for_writes(client: Client) -> None:
    """TTL-03."""
    client.pipeline([("SET", key, "old", "PX", 50) for key in ("a", "b", "c", "d")])
    time.sleep(0.1)
    assert client.call("APPEND", "a", "new") == 3
    assert client.call("INCR", "b") == 1
    assert client.call("SETNX", "c", "new") == 1
    assert client.call("SET", "d", "new", "KEEPTTL") == "OK"
    for key in ("a", "b", "c", "d"):
        assert client.call("TTL", key) == -1


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("EXPIRE", -1),
        ("EXPIRE", 0),
        ("PEXPIRE", -5),
        ("EXPIREAT", 1),
        ("PEXPIREAT", 0),
        ("PEXPIRE", -(2**63)),
    ],
)
def test_lifetime_that_is_over_deletes_the_key(client: Client, command: str, number: int) -> None:
    """TTL-01."""
    client.call("SET", "k", "v")
    assert client.call(command, "k", number) == 1
    assert client.call("EXISTS", "k") == 0
    assert client.call("DBSIZE") == 0
    assert client.call(command, "k", number) == 0


def test_absent_key_gets_no_deadline(client: Client) -> None:
    assert client.call("EXPIRE", "k", 100) == 0
    assert client.call("EXISTS", "k") == 0


@pytest.mark.parametrize(
    ("option", "current", "wanted", "answer"),
    [
        ("NX", None, 100, 1),
        ("NX", 100, 200, 0),
        ("XX", None, 100, 0),
        ("xx", 100, 200, 1),
        ("GT", None, 100, 0),
        ("GT", 100, 200, 1),
        ("GT", 200, 100, 0),
        ("LT", None, 100, 1),
        ("LT", 100, 200, 0),
        ("lt", 200, 100, 1),
        ("LT", 100, -1, 1),
        ("GT", 100, -1, 0),
    ],
)
def test_condition_looks_at_the_deadline_there_is(
    client: Client, option: str, current: int | None, wanted: int, answer: int
) -> None:
    client.call("SET", "k", "v")
    if current is not None:
        client.call("EXPIRE", "k", current)
    assert client.call("EXPIRE", "k", wanted, option) == answer
    seconds = wanted if answer else current
    if seconds is None:
        assert client.call("TTL", "k") == -1
    elif seconds < 0:
        assert client.call("EXISTS", "k") == 0
    else:
        assert ttl_is_about(client, "k", seconds)


def test_condition_compares_moments_with_durations(client: Client) -> None:
    client.call("SET", "k", "v", "EXAT", FAR_S)
    assert client.call("EXPIRE", "k", 100, "GT") == 0
    assert client.call("EXPIREAT", "k", FAR_S, "GT") == 0
    assert client.call("EXPIREAT", "k", FAR_S, "LT") == 0
    assert client.call("EXPIRE", "k", 100, "XX", "LT") == 1
    assert ttl_is_about(client, "k", 100)


def test_options_that_contradict_or_are_unknown_are_refused(client: Client) -> None:
    client.call("SET", "k", "v")
    message = "ERR NX and XX, GT or LT options at the same time are not compatible"
    for other in ("XX", "GT", "LT"):
        assert error_of(client, "EXPIRE", "k", 100, "NX", other) == message
    message = "ERR GT and LT options at the same time are not compatible"
    assert error_of(client, "EXPIRE", "k", 100, "GT", "LT") == message
    assert error_of(client, "EXPIRE", "k", 100, "Foo") == "ERR Unsupported option Foo"
    assert client.call("TTL", "k") == -1


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("EXPIRE", 2**63 - 1),
        ("EXPIRE", -(2**63)),
        ("EXPIRE", (2**63 - 1) // 1000),
        ("PEXPIRE", 2**63 - 1),
        ("EXPIREAT", 2**63 - 1),
    ],
)
def test_lifetime_beyond_what_can_be_counted_is_refused(
    client: Client, command: str, number: int
) -> None:
    client.call("SET", "k", "v")
    message = f"ERR invalid expire time in '{command.lower()}' command"
    assert error_of(client, command, "k", number) == message
    assert client.call("TTL", "k") == -1


def test_number_that_is_no_integer_is_refused(client: Client) -> None:
    """NUM-02."""
    client.call("SET", "k", "v")
    for wrong in ("1.5", " 10", "+10", "", "9" * 20):
        assert error_of(client, "EXPIRE", "k", wrong) == WRONG_INTEGER
    assert client.call("TTL", "k") == -1


def test_later_deadline_does_not_disturb_the_others(client: Client) -> None:
    """TTL-06."""
    client.call("SET", "a", "v", "PX", 150)
    client.call("SET", "b", "v", "PX", 250)
    client.call("EXPIRE", "a", 3000)
    time.sleep(0.4)
    assert client.call("MGET", "a", "b") == [b"v", None]
