"""OBJECT ENCODING | FREQ | IDLETIME | REFCOUNT | HELP."""

from __future__ import annotations

import pytest

from tests.commands.running import error_of
from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


@pytest.mark.parametrize(
    ("value", "encoding"),
    [
        ("1", b"int"),
        ("-9223372036854775808", b"int"),
        ("9223372036854775808", b"embstr"),
        ("010", b"embstr"),
        ("", b"embstr"),
        ("x" * 44, b"embstr"),
        ("x" * 45, b"raw"),
        ("x" * 100_000, b"raw"),
    ],
)
def test_encoding_is_what_redis_shows(client: Client, value: str, encoding: bytes) -> None:
    client.call("SET", "k", value)
    assert client.call("OBJECT", "ENCODING", "k") == encoding


def test_result_of_counting_is_an_integer(client: Client) -> None:
    client.call("INCR", "k")
    assert client.call("OBJECT", "encoding", "k") == b"int"


def test_absent_key_has_no_facts(client: Client) -> None:
    for subcommand in ("ENCODING", "FREQ", "IDLETIME", "REFCOUNT"):
        assert client.call("OBJECT", subcommand, "absent") is None


def test_frequency_needs_an_lfu_policy(client: Client) -> None:
    client.call("SET", "k", "v")
    message = error_of(client, "OBJECT", "FREQ", "k")
    assert message.startswith("ERR An LFU maxmemory policy is not selected, access frequency not")


def test_idle_time_begins_at_zero_and_one_holder_is_counted(client: Client) -> None:
    client.call("SET", "k", "some text")
    assert client.call("OBJECT", "IDLETIME", "k") in {0, 1}
    assert client.call("OBJECT", "REFCOUNT", "k") == 1


@pytest.mark.parametrize(
    ("value", "count"), [("0", 2**31 - 1), ("9999", 2**31 - 1), ("10000", 1), ("-1", 1), ("01", 1)]
)
def test_small_integers_count_as_shared(client: Client, value: str, count: int) -> None:
    client.call("SET", "k", value)
    assert client.call("OBJECT", "REFCOUNT", "k") == count


def test_help_lists_the_subcommands(client: Client) -> None:
    lines = client.call("OBJECT", "HELP")
    assert isinstance(lines, list)
    assert any(str(line).startswith("ENCODING ") for line in lines)


def test_unknown_subcommand_is_refused(client: Client) -> None:
    message = "ERR unknown subcommand 'foo'. Try OBJECT HELP."
    assert error_of(client, "OBJECT", "foo", "k") == message
    message = "ERR wrong number of arguments for 'object|encoding' command"
    assert error_of(client, "OBJECT", "ENCODING") == message
