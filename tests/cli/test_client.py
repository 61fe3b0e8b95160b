"""The client's parser and its behaviour when an exchange does not end."""

from __future__ import annotations

import asyncio
import socket
import threading

import pytest

from dwell.client import AsyncClient, Client, ErrorReply, Push, Status, Verbatim
from dwell.client.resp import NEED_MORE, ReplyParser, encode_command
from dwell.errors import ClosedError, UnavailableError, UsageError

GOLDEN = [
    (b"+OK\r\n", Status("OK")),
    (b"-ERR no\r\n", ErrorReply("ERR no")),
    (b":-12\r\n", -12),
    (b"$-1\r\n", None),
    (b"$0\r\n\r\n", b""),
    (b"$5\r\na\r\n\0b\r\n", b"a\r\n\0b"),
    (b"*-1\r\n", None),
    (b"*0\r\n", []),
    (b"*2\r\n*1\r\n:1\r\n$1\r\nx\r\n", [[1], b"x"]),
    (b"_\r\n", None),
    (b"#t\r\n", True),
    (b",1.5\r\n", 1.5),
    (b",inf\r\n", float("inf")),
    (b"(12345678901234567890123\r\n", 12345678901234567890123),
    (b"=7\r\ntxt:abc\r\n", Verbatim("txt", "abc")),
    (b"!5\r\nERR x\r\n", ErrorReply("ERR x")),
    (b"%1\r\n$1\r\na\r\n:1\r\n", {b"a": 1}),
    (b"~2\r\n:1\r\n:2\r\n", {1, 2}),
    (b"~1\r\n*1\r\n:1\r\n", [[1]]),
    (b">1\r\n:1\r\n", Push([1])),
    (b"|1\r\n+a\r\n:1\r\n:5\r\n", 5),
    (b"*1\r\n|1\r\n+a\r\n:1\r\n:5\r\n", [5]),
]


@pytest.mark.parametrize(("data", "reply"), GOLDEN, ids=lambda value: repr(value)[:30])
def test_reply_is_read_whole_and_from_any_two_pieces(data: bytes, reply: object) -> None:
    for cut in range(len(data) + 1):
        parser = ReplyParser()
        parser.feed(data[:cut])
        found = parser.next()
        if cut < len(data):
            assert found is NEED_MORE
            parser.feed(data[cut:])
            found = parser.next()
        assert found == reply
        assert type(found) is type(reply)
        assert parser.next() is NEED_MORE


def test_null_and_the_reply_after_it_stay_apart() -> None:
    parser = ReplyParser()
    parser.feed(b"$-1\r\n+OK\r\n$0\r\n\r\n")
    assert [parser.next() for _ in range(3)] == [None, Status("OK"), b""]


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 400\r\n",
        b"$x\r\n",
        b"$-2\r\n",
        b"$99999999999\r\n",
        b"*-5\r\n",
        b"#x\r\n",
        b",abc\r\n",
        b"$1\r\nabc\r\n",
        b"\r\n",
        b"*1\r\n" * 200,
        b"x" * 70_000,
    ],
    ids=lambda data: repr(data)[:20],
)
def test_bytes_that_are_no_resp_are_an_error_and_not_a_wait(data: bytes) -> None:
    parser = ReplyParser()
    parser.feed(data)
    with pytest.raises(UnavailableError):
        parser.next()


def test_command_is_encoded_binary_safe() -> None:
    assert encode_command(["SET", b"\xff\0", 1.5]) == (
        b"*3\r\n$3\r\nSET\r\n$2\r\n\xff\0\r\n$3\r\n1.5\r\n"
    )
    with pytest.raises(UsageError):
        encode_command([])


class Script:
    """A server that sends prepared bytes, whatever it is asked."""

    def __init__(self, *replies: bytes, then_close: bool = False) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address: tuple[str, int] = self._listener.getsockname()
        self._replies = replies
        self._then_close = then_close
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        connection, _ = self._listener.accept()
        with connection:
            for reply in self._replies:
                connection.recv(65536)
                connection.sendall(reply)
            if not self._then_close:
                self._done.wait(10)

    def close(self) -> None:
        self._done.set()
        self._thread.join(10)
        self._listener.close()


HELLO = b"%1\r\n+server\r\n+redis\r\n"


def test_timed_out_exchange_closes_the_connection() -> None:
    script = Script(HELLO, b"$5\r\nhal")
    client = Client(script.address, timeout_s=0.2)
    with pytest.raises(UnavailableError):
        client.execute("GET", "a")
    with pytest.raises(ClosedError):
        client.execute("GET", "b")
    client.close()
    script.close()


def test_server_that_goes_in_the_middle_of_a_reply_is_an_error() -> None:
    script = Script(HELLO, b"$5\r\nhal", then_close=True)
    client = Client(script.address)
    with pytest.raises(UnavailableError):
        client.execute("GET", "a")
    client.close()
    script.close()


def test_push_between_replies_is_no_reply() -> None:
    script = Script(HELLO, b">1\r\n+news\r\n$1\r\nx\r\n")
    with Client(script.address) as client:
        assert client.execute("GET", "a") == b"x"
    script.close()


def test_refused_greeting_is_raised() -> None:
    script = Script(b"-NOAUTH Authentication required.\r\n")
    with pytest.raises(Exception, match="NOAUTH"):
        Client(script.address)
    script.close()


async def test_cancelled_call_closes_the_connection() -> None:
    script = Script(HELLO, b"")
    client = await AsyncClient.open(script.address)
    task = asyncio.create_task(client.execute("GET", "a"))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ClosedError):
        await client.execute("GET", "b")
    await client.close()
    await asyncio.to_thread(script.close)


async def test_calls_at_the_same_time_get_their_own_replies() -> None:
    script = Script(HELLO, b":1\r\n", b":2\r\n", b":3\r\n")
    async with await AsyncClient.open(script.address) as client:
        replies = await asyncio.gather(*(client.execute("INCR", "a") for _ in range(3)))
    assert replies == [1, 2, 3]
    await asyncio.to_thread(script.close)
