"""ROLE: the replication role. Source: Redis ROLE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwell.server.registry import command

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.request import Request


@command("role", is_readonly=True)
def role(_request: Request) -> Reply:
    """Answer that this is a master without replicas: there are no replicas yet."""
    return [b"master", 0, []]
