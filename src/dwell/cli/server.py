"""`dwell server`: run a server until it is told to stop."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

from dwell.cli import exits
from dwell.cli.output import complain, say
from dwell.cli.parameters import Argument
from dwell.errors import Error, UsageError

if TYPE_CHECKING:
    from dwell.server.serve import Started
    from dwell.settings import Settings

Arguments = Annotated[
    list[str] | None, Argument("A redis.conf, then flags as redis-server has them.")
]

REDIS_PORT = 6379
PLACEMENTS = {
    "lifetime": "keys with a lifetime live in memory, all others on disk",
    "memory": "all keys live in memory",
    "disk": "all keys live on disk",
}
DURABILITIES = {
    "none": "acknowledged writes survive a clean stop",
    "interval": "acknowledged writes survive a kill, and a power cut but for the last second",
    "always": "acknowledged writes survive a power cut",
}


def server(arguments: Arguments = None) -> None:
    """Run a server: any Redis client can connect.

    Takes redis-server's flags where they have a meaning, such as --port, --bind, --dir, --save,
    --appendonly, --requirepass and --maxmemory, Respite's -h and -p, and Dwell's own --placement
    (lifetime, memory, disk) and --durability (none, interval, always). Each can stand in a
    redis.conf or in the environment as well (DWELL_PORT=7000). docs/settings.md lists all. Give a
    password by --requirepass-file rather than on the command line, which others can read.

    Example:  dwell server --port 7000 --dir /var/lib/dwell --placement lifetime
    """
    from dwell.cli.hidden_password import hide_password
    from dwell.directives import read_settings

    hide_password(arguments or [])
    try:
        settings = read_settings(arguments or [], os.environ)
    except UsageError as error:
        complain(str(error), hint=error.hint)
        raise SystemExit(exits.USAGE) from None
    # Whatever this process may start has no business with it.
    os.environ.pop("DWELL_PASSWORD", None)
    from dwell.server.core import NativeCore
    from dwell.server.serve import serve

    try:
        code = serve(settings, NativeCore(), on_started=greet, on_event=_log)
    except Error as error:
        complain(str(error), hint=error.hint)
        raise SystemExit(exits.ERROR) from None
    raise SystemExit(code)


def greet(started: Started) -> None:
    """Tell how to connect, and what the server will keep."""
    for line in banner(started):
        say(line)
    sys.stdout.flush()


def banner(started: Started) -> list[str]:
    """The lines of the greeting."""
    from dwell.database import exposure

    settings = started.settings
    lines = ["Dwell is ready.", *(f"  {line}" for line in _connecting(settings))]
    lines.append(f"  listening   {', '.join(started.addresses)}")
    lines.append(f"  placement   {settings.placement}: {PLACEMENTS[settings.placement]}")
    if settings.directory is None:
        lines.append("  directory   none: not one file is written, a stop loses all")
    else:
        lines.append(f"  durability  {settings.durability}: {DURABILITIES[settings.durability]}")
        lines.append(f"  directory   {settings.directory.absolute()}")
        if exposed := exposure(settings.directory):
            lines.append(f"  beware      {exposed}")
    if settings.directory is not None and not settings.log_resident:
        lines.append("  log         keys in memory are not logged: a kill loses them")
    kept = "" if settings.directory is None else "; everything acknowledged is on disk then"
    lines.append(f"  stop        Ctrl-C{kept}")
    return lines


def _connecting(settings: Settings) -> list[str]:
    """How a client gets in."""
    if settings.port:
        option = "" if settings.port == REDIS_PORT else f" -p {settings.port}"
        return [f"connect     redis-cli{option}    or    dwell status{option}"]
    path = settings.unix_socket
    return [f"connect     redis-cli -s {path}    or    dwell status --socket {path}"]


def _log(sentence: str) -> None:
    sys.stderr.write(f"dwell: {sentence}\n")
    sys.stderr.flush()
