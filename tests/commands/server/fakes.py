"""A core made of dictionaries, so that commands in Python are tested without the real one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dwell.client.replies import Reply
from dwell.server import commands as _registered
from dwell.server.bus import Bus
from dwell.server.command_table import CommandTable
from dwell.server.configuration import Configuration
from dwell.server.context import Context
from dwell.server.dispatch import Prepared, prepare, run
from dwell.server.rates import Rates
from dwell.server.registry import registry
from dwell.server.supervisor import ModuleState
from dwell.settings import Settings

assert _registered.__all__

NOW_US = 1_700_000_000_123_456


@dataclass
class FakeEngine:
    """An engine that remembers what it was told."""

    told: list[str] = field(default_factory=list)
    places: dict[tuple[int, bytes], dict[str, Any]] = field(default_factory=dict)
    numbers: dict[str, Any] = field(default_factory=dict)
    failure: Exception | None = None
    may_save: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.may_save.set()

    def stats(self) -> dict[str, Any]:
        return self.numbers

    def save(self) -> None:
        self.may_save.wait(10)
        if self.failure is not None:
            raise self.failure
        self.told.append("save")

    def reload(self) -> None:
        self.told.append("reload")

    def where(self, namespace: int, key: bytes) -> dict[str, Any] | None:
        return self.places.get((namespace, key))

    def close(self) -> None:
        self.told.append("close")


@dataclass
class FakeRequest:
    """A request as the event loop hands it up."""

    args: Sequence[bytes]
    id: int = 1
    client: dict[str, Any] = field(default_factory=dict)
    in_multi: bool = False

    def __post_init__(self) -> None:
        self.client = {"id": 7, "addr": "127.0.0.1:5000", "db": 0, "resp": 2} | self.client


@dataclass
class FakeServer:
    """An event loop without sockets."""

    counters: dict[str, Any] = field(default_factory=dict)
    open_clients: list[dict[str, Any]] = field(default_factory=list)
    adjusted: dict[str, Any] = field(default_factory=dict)
    times: dict[str, Any] = field(
        default_factory=lambda: {"latencies": {}, "slow_calls": [], "stalls": {}}
    )
    requests: list[FakeRequest] = field(default_factory=list)
    answers: dict[int, object] = field(default_factory=dict)
    answered: threading.Condition = field(default_factory=threading.Condition)
    refusal: Exception | None = None
    notices: list[str] = field(default_factory=list)
    is_stopped: bool = False
    pause: tuple[int, bool] | None = None

    def addresses(self) -> list[str]:
        return ["127.0.0.1:6379"]

    def take_admin_request(self, timeout_ms: int) -> FakeRequest | None:
        if self.requests:
            return self.requests.pop(0)
        threading.Event().wait(min(timeout_ms, 5) / 1000)
        return None

    def answer(self, request_id: int, value: object) -> None:
        with self.answered:
            self.answers[request_id] = value
            self.answered.notify_all()

    def wait_for_answer(self, request_id: int) -> object:
        with self.answered:
            assert self.answered.wait_for(lambda: request_id in self.answers, timeout=10)
            return self.answers[request_id]

    def facts(self) -> dict[str, Any]:
        return self.counters

    def adjust(self, changes: dict[str, Any]) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.adjusted.update(changes)

    def recorded(self) -> dict[str, Any]:
        return self.times

    def forget(self, what: str) -> None:
        if what == "counters":
            self.counters = {}
        elif what == "slow_calls":
            self.times["slow_calls"] = []
        else:
            self.times["stalls"][what] = {"last": [], "longest_us": 0}

    def clients(self) -> list[dict[str, Any]]:
        return self.open_clients

    def kill_clients(self, ids: Sequence[int]) -> int:
        before = len(self.open_clients)
        self.open_clients = [each for each in self.open_clients if each["id"] not in ids]
        return before - len(self.open_clients)

    def pause_clients(self, timeout_ms: int | None, *, is_for_all: bool = False) -> None:
        self.pause = None if timeout_ms is None else (timeout_ms, is_for_all)

    def take_notices(self) -> list[str]:
        notices, self.notices = self.notices, []
        return notices

    def stop(self) -> None:
        self.is_stopped = True


@dataclass
class House:
    """A server around commands, all of it fake."""

    settings: Settings = field(default_factory=Settings)
    engine: FakeEngine = field(default_factory=FakeEngine)
    server: FakeServer = field(default_factory=FakeServer)
    bus: Bus = field(default_factory=Bus)
    modules: list[ModuleState] = field(default_factory=list)
    now_us: int = NOW_US

    def __post_init__(self) -> None:
        self.context = Context(
            engine=self.engine,
            loop=lambda: self.server,
            configuration=Configuration(self.settings, self.server.adjust),
            commands=CommandTable.load(),
            bus=self.bus,
            modules=lambda: self.modules,
            unix_us=lambda: self.now_us,
            started_us=self.now_us,
            run_id="0" * 40,
            rates=Rates(self.server.facts, monotonic_s=lambda: self.now_us / 1_000_000),
        )

    def call(self, *words: str | bytes, **facts: Any) -> Reply:
        """Run one command as the administration would."""
        args = [word if isinstance(word, bytes) else word.encode() for word in words]
        prepared = prepare(FakeRequest(args, **facts), self.context, registry)
        return run(prepared) if isinstance(prepared, Prepared) else prepared
