"""GET key."""

from __future__ import annotations

import pytest

from tests.resp import Client
from tests.servers import needs_server

pytestmark = needs_server


def test_get_of_an_absent_key_is_nil(client: Client) -> None:
    assert client.call("GET", "k") is None


@pytest.mark.parametrize("size", [0, 1, 44, 45, 512, 513, 65_535, 65_536, 65_537, 1_000_000])
def test_get_gives_back_every_byte_of_any_size(client: Client, size: int) -> None:
    value = (bytes(range(256)) * (size // 256 + 1))[:size]
    client.call("SET", b"\x00\xffk", value)
    assert client.call("GET", b"\x00\xffk") == value


def test_long_values_keep_their_order_in_a_pipeline(client: Client) -> None:
    values = [bytes([number]) * (number * 40_000) for number in range(10)]
    client.pipeline(("SET", number, value) for number, value in enumerate(values))
    assert client.pipeline(("GET", number) for number in range(10)) == values


def test_key_may_be_empty_or_any_bytes(client: Client) -> None:
    for number, key in enumerate([b"", b"\r\n", b"\x00", b"*", b"x" * 65_536]):
        client.call("SET", key, number)
        assert client.call("GET", key) == b"%d" % number
