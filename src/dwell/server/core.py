"""The native parts as the host uses them: opening the engine, starting the event loop on it.

Owns the adapters from dwell._core to the protocols in dwell.server.native, and decides nothing.
With dwell.server.log_survey and dwell.server.log_replay it is all that the server knows of it.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final

from dwell import _core
from dwell.client.replies import Attributed, ErrorReply, Push, Status, Verbatim
from dwell.database import engine_settings
from dwell.server.configuration import to_native
from dwell.server.versions import REDIS_VERSION
from dwell.values import INTEGER_MAX, INTEGER_MIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dwell.server.command_table import CommandFacts
    from dwell.server.native import Facts, NativeServer
    from dwell.settings import Settings

__all__ = ["Engine", "NativeCore"]

INTEGER_BYTES_MAX: Final = 20
"""The longest text of an integer."""

EMBEDDED_BYTES_MAX: Final = 44
"""The longest string that Redis keeps in one allocation with its header."""

REPLY_TYPES: Final = {
    "status": Status,
    "error": ErrorReply,
    "verbatim": Verbatim,
    "push": Push,
    "attributed": Attributed,
}


class Engine:
    """An open instance, by the numbers that Redis's clients SELECT."""

    def __init__(self, database: _core.Database) -> None:
        self.database = database

    def stats(self) -> Facts:
        """Tell memory, log, drain and the keys of each namespace."""
        return self.database._stats()  # noqa: SLF001 the core's name for what is not the user's

    def save(self) -> None:
        """Bring everything acknowledged into SQLite, and what lives in memory into a base."""
        self.database.drain()
        if self.database.path is not None:
            self.database.make_base()

    def reload(self) -> None:
        """Save everything and build what is in memory anew from it; other clients wait.

        Raises:
            CorruptError: log or base are damaged; it says where. Memory stays as it was.
        """
        self.database._reload()  # noqa: SLF001 the core's name for what is not the user's

    def where(self, namespace: int, key: bytes) -> Facts | None:
        """Tell the home of a key and what is known about its value; None for an absent key."""
        view = _core.Database(self.database, namespace=b"%d" % namespace)
        facts = view._where(key)  # noqa: SLF001 the core's name for what is not the user's
        if facts is None:
            return None
        is_short = facts["size_bytes"] <= INTEGER_BYTES_MAX
        return facts | {"encoding": _encoding(facts["size_bytes"], is_short and view.read(key))}

    def close(self) -> None:
        """Bring everything acknowledged to disk and let the directory go."""
        self.database.close()


class NativeCore:
    """Makes the native parts."""

    def open_engine(self, settings: Settings) -> Engine:
        """Open the instance.

        Raises:
            BusyError: the directory is open elsewhere; it says where.
            CorruptError: a file is damaged.
            UnavailableError: the directory cannot be made or read.
        """
        place = None if settings.directory is None else os.fspath(settings.directory)
        return Engine(_core.Database(place, engine_settings(settings)))

    def start_server(
        self, engine: Engine, settings: Settings, own_commands: Sequence[CommandFacts]
    ) -> NativeServer:
        """Start the event loop.

        Raises:
            UnavailableError: an address is taken or cannot be had; it says which.
        """
        told: dict[str, Any] = to_native(settings) | {"redis_version": REDIS_VERSION}
        own = [(each.name, each.arity, each.is_readonly) for each in own_commands]
        return _core.Server(engine.database, told, REPLY_TYPES, own)


def _encoding(size_bytes: int, value: Any) -> str:
    """The encoding that Redis would show; the value matters for short ones alone."""
    if isinstance(value, bytes) and re.fullmatch(rb"-?[1-9][0-9]*|0", value):
        value = int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if is_number and INTEGER_MIN <= value <= INTEGER_MAX:
        return "int"
    return "embstr" if size_bytes <= EMBEDDED_BYTES_MAX else "raw"
