"""DWELL.WHERE key [key ...]."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.commands.running import needs_dwell
from tests.resp import Client, Reply
from tests.servers import Server, needs_server

pytestmark = [needs_server, needs_dwell]


def facts(client: Client, key: str) -> dict[bytes | str, Reply]:
    reply = client.call("DWELL.WHERE", key)
    assert isinstance(reply, list)
    (found,) = reply
    assert isinstance(found, dict)
    return found


@pytest.fixture
def client3(server: Server, client: Client) -> Iterator[Client]:
    with server.client(protocol=3) as connection:
        yield connection


def test_absent_key_is_nowhere(client: Client) -> None:
    assert client.call("DWELL.WHERE", "a", "b") == [None, None]


def test_answer_names_home_and_reason(client3: Client) -> None:
    client3.call("SET", "k", "12345", "EXAT", 33_177_117_420)
    found = facts(client3, "k")
    assert found[b"home"] in {b"memory", b"disk"}
    assert found[b"tier"] == b"memory"
    assert isinstance(found[b"reason"], bytes)
    assert found[b"deadline_ms"] == 33_177_117_420_000
    assert found[b"size_bytes"] == 5


def test_version_grows_with_each_change_alone(client3: Client) -> None:
    client3.call("SET", "k", "1")
    first = facts(client3, "k")[b"version"]
    client3.call("GET", "k")
    assert facts(client3, "k")[b"version"] == first
    client3.call("INCR", "k")
    second = facts(client3, "k")[b"version"]
    assert isinstance(first, int)
    assert isinstance(second, int)
    assert second > first


def test_lifetime_decides_the_home(server: Server, client3: Client) -> None:
    if server.arguments != ["--placement", "lifetime"]:
        pytest.skip("another placement decides here")
    client3.call("SET", "k", "v")
    assert facts(client3, "k")[b"home"] == b"disk"
    client3.call("EXPIRE", "k", 100)
    assert facts(client3, "k")[b"home"] == b"memory"
    client3.call("PERSIST", "k")
    assert facts(client3, "k")[b"home"] == b"disk"
