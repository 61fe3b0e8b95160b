"""The supervisor: each module in a thread of its own, restarted with backoff when it crashes.

Owns the threads and what is told about them. A module's end is noticed by the thread it ends in and
not by looking now and then, so an idle hour changes nothing. A module that crashes again and again
is given up, with its reason, and the bus hears of it; what follows from that is not decided here.
"""

from __future__ import annotations

import threading
import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from dwell.server.bus import Bus

__all__ = ["Backoff", "Module", "ModuleState", "Supervisor"]

State = Literal["running", "waiting", "failed", "stopped"]

STOP_TIMEOUT_S: Final = 10.0


class Module(Protocol):
    """A part of the server with a life of its own."""

    @property
    def name(self) -> str:
        """One word, for status and threads."""
        ...

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set; raising or returning earlier is a crash."""
        ...


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before a restart.

    Attributes:
        first_s: the pause after the first crash; each further one doubles it.
        most_s: the longest pause.
        calm_s: a run this long forgets the crashes before it.
        crashes_max: crashes in a row after which a module is given up.
    """

    first_s: float = 0.1
    most_s: float = 30.0
    calm_s: float = 60.0
    crashes_max: int = 10

    def pause_s(self, crashes_in_a_row: int) -> float:
        """The pause after so many crashes."""
        return min(self.most_s, self.first_s * 2.0 ** min(crashes_in_a_row - 1, 30))


@dataclass(slots=True)
class ModuleState:
    """What status shows of a module.

    Attributes:
        name: its name.
        state: `waiting` is the pause before a restart, `failed` is given up.
        restarts: how often it was started again, ever.
        reason: what its last crash said; empty if it never crashed.
    """

    name: str
    state: State = "running"
    restarts: int = 0
    reason: str = ""


class Supervisor:
    """Starts modules, restarts them, stops them.

    Args:
        bus: hears `module` with name, state and reason at each change.
        backoff: the pauses.
        monotonic_s: the clock that measures how long a module ran.
    """

    def __init__(
        self,
        bus: Bus,
        *,
        backoff: Backoff | None = None,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bus = bus
        self._backoff = backoff if backoff is not None else Backoff()
        self._monotonic_s = monotonic_s
        self._stop = threading.Event()
        self._states: dict[str, ModuleState] = {}
        self._threads: list[threading.Thread] = []

    def start(self, module: Module) -> None:
        """Run a module in a thread of its own from now on."""
        state = ModuleState(module.name)
        self._states[module.name] = state
        thread = threading.Thread(
            target=self._supervise, args=(module, state), name=f"dwell-{module.name}", daemon=True
        )
        self._threads.append(thread)
        thread.start()

    def states(self) -> list[ModuleState]:
        """The modules in the order of their start."""
        return list(self._states.values())

    def stop(self) -> None:
        """Tell all modules to end; what ends from now on is no crash."""
        self._stop.set()

    def join(self) -> list[str]:
        """Wait for the modules and return the names of those that did not end in time."""
        deadline_s = self._monotonic_s() + STOP_TIMEOUT_S
        for thread in self._threads:
            thread.join(max(0.0, deadline_s - self._monotonic_s()))
        return [thread.name.removeprefix("dwell-") for thread in self._threads if thread.is_alive()]

    def _supervise(self, module: Module, state: ModuleState) -> None:
        """The life of one module."""
        crashes_in_a_row = 0
        while True:
            started_s = self._monotonic_s()
            state.reason = self._run_once(module) or state.reason
            if self._stop.is_set():
                self._change(state, "stopped")
                return
            if self._monotonic_s() - started_s >= self._backoff.calm_s:
                crashes_in_a_row = 0
            crashes_in_a_row += 1
            if crashes_in_a_row >= self._backoff.crashes_max:
                self._change(state, "failed")
                return
            self._change(state, "waiting")
            if self._stop.wait(self._backoff.pause_s(crashes_in_a_row)):
                self._change(state, "stopped")
                return
            state.restarts += 1
            self._change(state, "running")

    def _run_once(self, module: Module) -> str:
        """Run a module to its end and tell why it ended; empty when it was told to."""
        try:
            module.run(self._stop)
        except Exception as crash:  # noqa: BLE001 a crash of one module must not reach another
            place = traceback.extract_tb(crash.__traceback__)[-1]
            return f"{type(crash).__name__}: {crash} ({place.name})"
        return "" if self._stop.is_set() else "it ended unasked"

    def _change(self, state: ModuleState, to: State) -> None:
        """Note a change and tell it."""
        state.state = to
        self._bus.publish("module", name=state.name, state=to, reason=state.reason)
