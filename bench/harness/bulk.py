"""Loads many keys that all differ, in order of their numbers, over a pipeline of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.harness.peers import Running

CHUNK_KEYS = 5_000
OK = b"+OK\r\n"


def load_keys(
    server: Running,
    count: int,
    *,
    value_bytes: int = 16,
    lifetime_seconds: int = 0,
    chunk_keys: int = CHUNK_KEYS,
) -> None:
    """Write `key:<12 digits>` from 0 to `count`, and check every reply.

    The request is one template for a whole chunk, filled by a single formatting: Python would be
    the bottleneck otherwise.

    Args:
        server: who is loaded.
        count: how many keys.
        value_bytes: the size of each value.
        lifetime_seconds: of each key; 0 is none.
        chunk_keys: keys in one pipeline, during which other clients of the server wait.
    """
    words = [b"SET", b"key:%012d", b"x" * value_bytes]
    if lifetime_seconds:
        words += [b"EX", b"%d" % lifetime_seconds]
    sizes = [16 if word.startswith(b"key:") else len(word) for word in words]
    command = b"*%d\r\n" % len(words) + b"".join(
        b"$%d\r\n%b\r\n" % (size, word) for size, word in zip(sizes, words, strict=True)
    )
    with server.server.client(timeout_seconds=300) as client:
        for start in range(0, count, chunk_keys):
            numbers = range(start, min(start + chunk_keys, count))
            client.send_raw(command * len(numbers) % tuple(numbers))
            replies = client.read_exactly(len(OK) * len(numbers))
            assert replies == OK * len(numbers), f"{server.name} answered {replies[:200]!r}"
