"""Two replies that only a server gives: none at all, and a set in a certain order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self

from dwell.client.replies import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dwell.client.replies import Reply

__all__ = ["NO_REPLY", "OrderedSet"]


class OrderedSet(frozenset["Reply"]):
    """A set that is sent in the order in which it was made, so that a reply is always the same."""

    _items: tuple[Reply, ...]

    def __new__(cls, items: Iterable[Reply]) -> Self:
        """Keep the elements and their order."""
        ordered = tuple(dict.fromkeys(items))
        self = super().__new__(cls, ordered)
        self._items = ordered
        return self

    def __iter__(self) -> Iterator[Reply]:
        return iter(self._items)


NO_REPLY: Final = Status("")
"""What a command returns when its client gets no reply, because the server is about to stop."""
