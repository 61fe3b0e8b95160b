"""Histories of many clients, with and without kills in between, are linearisable (INV-01, INV-03).

The clients give keys lifetimes and take them away while they work, so that every key keeps moving
between its two homes.
"""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.concurrency.checker import Kind, Operation, find_violation
from tests.concurrency.recorder import Recorder
from tests.seeds import new_seed
from tests.servers import Server, data_flags, is_dwell, needs_server

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_server

CLIENTS = 8
WORK_SECONDS = 2.5
KILLS = 4
PLACEMENTS = ["lifetime", "memory", "disk"] if is_dwell() else ["redis"]


def flags(placement: str) -> list[str]:
    # Redis answers before it has handed a write over, except under `no`; see durability/test_kill.
    return data_flags(fsync="everysec" if is_dwell() else "no", placement=placement)


def record(server: Server, seed: int, *, kills: int) -> list[Operation]:
    """Let the clients work, kill and restart the server as often as asked; return the history."""
    stop = threading.Event()
    clients = [Recorder(server, number, seed, stop) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    pauses = random.Random(seed)
    for _ in range(kills):
        time.sleep(pauses.uniform(0.2, WORK_SECONDS / 2))
        server.restart()
    time.sleep(WORK_SECONDS if kills == 0 else WORK_SECONDS / 4)
    stop.set()
    for client in clients:
        client.join(timeout=20)
        if client.error is not None:
            raise client.error
    return [operation for client in clients for operation in client.history]


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_history_of_many_clients_is_linearisable(tmp_path: Path, placement: str) -> None:
    seed = new_seed()
    with Server(tmp_path / "data", flags(placement)) as server:
        history = record(server, seed, kills=0)
    violation = find_violation(history)
    assert violation is None, str(violation)
    assert len(history) > 1000, "too little happened to prove anything"
    winners = [each for each in history if each.kind is Kind.COMPARE_AND_DELETE and each.result]
    assert winners, "no compare-and-delete ever matched"


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_history_over_kills_is_linearisable(tmp_path: Path, placement: str) -> None:
    seed = new_seed()
    with Server(tmp_path / "data", flags(placement)) as server:
        history = record(server, seed, kills=KILLS)
    violation = find_violation(history)
    assert violation is None, str(violation)
    assert any(each.returned_ns is None for each in history), "no kill cut an operation off"
