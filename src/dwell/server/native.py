"""What the host needs from the core, as protocols: dwell._core fulfils them, tests fake them.

Owns the border's shape and nothing that runs. A crossing is per call or per request, never per row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

__all__ = ["Facts", "NativeEngine", "NativeRequest", "NativeServer"]

Facts: TypeAlias = Mapping[str, Any]
"""Counters and states by name, as the core tells them."""


class NativeEngine(Protocol):
    """An open instance."""

    def stats(self) -> Facts:
        """Tell memory, log, drain and the keys of each namespace."""
        ...

    def save(self) -> None:
        """Bring everything acknowledged to disk; returns when it is there."""
        ...

    def reload(self) -> None:
        """Save everything and build what is in memory anew from it."""
        ...

    def where(self, namespace: int, key: bytes) -> Facts | None:
        """Tell home, state, size and encoding of the value at a key; None for an absent key."""
        ...

    def close(self) -> None:
        """Bring everything acknowledged to disk and let the directory go."""
        ...


class NativeRequest(Protocol):
    """A command that the event loop hands up."""

    @property
    def id(self) -> int:
        """The number to answer to."""
        ...

    @property
    def client(self) -> Facts:
        """The connection's facts, as in `NativeServer.clients`."""
        ...

    @property
    def args(self) -> Sequence[bytes]:
        """The words of the command, its name first."""
        ...

    @property
    def in_multi(self) -> bool:
        """Whether it runs inside EXEC."""
        ...


class NativeServer(Protocol):
    """A running event loop."""

    def addresses(self) -> Sequence[str]:
        """The addresses that it listens on."""
        ...

    def take_admin_request(self, timeout_ms: int) -> NativeRequest | None:
        """Wait for a command to run here; None when none came in time."""
        ...

    def answer(self, request_id: int, value: object) -> None:
        """Send the reply to a request; its client may be gone, which is no error."""
        ...

    def facts(self) -> Facts:
        """Tell the counters."""
        ...

    def recorded(self) -> Facts:
        """Tell what is known of time: `latencies`, `slow_calls` and `stalls`."""
        ...

    def forget(self, what: str) -> None:
        """Forget the `counters` with the latencies, the `slow_calls`, or the stalls of a kind."""
        ...

    def adjust(self, changes: dict[str, Any]) -> None:
        """Change settings of the running loop, by field name of `Settings`, and switches."""
        ...

    def clients(self) -> Sequence[Facts]:
        """Describe the open connections."""
        ...

    def kill_clients(self, ids: Sequence[int]) -> int:
        """Close connections after the replies that are due; return how many were open."""
        ...

    def pause_clients(self, timeout_ms: int | None, *, is_for_all: bool = ...) -> None:
        """Let writing commands wait for so long, or all; None ends every wait."""
        ...

    def take_notices(self) -> Sequence[str]:
        """Take the sentences for the log that the loop has left since the last call."""
        ...

    def stop(self) -> None:
        """Close every connection and socket."""
        ...
