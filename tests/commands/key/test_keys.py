"""KEYS pattern."""

from __future__ import annotations

import time

from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def keys(client: Client, pattern: str | bytes) -> list[bytes]:
    reply = client.call("KEYS", pattern)
    assert isinstance(reply, list)
    return sorted(key for key in reply if isinstance(key, bytes))


def test_keys_lists_what_matches(client: Client) -> None:
    names = ["hello", "hallo", "hllo", "hxllo", "h*llo", "other"]
    client.pipeline(("SET", name, 1) for name in names)
    client.call("EXPIRE", "hallo", 100)
    assert keys(client, "h?llo") == [b"h*llo", b"hallo", b"hello", b"hxllo"]
    assert keys(client, "h[ae]llo") == [b"hallo", b"hello"]
    assert keys(client, "h[^e]llo") == [b"h*llo", b"hallo", b"hxllo"]
    assert keys(client, r"h\*llo") == [b"h*llo"]
    assert keys(client, "*") == sorted(name.encode() for name in names)
    assert keys(client, "hello") == [b"hello"]
    assert keys(client, "absent*") == []


def test_keys_stay_within_the_database(client: Client) -> None:
    client.call("SET", "a", 1)
    client.call("SELECT", 1)
    client.call("SET", "b", 1)
    assert keys(client, "*") == [b"b"]


def test_hostile_pattern_is_answered_in_no_time(client: Client) -> None:
    """KEY-04, INV-06."""
    client.call("SET", "a" * 30 + "b", 1)
    begin = time.monotonic()
    assert keys(client, "a*" * 30) == [b"a" * 30 + b"b"]
    assert keys(client, "a*" * 30 + "c") == []
    assert keys(client, "*" * 60_000) == [b"a" * 30 + b"b"]
    assert keys(client, "*" * 60_000 + "c") == []
    assert keys(client, "[" * 60_000) == []
    assert time.monotonic() - begin < 0.5


def test_many_keys_are_listed_once_each(client: Client) -> None:
    names = [b"user:%d" % number for number in range(5_000)]
    client.pipeline(("SET", name, 1) for name in names)
    client.pipeline(("EXPIRE", name, 100) for name in names[::3])
    assert keys(client, "user:*") == sorted(names)
    assert keys(client, "user:499?") == sorted(n for n in names if n[:8] == b"user:499" and n[8:])
