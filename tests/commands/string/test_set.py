"""SET key value [NX | XX | IFEQ value] [GET] [EX | PX | EXAT | PXAT | KEEPTTL]."""

from __future__ import annotations

import time

import pytest

from tests.commands.running import (
    INTEGER_MAX,
    SYNTAX,
    WRONG_INTEGER,
    error_of,
    needs_dwell,
    ttl_is_about,
)
from tests.resp import Client, Word
from tests.servers import needs_server

pytestmark = needs_server


def test_set_replaces_value_and_lifetime(client: Client) -> None:
    """TTL-02."""
    assert client.call("SET", "k", "v", "EX", 100) == "OK"
    assert client.call("SET", "k", "w") == "OK"
    assert client.call("GET", "k") == b"w"
    assert client.call("TTL", "k") == -1


def test_each_form_of_lifetime_is_kept(client: Client) -> None:
    client.call("SET", "k", "v", "EX", 100)
    assert ttl_is_about(client, "k", 100)
    client.call("SET", "k", "v", "px", 200_000)
    assert ttl_is_about(client, "k", 200)
    client.call("SET", "k", "v", "EXAT", 33_177_117_420)
    assert client.call("EXPIRETIME", "k") == 33_177_117_420
    client.call("SET", "k", "v", "PXAT", 33_177_117_420_001)
    assert client.call("PEXPIRETIME", "k") == 33_177_117_420_001


def test_lifetime_ends(client: Client) -> None:
    client.call("SET", "k", "v", "PX", 50)
    assert client.call("GET", "k") == b"v"
    time.sleep(0.1)
    assert client.call("GET", "k") is None
    assert client.call("DBSIZE") == 0


def test_keepttl_keeps_the_lifetime_alone(client: Client) -> None:
    """TTL-02."""
    client.call("SET", "k", "v", "EX", 100)
    assert client.call("SET", "k", "w", "KEEPTTL") == "OK"
    assert client.call("GET", "k") == b"w"
    assert ttl_is_about(client, "k", 100)
    assert client.call("SET", "fresh", "w", "KEEPTTL") == "OK"
    assert client.call("TTL", "fresh") == -1


def test_nx_writes_an_absent_key_only(client: Client) -> None:
    assert client.call("SET", "k", "v", "NX") == "OK"
    assert client.call("SET", "k", "w", "NX", "EX", 100) is None
    assert client.call("GET", "k") == b"v"
    assert client.call("TTL", "k") == -1


def test_xx_writes_a_present_key_only(client: Client) -> None:
    assert client.call("SET", "k", "v", "XX") is None
    assert client.call("EXISTS", "k") == 0
    client.call("SET", "k", "v")
    assert client.call("SET", "k", "w", "XX") == "OK"
    assert client.call("GET", "k") == b"w"


def test_get_answers_what_was_there_whether_or_not_it_wrote(client: Client) -> None:
    assert client.call("SET", "k", "a", "GET") is None
    assert client.call("SET", "k", "b", "GET", "EX", 100) == b"a"
    assert ttl_is_about(client, "k", 100)
    assert client.call("SET", "k", "c", "NX", "GET") == b"b"
    assert client.call("SET", "absent", "c", "XX", "GET") is None
    assert client.call("MGET", "k", "absent") == [b"b", None]


def test_past_moment_is_ok_and_leaves_nothing(client: Client) -> None:
    """TTL-01."""
    client.call("SET", "k", "old")
    assert client.call("SET", "k", "v", "EXAT", 1) == "OK"
    assert client.call("GET", "k") is None


@pytest.mark.parametrize(
    "options",
    [
        ["EX", 0],
        ["EX", -5],
        ["PX", 0],
        ["EXAT", 0],
        ["PXAT", -1],
        ["EX", INTEGER_MAX],
        ["PX", INTEGER_MAX],
        ["EX", INTEGER_MAX // 1000],
        ["EXAT", INTEGER_MAX],
    ],
)
def test_invalid_lifetime_is_refused_and_the_old_value_kept(
    client: Client, options: list[Word]
) -> None:
    """TTL-01."""
    client.call("SET", "k", "old", "EX", 100)
    message = "ERR invalid expire time in 'set' command"
    assert error_of(client, "SET", "k", "new", *options) == message
    assert error_of(client, "SET", "k", "new", "NX", *options) == message
    assert client.call("GET", "k") == b"old"
    assert ttl_is_about(client, "k", 100)


@pytest.mark.parametrize(
    "options",
    [
        ["EX"],
        ["NX", "XX"],
        ["XX", "NX"],
        ["EX", "10", "KEEPTTL"],
        ["KEEPTTL", "PX", "10"],
        ["EX", "10", "PX", "10"],
        ["EXAT", "10", "EX", "10"],
        ["FOO"],
        ["PERSIST"],
        ["EX", "10", "20"],
        ["NX", "EX"],
    ],
)
def test_options_that_contradict_or_are_unknown_are_refused(
    client: Client, options: list[str]
) -> None:
    """TTL-01."""
    client.call("SET", "k", "old")
    assert error_of(client, "SET", "k", "new", *options) == SYNTAX
    assert client.call("GET", "k") == b"old"


def test_same_option_may_be_said_again(client: Client) -> None:
    assert client.call("SET", "k", "v", "NX", "nx", "EX", 10, "ex", 100) == "OK"
    assert ttl_is_about(client, "k", 100)


def test_lifetime_that_is_no_integer_is_refused(client: Client) -> None:
    """NUM-02."""
    for wrong in ("1.5", " 10", "+10", "abc", ""):
        assert error_of(client, "SET", "k", "v", "EX", wrong) == WRONG_INTEGER
    assert client.call("EXISTS", "k") == 0


@needs_dwell
def test_ifeq_writes_only_over_an_equal_value(client: Client) -> None:
    assert client.call("SET", "k", "v", "IFEQ", "") is None
    assert client.call("EXISTS", "k") == 0
    client.call("SET", "k", "v")
    assert client.call("SET", "k", "w", "IFEQ", "x") is None
    assert client.call("SET", "k", "w", "IFEQ", "v", "EX", 100) == "OK"
    assert client.call("SET", "k", "z", "GET", "IFEQ", "v") == b"w"
    assert client.call("GET", "k") == b"w"
    assert error_of(client, "SET", "k", "v", "IFEQ", "w", "XX") == SYNTAX
    assert error_of(client, "SET", "k", "v", "IFEQ") == SYNTAX
