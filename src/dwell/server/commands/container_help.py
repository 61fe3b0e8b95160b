"""HELP of every container: CLIENT HELP, CONFIG HELP and so on.

Made from the facts in spec/commands, so that a help text cannot promise what there is not.
Source: Redis COMMAND HELP and its siblings, for the form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwell.client.replies import Status
from dwell.server.registry import command
from dwell.server.request import text

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.request import Request

CONTAINERS = ("client", "command", "config", "debug", "latency", "memory", "object", "slowlog")


def container_help(request: Request) -> Reply:
    """List the subcommands of the container that was called."""
    container = text(request.words[0]).lower()
    title = f"{container.upper()} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"
    lines = [title]
    for each in request.context.commands.subcommands(container):
        lines += [each.syntax.partition(" ")[2], f"    {each.summary}"]
    return [Status(line) for line in lines]


for _container in CONTAINERS:
    command(f"{_container}|help", is_readonly=True)(container_help)
