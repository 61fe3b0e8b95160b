"""A client whose writes can be judged after a crash: it remembers its steps and their answers.

The steps of one client go over one connection in order and touch keys that no other client touches.
So whatever survives must be the state after some first part of its steps, and that part must reach
at least to the last one that was answered: a lost acknowledged write, a half batch, an older value,
a key that came back and a wrong deadline all make that impossible, and nothing else does.
"""

from __future__ import annotations

import dataclasses
import random
import threading
import time
from typing import TYPE_CHECKING

from tests.resp import ReplyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.resp import Client, Reply, Word
    from tests.servers import Server

PLAIN_KEYS = 12
TIMED_KEYS = 6
FLEETING_KEYS = 6
PIPELINE_STEPS_MAX = 12
LONG_MS = 1_000_000
# How far a deadline may be off, and how long an expired key may still be about.
CLOCK_SLACK_MS = 60


def now_ms() -> int:
    """Return the wall clock, which deadlines follow."""
    return time.time_ns() // 1_000_000


@dataclasses.dataclass(frozen=True)
class Stored:
    """A value and when its key expires, between two bounds; no bounds mean never."""

    value: bytes
    deadline_ms: tuple[int, int] | None = None


@dataclasses.dataclass
class Step:
    """One indivisible change: its commands, and what it does to the model of this client's keys."""

    commands: list[list[Word]]
    effect: Callable[[dict[bytes, Stored], Step], None]
    sent_ms: int = 0
    answered_ms: int | None = None

    def lifetime(self, lifetime_ms: int) -> tuple[int, int]:
        """Return the bounds of the deadline of a key that got its lifetime in this step."""
        latest = now_ms() if self.answered_ms is None else self.answered_ms
        return self.sent_ms + lifetime_ms, latest + lifetime_ms


