"""DEL and UNLINK key [key ...]."""

from __future__ import annotations

import pytest

from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


@pytest.mark.parametrize("command", ["DEL", "UNLINK"])
def test_deletion_counts_what_was_there(client: Client, command: str) -> None:
    client.call("MSET", "a", "1", "b", b"x" * 200_000, "c", "3")
    client.call("EXPIRE", "c", 100)
    assert client.call(command, "a", "b", "c", "absent", "a") == 3
    assert client.call("DBSIZE") == 0
    assert client.call("MGET", "a", "b", "c") == [None, None, None]
    assert client.call(command, "a") == 0


def test_deleted_key_that_is_written_again_has_no_lifetime(client: Client) -> None:
    client.call("SET", "k", "v", "EX", 100)
    client.call("DEL", "k")
    client.call("APPEND", "k", "w")
    assert client.call("GET", "k") == b"w"
    assert client.call("TTL", "k") == -1
