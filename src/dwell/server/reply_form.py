"""The reply that is none, and the form in which replies cross to the core.

Owns this crossing alone, so that commands know only dwell.client.replies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dwell.client.replies import Status

if TYPE_CHECKING:
    from dwell.client.replies import Reply

__all__ = ["NO_REPLY", "to_native_reply"]

NO_REPLY: Final = Status("")
"""What a command returns when its client gets no reply, because the server is about to stop."""


def to_native_reply(reply: Reply) -> object:
    """The reply as the core takes it."""
    return reply
