"""`dwell bench`: a first impression of a server's speed, every reply checked.

Owns a single-threaded load from Python, which is slower than the server: it shows latencies and
orders of magnitude. Comparisons with others are in bench/, and redis-benchmark works too.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from dwell.cli.arguments import Json
from dwell.cli.connect import speaks_to_server
from dwell.cli.output import print_json, print_table
from dwell.cli.parameters import Option
from dwell.client.replies import Status
from dwell.errors import InternalError

if TYPE_CHECKING:
    from dwell.client.connection import Client
    from dwell.client.session import Command

Requests = Annotated[int, Option(("--requests", "-r"), minimum=1, help="Commands of each sort.")]
Pipeline = Annotated[int, Option(("--pipeline", "-P"), minimum=1, help="Commands in flight.")]
Size = Annotated[int, Option(("--size", "-d"), minimum=1, help="Bytes of a value.")]
KeysCount = Annotated[int, Option(("--keys",), minimum=1, help="How many different keys.")]

Make = Callable[[bytes], "Command"]


@speaks_to_server
def bench(
    client: Client,
    requests: Requests = 20_000,
    pipeline: Pipeline = 1,
    size: Size = 64,
    keys: KeysCount = 1000,
    json: Json = False,
) -> None:
    """Measure a running server from one Python client; every reply is checked.

    Writes keys of its own below a random prefix and deletes them afterwards.

    Example:  dwell bench --pipeline 16
    """
    prefix = f"dwell-bench:{secrets.token_hex(4)}:".encode()
    names = [prefix + b"%d" % number for number in range(keys)]
    value = b"x" * size
    sorts: list[tuple[str, Make, object]] = [
        ("SET", lambda key: ("SET", key, value), Status("OK")),
        ("SET EX", lambda key: ("SET", key, value, "EX", 900), Status("OK")),
        ("GET", lambda key: ("GET", key), value),
    ]
    try:
        measured = [
            _measure(client, name, make, expected, names, requests, pipeline)
            for name, make, expected in sorts
        ]
    finally:
        for start in range(0, keys, 1000):
            client.execute("UNLINK", *names[start : start + 1000])
    if json:
        print_json({"pipeline": pipeline, "size_bytes": size, "results": measured})
    else:
        rows = [tuple(each.values()) for each in measured]
        print_table(("command", "requests", "per second", "p50 ms", "p99 ms", "worst ms"), rows)


def _measure(
    client: Client,
    name: str,
    make: Make,
    expected: object,
    keys: list[bytes],
    requests: int,
    pipeline: int,
) -> dict[str, Any]:
    """Send one sort of command and time each round trip."""
    for key in keys[:pipeline]:
        client.execute(*make(key))
    round_trips_ms = []
    started_s = time.perf_counter()
    sent = 0
    while sent < requests:
        count = min(pipeline, requests - sent)
        commands = [make(keys[(sent + number) % len(keys)]) for number in range(count)]
        before_s = time.perf_counter()
        replies = client.pipeline(commands)
        round_trips_ms.append((time.perf_counter() - before_s) * 1000)
        if replies != [expected] * count:
            wrong = next(reply for reply in replies if reply != expected)
            raise InternalError(f"{name} was answered wrongly: {wrong!r}", found=wrong)
        sent += count
    elapsed_s = time.perf_counter() - started_s
    round_trips_ms.sort()
    return {
        "command": name,
        "requests": requests,
        "per_second": round(requests / elapsed_s),
        "p50_ms": round(_percentile(round_trips_ms, 0.50), 3),
        "p99_ms": round(_percentile(round_trips_ms, 0.99), 3),
        "worst_ms": round(round_trips_ms[-1], 3),
    }


def _percentile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
