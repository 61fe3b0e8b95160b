"""LOLWUT: a drawing and the version. Source: Redis LOLWUT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwell.client.replies import Verbatim
from dwell.server.registry import command
from dwell.server.versions import dwell_version

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.request import Request

HOUSE = r"""
          /\
         /  \        what is brief
        /____\       lives upstairs,
        | [] |
        |____|       what lasts
     ___|____|___    has the ground floor.
"""


@command("lolwut", is_readonly=True)
def lolwut(_request: Request) -> Reply:
    """Draw the house that the database is named for."""
    return Verbatim("txt", f"{HOUSE}\nDwell ver. {dwell_version()}\n")
