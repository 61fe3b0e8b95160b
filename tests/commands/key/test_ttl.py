"""TTL, PTTL, EXPIRETIME and PEXPIRETIME key."""

from __future__ import annotations

import pytest

from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


@pytest.mark.parametrize("command", ["TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME"])
def test_absent_key_and_key_without_a_deadline_differ(client: Client, command: str) -> None:
    assert client.call(command, "k") == -2
    client.call("SET", "k", "v")
    assert client.call(command, "k") == -1


def test_seconds_are_rounded_to_the_nearest(client: Client) -> None:
    client.call("SET", "k", "v", "PXAT", 33_177_117_420_499)
    assert client.call("EXPIRETIME", "k") == 33_177_117_420
    client.call("SET", "k", "v", "PXAT", 33_177_117_420_500)
    assert client.call("EXPIRETIME", "k") == 33_177_117_421


def test_all_four_tell_of_one_moment(client: Client) -> None:
    client.call("SET", "k", "v", "EX", 1000)
    commands = ("TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME")
    left_s, left_ms, at_s, at_ms = client.pipeline((command, "k") for command in commands)
    assert isinstance(left_ms, int)
    assert isinstance(at_ms, int)
    assert 990_000 < left_ms <= 1_000_000
    assert left_s in {left_ms // 1000, left_ms // 1000 + 1}
    assert at_s in {at_ms // 1000, at_ms // 1000 + 1}
