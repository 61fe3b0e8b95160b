"""A client for servers that speak RESP3, for the command line and for programs without an engine.

Needs errors and values alone (STYLE 3). Owns no data and caches nothing.

>>> from dwell.client import Client
>>> with Client(("127.0.0.1", 6379)) as client:  # doctest: +SKIP
...     client.execute("SET", "greeting", "hello")
Status(text='OK')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dwell.client.replies import ErrorReply, Push, Reply, Status, Verbatim, to_error
from dwell.client.session import Address

if TYPE_CHECKING:
    from dwell.client.async_connection import AsyncClient
    from dwell.client.connection import Client

__all__ = [
    "Address",
    "AsyncClient",
    "Client",
    "ErrorReply",
    "Push",
    "Reply",
    "Status",
    "Verbatim",
    "to_error",
]


_SOCKETS = {"AsyncClient": "async_connection", "Client": "connection"}


def __getattr__(name: str) -> Any:
    """Load the sockets, and asyncio for one of the two, when a client is wanted."""
    if name not in _SOCKETS:
        raise AttributeError(f"module 'dwell.client' has no attribute {name!r}")
    return getattr(import_module(f"dwell.client.{_SOCKETS[name]}"), name)
