"""EXISTS and TOUCH key [key ...]."""

from __future__ import annotations

import time

import pytest

from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


@pytest.mark.parametrize("command", ["EXISTS", "TOUCH"])
def test_key_named_twice_counts_twice(client: Client, command: str) -> None:
    client.call("MSET", "a", "1", "b", "")
    assert client.call(command, "a", "a", "b", "absent") == 3
    assert client.call(command, "absent") == 0


def test_touch_ends_the_idle_time_and_exists_does_not(client: Client) -> None:
    client.call("SET", "k", "v")
    time.sleep(2.1)
    client.call("EXISTS", "k")
    idle = client.call("OBJECT", "IDLETIME", "k")
    assert isinstance(idle, int)
    assert idle >= 1
    client.call("TOUCH", "k")
    assert client.call("OBJECT", "IDLETIME", "k") in {0, 1}
