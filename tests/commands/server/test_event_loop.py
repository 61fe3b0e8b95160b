"""The native event loop under the supervisor: it is started again when it dies."""

from __future__ import annotations

import threading

import pytest

from dwell.errors import InternalError, UnavailableError
from dwell.server import event_loop
from dwell.server.bus import Bus
from dwell.server.event_loop import EventLoop
from dwell.server.supervisor import Backoff, Supervisor
from tests.commands.server.fakes import FakeServer


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_loop, "LOOK_EVERY_S", 0.005)


def test_loop_that_died_is_started_again_and_the_reason_told() -> None:
    servers: list[FakeServer] = []

    def start() -> FakeServer:
        servers.append(FakeServer())
        return servers[-1]

    bus = Bus()
    heard = bus.subscribe("module")
    loop = EventLoop(start, bus)
    supervisor = Supervisor(bus, backoff=Backoff(first_s=0.001))
    supervisor.start(loop)
    servers[0].counters = {"is_running": False, "reason": "a mistake of ours"}
    states = []
    while "running" not in states:
        message = heard.read(timeout_s=10)
        assert message is not None
        states.append(message.fields["state"])
    assert states == ["waiting", "running"]
    assert "a mistake of ours" in supervisor.states()[0].reason
    while len(servers) < 2:
        threading.Event().wait(0.001)
    supervisor.stop()
    loop.stop()
    assert supervisor.join() == []
    assert servers[1].is_stopped


def test_nobody_gets_a_loop_that_has_died() -> None:
    server = FakeServer(counters={"is_running": False, "reason": "x"})
    loop = EventLoop(lambda: server, Bus())
    with pytest.raises(InternalError):
        loop.run(threading.Event())
    with pytest.raises(UnavailableError):
        loop.server()


def test_notices_of_the_loop_are_told_on_the_bus() -> None:
    bus = Bus()
    heard = bus.subscribe("notice")
    server = FakeServer(notices=["refused a client", "closed a client"])
    supervisor = Supervisor(bus)
    supervisor.start(EventLoop(lambda: server, bus))
    told = [heard.read(timeout_s=10), heard.read(timeout_s=10)]
    supervisor.stop()
    assert supervisor.join() == []
    assert [message.fields["sentence"] for message in told if message] == [
        "refused a client",
        "closed a client",
    ]
