"""`dwell server` without the command line: build the parts, run until told to stop, stop in order.

Owns the order. Starting: engine, event loop, modules. Stopping: first the sockets, so that nothing
more is acknowledged, then the modules, then the engine, which brings all that was acknowledged to
disk (INV-03). A second signal ends the process at once; the log then holds what is acknowledged.
"""

from __future__ import annotations

import os
import secrets
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from dwell.server import commands as _builtin_commands
from dwell.server.administration import Administration
from dwell.server.bus import Bus
from dwell.server.command_table import CommandTable
from dwell.server.configuration import Configuration
from dwell.server.context import Context
from dwell.server.event_loop import EventLoop
from dwell.server.rates import Rates
from dwell.server.registry import Registry
from dwell.server.registry import registry as default_registry
from dwell.server.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from dwell.server.bus import Subscription
    from dwell.server.command_table import CommandFacts
    from dwell.server.native import NativeEngine, NativeServer
    from dwell.settings import Settings

__all__ = ["Core", "Started", "serve"]

_REGISTERED: Final = _builtin_commands.__all__
"""Importing the package has registered these families."""


E = TypeVar("E", bound="NativeEngine")


class Core(Protocol[E]):
    """How the native parts are made."""

    def open_engine(self, settings: Settings) -> E:
        """Open the instance; raises an Error whose sentence can be shown."""
        ...

    def start_server(
        self, engine: E, settings: Settings, own_commands: Sequence[CommandFacts]
    ) -> NativeServer:
        """Start the event loop; raises an Error whose sentence can be shown."""
        ...


@dataclass(frozen=True, slots=True)
class Started:
    """What can be told once the server answers.

    Attributes:
        addresses: where it listens.
        settings: those in force.
    """

    addresses: Sequence[str]
    settings: Settings


def serve(
    settings: Settings,
    core: Core[E],
    *,
    on_started: Callable[[Started], None],
    on_event: Callable[[str], None],
    registry: Registry = default_registry,
) -> int:
    """Run a server until a signal, SHUTDOWN, or the end of a module it cannot be without.

    Args:
        settings: what to serve, and where.
        core: makes the native parts.
        on_started: called once, when clients can connect.
        on_event: called with a sentence for the log.
        registry: the commands in Python.

    Returns:
        The exit code: 0 after a stop that was asked for, 1 otherwise.

    Raises:
        Error: the directory or an address is taken, or the instance cannot be read.
    """
    bus = Bus()
    events = bus.subscribe("stop", "module", "notice")
    engine = core.open_engine(settings)
    try:
        table = CommandTable.load(registry.users_own())
        own = [found for each in registry.users_own() if (found := table.get(each.name))]
        configuration = Configuration(settings, lambda changes: loop.server().adjust(changes))
        loop = EventLoop(lambda: core.start_server(engine, configuration.settings, own), bus)
    except BaseException:
        engine.close()
        raise
    supervisor = Supervisor(bus)
    context = Context(
        engine=engine,
        loop=loop.server,
        configuration=configuration,
        commands=table,
        bus=bus,
        modules=supervisor.states,
        unix_us=_unix_us,
        started_us=_unix_us(),
        run_id=secrets.token_hex(20),
        rates=Rates(lambda: loop.server().facts()),
    )
    restore = _stop_at_signals(bus)
    try:
        supervisor.start(loop)
        supervisor.start(Administration(context, registry))
        supervisor.start(context.rates)
        for notice in engine.stats().get("opening_notices", ()):
            on_event(notice)
        on_started(Started(context.server.addresses(), settings))
        code = _wait(events, on_event)
    finally:
        _stop(loop, supervisor, engine, on_event)
        restore()
    return code


def _wait(events: Subscription, on_event: Callable[[str], None]) -> int:
    """Wait for a reason to stop; tell the log what happens until then."""
    while True:
        message = events.read()
        if message is None:
            continue
        fields = message.fields
        if message.topic == "stop":
            on_event(f"stopping: {fields['reason']}")
            return 0
        if message.topic == "notice":
            on_event(str(fields["sentence"]))
            continue
        if fields["state"] in ("waiting", "failed"):
            on_event(f"module {fields['name']} crashed: {fields['reason']}")
        if fields["state"] == "failed":
            on_event(f"giving up: module {fields['name']} crashed too often")
            return 1


def _stop(
    loop: EventLoop,
    supervisor: Supervisor,
    engine: NativeEngine,
    on_event: Callable[[str], None],
) -> None:
    """Stop everything, in order; a part that fails does not keep the next from stopping."""
    supervisor.stop()
    try:
        loop.stop()
    finally:
        try:
            late = supervisor.join()
            if late:
                on_event(f"modules that did not end in time: {', '.join(late)}")
        finally:
            engine.close()


def _stop_at_signals(bus: Bus) -> Callable[[], None]:
    """Say `stop` at SIGTERM and SIGINT; return what puts the former handling back."""
    seen: list[int] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        if seen:
            os._exit(1)
        seen.append(number)
        bus.publish("stop", reason=signal.Signals(number).name)

    former = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}

    def restore() -> None:
        for number, handler in former.items():
            signal.signal(number, handler)

    return restore


def _unix_us() -> int:
    return time.time_ns() // 1000