class Writer:
    """One client: `work` until the server dies, then `verify` what is there after the restart.

    Args:
        number: which client this is; part of its keys' names.
        seed: decides its steps.
        is_plain: whether it writes only keys without a lifetime.
    Attributes:
        answered_steps: how many steps were answered so far.
        keys: all keys that this client touches.
    """

    def __init__(self, number: int, seed: str, *, is_plain: bool = False) -> None:
        self.answered_steps = 0
        self._randomness = random.Random(f"{seed}/{number}")
        self._number = number
        self._is_plain = is_plain
        self._count = 0
        self._model: dict[bytes, Stored] = {}
        self._steps: list[Step] = []
        names = [b"plain"] * PLAIN_KEYS + [b"timed"] * TIMED_KEYS + [b"fleeting"] * FLEETING_KEYS
        self.keys = [b"%b:%d:%d" % (name, number, i) for i, name in enumerate(names)]
        self.keys += [self._key(name) for name in (b"left", b"right", b"counter")]

    def work(self, server: Server, stop: threading.Event) -> None:
        """Send steps in pipelines of random length until the connection breaks."""
        try:
            with server.client(timeout_seconds=10.0) as client:
                while not stop.is_set():
                    self._send_some(client)
        except OSError:
            return

    def verify(self, client: Client, *, is_loss_allowed: bool = False) -> None:
        """Compare what is stored with the states that may be, and go on from the one that is.

        Args:
            client: a connection to the restarted server.
            is_loss_allowed: whether answered steps may be missing, as under durability `none`.
        """
        began_ms = now_ms()
        stored = self._read_all(client)
        read_ms = (began_ms, now_ms())
        answered = sum(1 for step in self._steps if step.answered_ms is not None)
        model = dict(self._model)
        mismatch = ""
        for count in range(len(self._steps) + 1):
            if count:
                step = self._steps[count - 1]
                step.effect(model, step)
            if count < answered and not is_loss_allowed:
                continue
            mismatch = self._first_difference(model, stored, read_ms)
            if not mismatch:
                self._model, self._steps = model, []
                return
        raise AssertionError(
            f"client {self._number}: no state from step {answered} (answered) to "
            f"{len(self._steps)} (sent) is what is stored; the last one differs at {mismatch}"
        )

    def _key(self, name: bytes) -> bytes:
        return b"%b:%d" % (name, self._number)

    def _send_some(self, client: Client) -> None:
        steps = [self._next_step() for _ in range(self._randomness.randint(1, PIPELINE_STEPS_MAX))]
        # Noted before it is sent: from here on the step may have happened.
        self._steps += steps
        for step in steps:
            step.sent_ms = now_ms()
        requests = [command for step in steps for command in step.commands]
        client.send_commands(requests)
        for step in steps:
            for _ in step.commands:
                _refuse_errors(client.read_reply())
            step.answered_ms = now_ms()
            self.answered_steps += 1

    def _next_step(self) -> Step:
        self._count += 1
        value = b"%d" % self._count + b"x" * self._randomness.choice([0, 8, 100, 3000])
        if self._is_plain:
            return self._randomness.choice([self._write_plain, self._write_plain, self._delete])(
                value
            )
        makers = [
            self._write_plain,
            self._write_timed,
            self._write_fleeting,
            self._write_pair,
            self._delete,
            self._move,
            self._count_up,
        ]
        weights = [5, 3, 2, 3, 1, 2, 2]
        return self._randomness.choices(makers, weights=weights)[0](value)

    def _pick(self, first: int, count: int) -> bytes:
        return self.keys[first + self._randomness.randrange(count)]

    def _write_plain(self, value: bytes) -> Step:
        key = self._pick(0, PLAIN_KEYS)

        def effect(model: dict[bytes, Stored], _: Step) -> None:
            model[key] = Stored(value)

        return Step([[b"SET", key, value]], effect)

    def _write_timed(self, value: bytes) -> Step:
        return self._write_with_lifetime(self._pick(PLAIN_KEYS, TIMED_KEYS), value, LONG_MS)

    def _write_fleeting(self, value: bytes) -> Step:
        key = self._pick(PLAIN_KEYS + TIMED_KEYS, FLEETING_KEYS)
        return self._write_with_lifetime(key, value, self._randomness.randint(20, 400))

    def _write_with_lifetime(self, key: bytes, value: bytes, lifetime_ms: int) -> Step:
        def effect(model: dict[bytes, Stored], step: Step) -> None:
            model[key] = Stored(value, step.lifetime(lifetime_ms))

        return Step([[b"SET", key, value, b"PX", lifetime_ms]], effect)

    def _write_pair(self, value: bytes) -> Step:
        """One batch over both homes, which must be there whole or not at all (INV-02)."""
        left, right = self._key(b"left"), self._key(b"right")

        def effect(model: dict[bytes, Stored], step: Step) -> None:
            model[left] = Stored(value)
            model[right] = Stored(value, step.lifetime(LONG_MS))

        commands: list[list[Word]] = [
            [b"MULTI"],
            [b"SET", left, value],
            [b"SET", right, value, b"PX", LONG_MS],
            [b"EXEC"],
        ]
        return Step(commands, effect)

    def _delete(self, _: bytes) -> Step:
        key = self._pick(0, PLAIN_KEYS)

        def effect(model: dict[bytes, Stored], _: Step) -> None:
            model.pop(key, None)

        return Step([[b"DEL", key]], effect)

    def _move(self, _: bytes) -> Step:
        """Give a key a lifetime, or take it away, so that it changes its home."""
        key = self._pick(0, PLAIN_KEYS + TIMED_KEYS)
        is_giving = self._randomness.random() < 0.5

        def effect(model: dict[bytes, Stored], step: Step) -> None:
            if key in model:
                deadline = step.lifetime(LONG_MS) if is_giving else None
                model[key] = dataclasses.replace(model[key], deadline_ms=deadline)

        command: list[Word] = [b"PEXPIRE", key, LONG_MS] if is_giving else [b"PERSIST", key]
        return Step([command], effect)

    def _count_up(self, _: bytes) -> Step:
        key = self._key(b"counter")

        def effect(model: dict[bytes, Stored], _: Step) -> None:
            before = int(model[key].value) if key in model else 0
            model[key] = Stored(b"%d" % (before + 1))

        return Step([[b"INCR", key]], effect)

    def _read_all(self, client: Client) -> dict[bytes, Stored]:
        values = client.call(b"MGET", *self.keys)
        deadlines = client.pipeline([b"PEXPIRETIME", key] for key in self.keys)
        assert isinstance(values, list)
        stored = {}
        for key, value, deadline in zip(self.keys, values, deadlines, strict=True):
            assert isinstance(deadline, int)
            # A key may expire between the two reads; then it is gone either way.
            if isinstance(value, bytes) and deadline != -2:
                stored[key] = Stored(value, None if deadline == -1 else (deadline, deadline))
        return stored

    def _first_difference(
        self,
        model: dict[bytes, Stored],
        stored: dict[bytes, Stored],
        read_ms: tuple[int, int],
    ) -> str:
        for key in self.keys:
            wanted, found = model.get(key), stored.get(key)
            if not _agrees(wanted, found, read_ms):
                return f"{key!r}: wanted {_shorten(wanted)}, found {_shorten(found)}"
        return ""


def _agrees(wanted: Stored | None, found: Stored | None, read_ms: tuple[int, int]) -> bool:
    """Whether a stored key is what the model says, the passing of time included.

    What was found had not expired when the reading began; what was not had when it ended.
    """
    began_ms, ended_ms = read_ms
    if wanted is None or found is None:
        has_expired = (
            wanted is not None
            and wanted.deadline_ms is not None
            and wanted.deadline_ms[0] - CLOCK_SLACK_MS <= ended_ms
        )
        return wanted is found or has_expired
    if wanted.value != found.value or (wanted.deadline_ms is None) != (found.deadline_ms is None):
        return False
    if wanted.deadline_ms is None or found.deadline_ms is None:
        return True
    low, high = wanted.deadline_ms
    is_kept = low - CLOCK_SLACK_MS <= found.deadline_ms[0] <= high + CLOCK_SLACK_MS
    return is_kept and found.deadline_ms[0] + CLOCK_SLACK_MS >= began_ms


def _refuse_errors(reply: Reply) -> None:
    replies = reply if isinstance(reply, list) else [reply]
    for each in replies:
        if isinstance(each, ReplyError):
            raise each


def _shorten(stored: Stored | None) -> str:
    if stored is None:
        return "nothing"
    return f"{stored.value[:20]!r} of {len(stored.value)} bytes until {stored.deadline_ms}"
