"""INFO: what the server tells about itself, by section.

Owns which sections there are, which are told by default, and their form; each section is a function
from the context to its fields, in the files beside this one. A section contains only what is known
to be so: fields of Redis that tools read and that have no counterpart in Dwell stand where Redis
would say that the feature is unused.
Source: Redis INFO.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from dwell.client.replies import Verbatim
from dwell.server.commands.info import commands, data, fixed, memory, persistence, process, traffic
from dwell.server.registry import command
from dwell.server.request import text

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.context import Context
    from dwell.server.request import Request

__all__ = ["SECTIONS", "render"]

Section = Callable[["Context"], Mapping[str, object]]

SECTIONS: Final[dict[str, Section]] = {
    "server": process.server,
    "clients": traffic.clients,
    "memory": memory.memory,
    "persistence": persistence.persistence,
    "stats": traffic.stats,
    "replication": fixed.replication,
    "cpu": process.cpu,
    "modules": fixed.modules,
    "commandstats": commands.commandstats,
    "errorstats": commands.errorstats,
    "latencystats": commands.latencystats,
    "cluster": fixed.cluster,
    "keyspace": data.keyspace,
    "dwell": process.dwell,
}
"""The sections in Redis's order; Dwell's own, its modules under the supervisor, comes last."""

BY_REQUEST: Final = frozenset({"commandstats", "latencystats"})


@command("info", is_readonly=True)
def info(request: Request) -> Reply:
    """Tell the named sections, or those of the default."""
    names = [text(word).lower() for word in request.arguments]
    return Verbatim("txt", render(request.context, names))


def render(context: Context, names: list[str]) -> str:
    """The text of the named sections, each told once and in the order of the table.

    Args:
        context: the server.
        names: sections, `default`, `all` or `everything`; an unknown name adds nothing.
    """
    wanted = set(names) if names else {"default"}
    if "default" in wanted:
        wanted |= SECTIONS.keys() - BY_REQUEST
    if wanted & {"all", "everything"}:
        wanted |= SECTIONS.keys()
    parts = []
    for name, section in SECTIONS.items():
        if name not in wanted:
            continue
        title = {"cpu": "CPU"}.get(name, name.capitalize())
        lines = [f"# {title}", *(f"{key}:{value}" for key, value in section(context).items())]
        parts.append("".join(f"{line}\r\n" for line in lines))
    return "\r\n".join(parts)
