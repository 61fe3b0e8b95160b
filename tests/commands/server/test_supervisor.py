"""The supervisor and the bus: modules that crash come back, and nobody blocks anybody."""

from __future__ import annotations

import threading
from collections.abc import Callable

from dwell.server.bus import Bus
from dwell.server.supervisor import Backoff, ModuleState, Supervisor

QUICK = Backoff(first_s=0.001, most_s=0.01, calm_s=60, crashes_max=4)


class Module:
    """A module whose runs end as told: by an exception, or when asked to."""

    name = "module"

    def __init__(self, *crashes: Exception | None) -> None:
        self.crashes = list(crashes)
        self.runs = 0

    def run(self, stop: threading.Event) -> None:
        self.runs += 1
        if not self.crashes:
            stop.wait()
            return
        crash = self.crashes.pop(0)
        if crash is not None:
            raise crash


def state_after(module: Module, until: Callable[[ModuleState], bool]) -> ModuleState:
    """The state of a module once it is as wanted."""
    bus = Bus()
    heard = bus.subscribe("module")
    supervisor = Supervisor(bus, backoff=QUICK)
    supervisor.start(module)
    state = supervisor.states()[0]
    while not until(state):
        assert heard.read(timeout_s=10) is not None
    supervisor.stop()
    assert supervisor.join() == []
    return state


def test_crashed_module_is_started_again_and_its_reason_told() -> None:
    module = Module(ValueError("first"), ValueError("second"))
    state = state_after(module, lambda state: state.restarts == 2 and state.state == "running")
    assert state.reason == "ValueError: second (run)"
    assert module.runs == 3


def test_module_that_ends_unasked_is_started_again() -> None:
    state = state_after(Module(None), lambda state: state.restarts == 1)
    assert state.reason == "it ended unasked"


def test_module_that_crashes_too_often_is_given_up() -> None:
    module = Module(*[ValueError("again")] * 10)
    bus = Bus()
    heard = bus.subscribe("module")
    supervisor = Supervisor(bus, backoff=QUICK)
    supervisor.start(module)
    states = []
    while "failed" not in states:
        message = heard.read(timeout_s=10)
        assert message is not None
        states.append(message.fields["state"])
    assert module.runs == 4
    assert states.count("waiting") == 3
    assert supervisor.join() == []


def test_long_run_forgets_the_crashes_before_it() -> None:
    clock_s = iter([0.0, 1.0, 1.0, 2.0, 2.0, 100.0, 100.0, 101.0, 101.0, 102.0, 102.0, 103.0])
    supervisor = Supervisor(
        bus := Bus(),
        backoff=Backoff(first_s=0.001, most_s=0.01, calm_s=60, crashes_max=3),
        monotonic_s=lambda: next(clock_s),
    )
    heard = bus.subscribe("module")
    module = Module(*[ValueError("x")] * 10)
    supervisor.start(module)
    states: list[object] = []
    while "failed" not in states:
        message = heard.read(timeout_s=10)
        assert message is not None
        states.append(message.fields["state"])
    assert module.runs == 5


def test_pauses_double_up_to_a_bound() -> None:
    backoff = Backoff(first_s=0.1, most_s=1.0)
    assert [backoff.pause_s(crashes) for crashes in (1, 2, 3, 4, 5, 1000)] == [
        0.1,
        0.2,
        0.4,
        0.8,
        1.0,
        1.0,
    ]


def test_stop_during_the_pause_ends_it() -> None:
    supervisor = Supervisor(Bus(), backoff=Backoff(first_s=3600, most_s=3600))
    supervisor.start(Module(ValueError("x")))
    supervisor.stop()
    assert supervisor.join() == []
    assert supervisor.states()[0].state == "stopped"


def test_every_subscriber_of_a_topic_hears_it_in_order() -> None:
    bus = Bus()
    first, second, other = bus.subscribe("a", "b"), bus.subscribe("a"), bus.subscribe("c")
    bus.publish("a", number=1)
    bus.publish("b", number=2)
    heard = [first.read(timeout_s=0), first.read(timeout_s=0)]
    assert [message.fields["number"] for message in heard if message] == [1, 2]
    assert second.read(timeout_s=0) is not None
    assert other.read(timeout_s=0) is None


def test_subscriber_that_does_not_read_keeps_the_newest() -> None:
    bus = Bus()
    slow = bus.subscribe("a")
    for number in range(1500):
        bus.publish("a", number=number)
    message = slow.read(timeout_s=0)
    assert message is not None
    assert message.fields["number"] == 500
