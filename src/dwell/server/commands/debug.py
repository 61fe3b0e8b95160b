"""DEBUG: tools for testing, behind `enable-debug-command`. Source: Redis DEBUG.

Only what test suites send and Dwell can answer truthfully. SLEEP holds up its own client alone:
in Dwell nothing that a client asks for may stop the others (INV-06).
"""

from __future__ import annotations

import sys
import time
from functools import wraps
from typing import TYPE_CHECKING, Final

from dwell.client.replies import Attributed, Status, Verbatim
from dwell.errors import UsageError
from dwell.server.registry import command
from dwell.server.request import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from dwell.client.replies import Reply
    from dwell.server.request import Request

SLEEP_S_MAX: Final = 3600.0
REFUSED: Final = (
    'DEBUG command not allowed. If the enable-debug-command option is set to "local", you can run'
    " it from a local connection, otherwise you need to set this option in the configuration file,"
    " and then restart the server."
)
SAMPLES: Final[dict[str, Reply]] = {
    "string": b"Hello World",
    "integer": 12345,
    "double": 3.141,
    "bignum": 1234567999999999999999999999999999999,
    "null": None,
    "array": [0, 1, 2],
    "set": {0, 1, 2},
    "map": {0: False, 1: True, 2: False},
    "verbatim": Verbatim("txt", "This is a verbatim\nstring"),
    "attrib": Attributed(
        {b"key-popularity": [b"key:123", 90]}, b"Some real reply following the attribute"
    ),
    "true": True,
    "false": False,
}


def debug(name: str) -> Callable[[Callable[[Request], Reply]], Callable[[Request], Reply]]:
    """Register a subcommand of DEBUG that runs only where DEBUG is allowed."""

    def register(run: Callable[[Request], Reply]) -> Callable[[Request], Reply]:
        @command(f"debug|{name}", is_slow=True)
        @wraps(run)
        def guarded(request: Request) -> Reply:
            _check_allowed(request)
            return run(request)

        return guarded

    return register


def _check_allowed(request: Request) -> None:
    allowed = request.context.configuration.settings.debug_commands
    address = str(request.client.get("addr", ""))
    is_local = address.startswith(("127.", "[::1]:", "::1:", "/")) or address.endswith(":0")
    if allowed == "no" or (allowed == "local" and not is_local):
        raise UsageError(REFUSED)


@debug("sleep")
def debug_sleep(request: Request) -> Reply:
    """Answer after a pause. What is no number counts as 0, as in Redis."""
    try:
        seconds = float(request.arguments[0])
    except ValueError:
        seconds = 0.0
    if not 0 <= seconds <= SLEEP_S_MAX:
        raise UsageError(f"DEBUG SLEEP is 0 to {SLEEP_S_MAX:.0f} seconds")
    time.sleep(seconds)
    return Status("OK")


@debug("set-active-expire")
def debug_set_active_expire(request: Request) -> Reply:
    """Switch the removal of expired keys in the background."""
    request.context.server.adjust({"is_expiry_active": request.arguments[0] != b"0"})
    return Status("OK")


@debug("reload")
def debug_reload(request: Request) -> Reply:
    """Save, and build what lives in memory anew from base and log; copies of the disk go."""
    request.context.engine.reload()
    return Status("OK")


@debug("loadaof")
def debug_loadaof(request: Request) -> Reply:
    """Do as RELOAD: one log serves both."""
    return debug_reload(request)


@debug("object")
def debug_object(request: Request) -> Reply:
    """Describe how a value is kept; Redis's address and clock have no counterpart."""
    facts = request.context.engine.where(request.database, request.arguments[0])
    if facts is None:
        raise UsageError("no such key")
    return Status(
        f"Value at:0x0 refcount:1 encoding:{facts['encoding']}"
        f" serializedlength:{facts['size_bytes']} home:{facts['home']} state:{facts['state']}"
    )


@debug("protocol")
def debug_protocol(request: Request) -> Reply:
    """Answer a sample of a type."""
    name = text(request.arguments[0]).lower()
    if name not in SAMPLES:
        raise UsageError(
            "Wrong protocol type name. Please use one of the following: " + "|".join(SAMPLES)
        )
    return SAMPLES[name]


@debug("log")
def debug_log(request: Request) -> Reply:
    """Write a line to the server's log."""
    sys.stderr.write(f"DEBUG LOG: {text(request.arguments[0])!r}\n")
    return Status("OK")
