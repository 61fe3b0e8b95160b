"""The server: a supervisor in Python around the native event loop, and commands in Python.

Owns the process's parts and their lives; sockets, data commands and the wire are Rust's. What users
need to write commands of their own is exported here. A program with such commands becomes a server
that has them by handing over to the command line, and is started by `python that.py server`:

    from dwell.cli import main
    from dwell.server import Request, command

    @command("shout", arity=2, summary="Answer in upper case.", is_readonly=True)
    def shout(request: Request) -> bytes:
        return request.arguments[0].upper()

    main()
"""

from __future__ import annotations

from dwell.client.replies import ErrorReply, Reply, Status, Verbatim
from dwell.server.registry import command
from dwell.server.request import Request

__all__ = ["ErrorReply", "Reply", "Request", "Status", "Verbatim", "command"]
