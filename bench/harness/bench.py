"""One run of the benchmarks: how many rounds, where scratch files go, and measuring in turns."""

from __future__ import annotations

import dataclasses
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.harness.load import Load, note_hits, preload, put_load
from bench.harness.peers import Peer, running

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.harness.peers import Running
    from bench.harness.report import Report

WARM_UP_PART = 0.1
MICRO = 1e6


@dataclasses.dataclass(frozen=True)
class Bench:
    """The settings of a run.

    Attributes:
        dwell_command: the words that start Dwell's server.
        is_quick: a fifth of the requests and two rounds, to see that everything works.
    """

    dwell_command: tuple[str, ...]
    is_quick: bool = False

    @property
    def rounds(self) -> int:
        """How often each load is put on each peer."""
        return 2 if self.is_quick else 5

    def scale(self, count: int) -> int:
        """Return a count of requests, keys or operations for this run."""
        return max(count // 10, 1) if self.is_quick else count

    def dwell(self, *flags: str, name: str = "dwell") -> Peer:
        """Return Dwell with these flags."""
        return Peer(name, self.dwell_command, flags)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Give a folder that is removed at the end; it lies beside the system's other files.

        A tmpfs would make every fsync free, so the folder is on disk.
        """
        with tempfile.TemporaryDirectory(prefix="dwell-bench-", dir="/var/tmp") as folder:
            yield Path(folder)

    def compare(
        self, report: Report, peers: Sequence[Peer], loads: Sequence[Load], *, is_preloaded: bool
    ) -> None:
        """Put each load on each peer in turns, round after round, and add what was measured.

        Args:
            report: where the values go.
            peers: started together; each is idle while another is measured.
            loads: measured one after the other.
            is_preloaded: write all keys first, so that every GET is a hit.
        """
        with self.scratch() as folder, running(peers, folder, report) as servers:
            if is_preloaded:
                for server in servers:
                    preload(server, value_bytes=loads[0].value_bytes)
            for load in loads:
                self._measure(report, servers, load)
            if is_preloaded:
                note_hits(report, servers)

    def _measure(self, report: Report, servers: Sequence[Running], load: Load) -> None:
        load = dataclasses.replace(load, requests=max(self.scale(load.requests), load.clients))
        warm_up = dataclasses.replace(load, requests=max(int(load.requests * WARM_UP_PART), 1))
        for number in range(self.rounds):
            # The order is turned round after round, so that no peer always follows the same one.
            for server in servers if number % 2 else list(reversed(servers)):
                put_load(warm_up, server)
                before = server.cpu_seconds()
                outcome = put_load(load, server)
                used = server.cpu_seconds() - before
                report.add(load.row, server.name, "rate", outcome.rate)
                report.add(load.row, server.name, "cpu", used * MICRO / load.requests)
                report.add(load.row, server.name, "p50", outcome.p50_ms)
                report.add(load.row, server.name, "p99", outcome.p99_ms)
                report.note_command(load.words(server))


@contextmanager
def stopwatch() -> Iterator[list[float]]:
    """Measure the seconds of a block; the list holds them once it is over."""
    elapsed: list[float] = []
    start = time.perf_counter()
    yield elapsed
    elapsed.append(time.perf_counter() - start)
