"""The message bus between modules: who says something need not know who listens.

Owns delivery within this process, which is the first implementation and the only one yet. A
message is delivered to each subscriber of its topic, in the order of publishing; a subscriber that
does not read keeps its newest messages and loses the oldest, so that nobody can block the others.
"""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Bus", "Message", "Subscription"]

MESSAGES_KEPT_MAX: Final = 1000


@dataclass(frozen=True, slots=True)
class Message:
    """Something that happened: a topic such as `stop`, and its fields."""

    topic: str
    fields: Mapping[str, object]


class Subscription:
    """What a subscriber reads."""

    def __init__(self) -> None:
        self._messages: queue.SimpleQueue[Message] = queue.SimpleQueue()

    def deliver(self, message: Message) -> None:
        """Take a message; safe to call from a signal handler."""
        self._messages.put(message)
        if self._messages.qsize() > MESSAGES_KEPT_MAX:
            self.read(timeout_s=0)

    def read(self, *, timeout_s: float | None = None) -> Message | None:
        """The next message, or None when none comes in time; None waits for ever."""
        try:
            return self._messages.get(timeout=timeout_s)
        except queue.Empty:
            return None


class Bus:
    """Topics and their subscribers."""

    def __init__(self) -> None:
        self._subscriptions: dict[str, tuple[Subscription, ...]] = {}
        self._changing = threading.Lock()

    def subscribe(self, *topics: str) -> Subscription:
        """Listen to topics from now on."""
        subscription = Subscription()
        with self._changing:
            for topic in topics:
                known = self._subscriptions.get(topic, ())
                self._subscriptions[topic] = (*known, subscription)
        return subscription

    def publish(self, topic: str, **fields: object) -> None:
        """Tell all subscribers of a topic.

        Takes no lock: a signal handler that interrupted `subscribe` may publish.
        """
        message = Message(topic, fields)
        for subscription in self._subscriptions.get(topic, ()):
            subscription.deliver(message)
