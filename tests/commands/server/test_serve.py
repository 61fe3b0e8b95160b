"""`serve` with a fake core: the order of starting and stopping."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from dwell.client.replies import Status
from dwell.errors import BusyError, UnavailableError
from dwell.server.command_table import CommandFacts
from dwell.server.registry import PythonCommand, Registry
from dwell.server.serve import Started, serve
from dwell.settings import Settings
from tests.commands.server.fakes import FakeEngine, FakeRequest, FakeServer


@dataclass
class FakeCore:
    """Makes fakes, and notes what was done to them in which order."""

    engine: FakeEngine = field(default_factory=FakeEngine)
    server: FakeServer = field(default_factory=FakeServer)
    engine_error: Exception | None = None
    server_error: Exception | None = None
    own_commands: Sequence[CommandFacts] = ()

    def open_engine(self, settings: Settings) -> FakeEngine:
        assert settings.port
        if self.engine_error is not None:
            raise self.engine_error
        return self.engine

    def start_server(
        self, engine: object, settings: Settings, own_commands: Sequence[CommandFacts]
    ) -> FakeServer:
        assert engine is self.engine
        assert settings.port
        self.own_commands = own_commands
        if self.server_error is not None:
            raise self.server_error
        return self.server


def run_until_stopped(core: FakeCore, stop: FakeRequest | int, registry: Registry) -> int:
    """Serve, then stop by a request or a signal, and return the exit code."""

    def on_started(started: Started) -> None:
        assert list(started.addresses) == ["127.0.0.1:6379"]
        if isinstance(stop, int):
            threading.Timer(0.05, os.kill, (os.getpid(), stop)).start()
        else:
            core.server.requests.append(stop)

    return serve(
        Settings(), core, on_started=on_started, on_event=lambda _: None, registry=registry
    )


@pytest.fixture
def builtin() -> Registry:
    from dwell.server.registry import registry

    return registry


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_stops_the_sockets_and_then_the_engine(number: int, builtin: Registry) -> None:
    core = FakeCore()
    before = signal.getsignal(number)
    assert run_until_stopped(core, number, builtin) == 0
    assert core.server.is_stopped
    assert core.engine.told == ["close"]
    assert signal.getsignal(number) is before


def test_shutdown_stops_the_server(builtin: Registry) -> None:
    core = FakeCore()
    assert run_until_stopped(core, FakeRequest([b"SHUTDOWN"]), builtin) == 0
    assert core.engine.told == ["close"]
    assert core.server.answers == {}


def test_taken_directory_is_raised_before_any_socket_is_opened(builtin: Registry) -> None:
    core = FakeCore(engine_error=BusyError("the directory is open in process 7: /x"))
    with pytest.raises(BusyError):
        run_until_stopped(core, signal.SIGTERM, builtin)
    assert not core.server.is_stopped


def test_taken_port_closes_the_engine_again(builtin: Registry) -> None:
    core = FakeCore(server_error=UnavailableError("the address is taken: 127.0.0.1:6379"))
    with pytest.raises(UnavailableError):
        run_until_stopped(core, signal.SIGTERM, builtin)
    assert core.engine.told == ["close"]


def test_command_of_a_user_is_told_to_the_event_loop_and_answered() -> None:
    registry = Registry()
    registry.add(
        PythonCommand(
            "shout",
            lambda request: request.arguments[0].upper(),
            arity=2,
            summary="Answer in upper case.",
            is_readonly=True,
        )
    )
    registry.add(PythonCommand("shutdown", _say_stop))
    core = FakeCore()
    core.server.requests.append(FakeRequest([b"SHOUT", b"hello"], id=3))
    assert run_until_stopped(core, FakeRequest([b"SHUTDOWN"], id=4), registry) == 0
    assert [each.name for each in core.own_commands] == ["shout"]
    assert core.server.answers[3] == b"HELLO"


def _say_stop(request: object) -> Status:
    request.context.bus.publish("stop", reason="test")  # type: ignore[attr-defined]
    return Status("OK")
