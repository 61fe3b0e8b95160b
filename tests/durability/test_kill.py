"""`kill -9` under load, at random moments, hundreds of times: INV-01, INV-02, INV-03.

A killed process loses what it had not handed to the operating system, so nothing that was answered
may be missing under `interval` and `always`. Under `none` the end may be missing, but still no
batch is half there, and no later step is there without an earlier one.
"""

from __future__ import annotations

import dataclasses
import random
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.durability.injection import injecting, needs_strace
from tests.durability.workload import Writer
from tests.seeds import new_seed
from tests.servers import Server, data_flags, is_dwell, needs_server

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [needs_server, pytest.mark.slow, pytest.mark.timeout(300)]

CLIENTS = 4
LOAD_SECONDS_MAX = 0.15
RECOVERY_SECONDS_MAX = 0.4
# Small enough that drains, segments and bases begin and end all the time under the load.
BUSY_LOG = (
    ["--drain-after-ms", "10", "--segment-bytes", str(1 << 20), "--base-after-bytes", str(1 << 20)]
    if is_dwell()
    else []
)
KILLS_PER_CALL = 5
# System calls that change files, and which of a thread's first calls is the last one.
KILLING_CALLS = [
    (["pwrite64", "write", "writev"], 20),
    (["fdatasync", "fsync"], 12),
    (["rename", "renameat2", "unlink", "ftruncate"], 3),
]


@dataclasses.dataclass(frozen=True)
class Setting:
    """How the server is started, and how often it is killed."""

    name: str
    fsync: str
    placement: str
    kills: int

    @property
    def is_loss_allowed(self) -> bool:
        """Whether the end of what was answered may be missing after a kill.

        Redis under `everysec` holds writes back in its own memory for up to two seconds while an
        fsync runs, and answers all the same; under `no` it never does.
        """
        return self.fsync == ("no" if is_dwell() else "everysec")


SETTINGS = [
    Setting("interval-lifetime", "everysec", "lifetime", kills=60),
    Setting("interval-memory", "everysec", "memory", kills=45),
    Setting("interval-disk", "everysec", "disk", kills=45),
    Setting("always-lifetime", "always", "lifetime", kills=45),
    Setting("none-lifetime", "no", "lifetime", kills=25),
]


def load_and_kill(server: Server, writers: list[Writer], randomness: random.Random) -> None:
    """Let all writers work for a random while and kill the server in the middle of it."""
    stop = threading.Event()
    threads = [threading.Thread(target=each.work, args=(server, stop)) for each in writers]
    for thread in threads:
        thread.start()
    time.sleep(randomness.uniform(0.01, LOAD_SECONDS_MAX))
    server.kill()
    stop.set()
    for thread in threads:
        thread.join()


def recover(server: Server, randomness: random.Random) -> int:
    """Start the server, now and then killing it on the way; return how often it was killed."""
    kills = 0
    while randomness.random() < 0.2:
        server.spawn()
        time.sleep(randomness.uniform(0.0, RECOVERY_SECONDS_MAX))
        server.kill()
        kills += 1
    server.start()
    return kills


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_acknowledged_writes_survive_kills_and_batches_stay_whole(
    tmp_path: Path, setting: Setting
) -> None:
    seed = f"{new_seed()}/{setting.name}"
    randomness = random.Random(seed)
    writers = [Writer(number, seed) for number in range(CLIENTS)]
    arguments = [*data_flags(fsync=setting.fsync, placement=setting.placement), *BUSY_LOG]
    kills = 0
    with Server(tmp_path / "data", arguments) as server:
        while kills < setting.kills:
            load_and_kill(server, writers, randomness)
            kills += 1 + recover(server, randomness)
            verify(server, writers, is_loss_allowed=setting.is_loss_allowed)
        answered = sum(writer.answered_steps for writer in writers)
        assert answered > 10 * kills, f"only {answered} steps were answered before {kills} kills"


@needs_strace
@pytest.mark.parametrize(("calls", "calls_max"), KILLING_CALLS, ids=["write", "sync", "rename"])
def test_kill_inside_a_system_call_leaves_every_batch_whole(
    tmp_path: Path, calls: list[str], calls_max: int
) -> None:
    """LOG-13: the process ends as a thread enters the Nth call that changes a file."""
    seed = f"{new_seed()}/{calls[0]}"
    randomness = random.Random(seed)
    writers = [Writer(number, seed) for number in range(CLIENTS)]
    fsync = "always" if is_dwell() else "no"
    with Server(tmp_path / "data", [*data_flags(fsync=fsync), *BUSY_LOG]) as server:
        for _ in range(KILLS_PER_CALL):
            fault = f"signal=KILL:when={randomness.randint(1, calls_max)}"
            with injecting(server, fault, calls):
                load_and_kill(server, writers, randomness)
            server.start()
            verify(server, writers)


@pytest.mark.skipif(not is_dwell(), reason="Redis without its append-only file keeps nothing")
def test_disk_home_survives_kills_while_memory_is_a_cache(tmp_path: Path) -> None:
    seed = f"{new_seed()}/cache"
    randomness = random.Random(seed)
    writers = [Writer(number, seed, is_plain=True) for number in range(CLIENTS)]
    arguments = [*data_flags(appendonly="no"), *BUSY_LOG]
    with Server(tmp_path / "data", arguments) as server:
        for _ in range(20):
            with server.client() as client:
                client.call("SET", "cached", "value", "EX", 1000)
            load_and_kill(server, writers, randomness)
            server.start()
            verify(server, writers)
            with server.client() as client:
                assert client.call("GET", "cached") is None


def test_graceful_stop_keeps_everything(tmp_path: Path) -> None:
    seed = f"{new_seed()}/stop"
    writers = [Writer(number, seed) for number in range(CLIENTS)]
    arguments = data_flags(fsync="no")
    with Server(tmp_path / "data", arguments) as server:
        for _ in range(3):
            stop = threading.Event()
            threads = [threading.Thread(target=each.work, args=(server, stop)) for each in writers]
            for thread in threads:
                thread.start()
            time.sleep(0.2)
            assert server.stop() == 0
            stop.set()
            for thread in threads:
                thread.join()
            server.start()
            verify(server, writers)


def verify(server: Server, writers: list[Writer], *, is_loss_allowed: bool = False) -> None:
    with server.client() as client:
        for writer in writers:
            writer.verify(client, is_loss_allowed=is_loss_allowed)
