"""The options that say which server a verb speaks to, written once for all verbs.

Owns these options and turning them into a client. A password is read from a file or from the
environment, never from an argument: arguments can be read by every user of the machine.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from dwell.cli.exits import Mistake
from dwell.cli.parameters import Option, Verb
from dwell.errors import UsageError

if TYPE_CHECKING:
    from dwell.client.connection import Client

__all__ = ["key_bytes", "milliseconds", "speaks_to_server"]

GROUP: Final = "Server"
LIFETIME_SECONDS_MAX: Final = 10**12
"""Some thirty thousand years."""
Host = Annotated[str, Option(("--host",), "Name or address of the server.", group=GROUP)]
Port = Annotated[
    int,
    Option(
        ("--port", "-p"),
        "Its TCP port.",
        minimum=1,
        maximum=65535,
        environment="DWELL_PORT",
        group=GROUP,
    ),
]
Socket = Annotated[
    Path | None,
    Option(
        ("--socket",),
        "Path of its Unix socket, instead of host and port.",
        environment="DWELL_UNIX_SOCKET",
        group=GROUP,
    ),
]
PasswordFile = Annotated[
    Path | None,
    Option(
        ("--password-file",),
        "File whose first line is the password; DWELL_PASSWORD works too.",
        group=GROUP,
    ),
]
Namespace = Annotated[
    int,
    Option(("--namespace", "-n"), "Which keyspace: SELECT's number.", minimum=0, group=GROUP),
]

_DEFAULTS: Final[dict[str, tuple[Any, Any]]] = {
    "host": (Host, "127.0.0.1"),
    "port": (Port, 6379),
    "socket": (Socket, None),
    "password_file": (PasswordFile, None),
    "namespace": (Namespace, 0),
}


def speaks_to_server(run: Callable[..., None]) -> Verb:
    """Give a verb the options above, and a connected client as its first argument."""

    @wraps(run)
    def connected(**given: Any) -> None:
        target = {name: given.pop(name) for name in _DEFAULTS}
        with _connect(**target) as client:
            run(client, **given)

    own = list(inspect.signature(run).parameters.values())[1:]
    options = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
        )
        for name, (annotation, default) in _DEFAULTS.items()
    ]
    keyword_only = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]
    signature = inspect.Signature([*keyword_only, *options])
    connected.__signature__ = signature  # type: ignore[attr-defined]
    return connected


def _connect(
    *, host: str, port: int, socket: Path | None, password_file: Path | None, namespace: int
) -> Client:
    """A connected client."""
    from dwell.client.connection import Client

    return Client(
        socket if socket is not None else (host, port),
        password=_password(password_file),
        database=namespace,
    )


def _password(path: Path | None) -> str:
    """The password from its file or the environment; empty where there is none."""
    if path is None:
        return os.environ.get("DWELL_PASSWORD", "")
    try:
        return path.read_text(encoding="utf-8").split("\n", 1)[0]
    except (OSError, UnicodeDecodeError) as failure:
        reason = getattr(failure, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"cannot read the password file, {reason}: {path}") from failure


def key_bytes(argument: str) -> bytes:
    """The bytes of an argument as the shell gave them, UTF-8 or not."""
    return os.fsencode(argument)


def milliseconds(seconds: float) -> int:
    """A lifetime as the server takes it."""
    if seconds > LIFETIME_SECONDS_MAX:
        raise Mistake(f"a lifetime is at most {LIFETIME_SECONDS_MAX:.0f} seconds: {seconds}")
    # However short, a lifetime is not none.
    return max(1, round(seconds * 1000)) if seconds > 0 else 0
