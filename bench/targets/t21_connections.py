"""T21: ten thousand open connections of which one in a hundred works, and how fast they come.

Connections are held by this process and never speak; redis-benchmark is the part that works.
"""

from __future__ import annotations

import resource
import socket
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from bench.harness.load import Load, preload, put_load
from bench.harness.peers import redis, running
from bench.harness.report import Report
from tests.resp import Client

if TYPE_CHECKING:
    from bench.harness.bench import Bench
    from bench.harness.peers import Running

CONNECTIONS = 10_000
ACTIVE = 100
REQUESTS = 100_000
CONNECTS = 5_000
SPARE_FILES = 500
QUIET = "get, nobody else connected"
CROWDED = "get, among idle connections"
IDLE = "bytes an idle connection"
CONNECT = "connect, PING, close"


def run(bench: Bench) -> Report:
    """Measure memory and percentiles of a crowd, and the rate of connecting."""
    report = Report("T21", "ten thousand connections, one in a hundred active")
    idle = _allow_files(report) - ACTIVE
    flags = ("--maxclients", str(CONNECTIONS + SPARE_FILES))
    with (
        bench.scratch() as folder,
        running([redis(*flags), bench.dwell("--save", "", *flags)], folder, report) as servers,
    ):
        for server in servers:
            preload(server)
            _measure_load(bench, report, server, QUIET)
        for server in servers:
            with ExitStack() as stack:
                before = server.resident_bytes()
                for _ in range(idle):
                    stack.enter_context(socket.create_connection(server.server.address))
                time.sleep(0.5)
                grown = max(server.resident_bytes() - before, 0)
                report.add(IDLE, server.name, "bytes", grown / idle)
                _measure_load(bench, report, server, CROWDED)
        for number in range(bench.rounds):
            for server in servers if number % 2 else reversed(servers):
                report.add(CONNECT, server.name, "rate", _connect(server, bench.scale(CONNECTS)))
    report.expect_ratio(IDLE, "bytes", to="redis", at_most=1)
    report.expect_ratio(CONNECT, "rate", to="redis", at_least=1)
    quiet, crowded = report.get(QUIET, "dwell", "p99"), report.get(CROWDED, "dwell", "p99")
    if quiet is not None and crowded is not None:
        growth = crowded.median / quiet.median
        report.expect_value("p99 among idle connections / with none", growth, at_most=1.2)
    return report


def _allow_files(report: Report) -> int:
    """Raise the limit of open files as far as allowed; return how many connections fit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(hard, CONNECTIONS + SPARE_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    connections = min(CONNECTIONS, wanted - SPARE_FILES)
    if connections < CONNECTIONS:
        report.note(f"only {connections} connections: the limit of open files is {hard}")
    return connections


def _measure_load(bench: Bench, report: Report, server: Running, row: str) -> None:
    load = Load(row, "get", bench.scale(REQUESTS), clients=ACTIVE)
    put_load(load, server)
    for _ in range(bench.rounds):
        outcome = put_load(load, server)
        report.add(row, server.name, "rate", outcome.rate)
        report.add(row, server.name, "p50", outcome.p50_ms)
        report.add(row, server.name, "p99", outcome.p99_ms)


def _connect(server: Running, count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        with Client(server.server.address) as client:
            client.send_raw(b"PING\r\n")
            assert client.read_exactly(7) == b"+PONG\r\n"
    return count / (time.perf_counter() - start)
