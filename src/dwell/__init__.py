"""Dwell: how long a value lives decides where it lives.

One keyspace by key, in batches or with any Redis client, answered from memory or from SQLite on
disk. This file owns the public names and must not load the engine: all but the errors are resolved
when first used, so that a client works where no engine is installed, and a command line starts
without what it does not need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from dwell.errors import (
    BusyError,
    ClosedError,
    ConflictError,
    CorruptError,
    Error,
    InternalError,
    RefusedError,
    UnavailableError,
    UsageError,
    WrongTypeError,
)

if TYPE_CHECKING:
    from dwell.aio import AsyncBatch, AsyncDatabase, open_async
    from dwell.batch import Batch
    from dwell.database import Database, Whereabouts, open
    from dwell.settings import Settings
    from dwell.values import Point

    __version__: str

__all__ = [
    "AsyncBatch",
    "AsyncDatabase",
    "Batch",
    "BusyError",
    "ClosedError",
    "ConflictError",
    "CorruptError",
    "Database",
    "Error",
    "InternalError",
    "Point",
    "RefusedError",
    "Settings",
    "UnavailableError",
    "UsageError",
    "Whereabouts",
    "WrongTypeError",
    "__version__",
    "open",
    "open_async",
]

_HOMES = {
    "AsyncBatch": "dwell.aio",
    "AsyncDatabase": "dwell.aio",
    "Batch": "dwell.batch",
    "Database": "dwell.database",
    "Point": "dwell.values",
    "Settings": "dwell.settings",
    "Whereabouts": "dwell.database",
    "open": "dwell.database",
    "open_async": "dwell.aio",
}


def _resolve(name: str) -> object:
    """Resolve a name at its first use."""
    if name == "__version__":
        return import_module("importlib.metadata").version("dwelldb")
    if name not in _HOMES:
        raise AttributeError(f"module 'dwell' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


if not TYPE_CHECKING:
    # A type checker that knew of this would take every name for an attribute.
    __getattr__ = _resolve


def __dir__() -> list[str]:
    """List the public names, those not yet resolved included."""
    return sorted({*globals(), *__all__})
