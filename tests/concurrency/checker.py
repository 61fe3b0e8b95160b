"""Decides whether a history of operations on registers is linearisable.

A history is linearisable when each operation can be given one moment between its call and its
return, so that all results follow from doing the operations one after the other in that order.
Registers are independent, so each key is checked alone (Herlihy and Wing, 1990). The search is that
of Wing and Gong (1993) with Lowe's memory of configurations seen before (2017): it walks the calls
and returns in order of time, tries each operation that has been called, and backtracks when it
meets the return of one that it could not place.

An operation whose reply never came is *unknown*: it may have happened at any time since its call,
or never. One that was refused is *failed*: it did not happen. Nothing here knows about sockets.
"""

from __future__ import annotations

import dataclasses
import enum
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Kind(enum.Enum):
    """What an operation asks of its register."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    COMPARE_AND_DELETE = "compare-and-delete"
    COMPARE_AND_SET = "compare-and-set"
    INCREMENT = "increment"


class Outcome(enum.Enum):
    """What is known about an operation."""

    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclasses.dataclass(frozen=True)
class Operation:
    """One call on one register, and what came of it.

    Attributes:
        client: who called; only for the reader of a counterexample.
        value: what WRITE and COMPARE_AND_SET put there; the amount of INCREMENT.
        expected: what the two conditional kinds compare with.
        result: the value read, the number after INCREMENT, or whether something was deleted or set;
            None for WRITE, and for a DELETE whose answer does not say.
        called_ns, returned_ns: moments of one monotonic clock; an unknown one has no return.
    """

    client: int
    key: bytes
    kind: Kind
    called_ns: int
    returned_ns: int | None
    outcome: Outcome = Outcome.OK
    value: bytes | int | None = None
    expected: bytes | None = None
    result: bytes | int | bool | None = None

    def __str__(self) -> str:
        """Return one line for a counterexample."""
        words = [f"client {self.client}: {self.kind.value} {self.key!r}"]
        if self.expected is not None:
            words.append(f"if {self.expected!r}")
        if self.value is not None:
            words.append(f"value {self.value!r}")
        reply = "?" if self.outcome is Outcome.UNKNOWN else repr(self.result)
        until = "..." if self.returned_ns is None else str(self.returned_ns)
        return f"{' '.join(words)} -> {reply}  [{self.called_ns}, {until}]"


@dataclasses.dataclass(frozen=True)
class Counterexample:
    """Operations on one key that no order explains, as few as could be found."""

    key: bytes
    operations: list[Operation]

    def __str__(self) -> str:
        """Return one operation a line, in order of their calls."""
        lines = [f"no order explains these operations on {self.key!r}:"]
        return "\n  ".join([*lines, *map(str, self.operations)])


State = bytes | None


def find_violation(
    history: Iterable[Operation], *, initial: dict[bytes, bytes] | None = None
) -> Counterexample | None:
    """Check every key of a history.

    Args:
        history: operations in any order; failed ones are ignored.
        initial: what registers held before; all others were absent.
    Returns:
        None when the history is linearisable, else a small part of it that is not.
    Cost: linear in the history for each key, exponential only in how many operations overlap.
    """
    by_key: dict[bytes, list[Operation]] = defaultdict(list)
    for operation in history:
        if operation.outcome is not Outcome.FAILED:
            by_key[operation.key].append(operation)
    for key, operations in by_key.items():
        start = (initial or {}).get(key)
        if not is_linearisable(operations, initial=start):
            return Counterexample(key, _minimise(operations, start))
    return None


def apply(operation: Operation, state: State) -> tuple[bool, State]:
    """Do one operation on a register.

    Returns:
        Whether the recorded result fits, and the register's next state.
    """
    is_unknown = operation.outcome is Outcome.UNKNOWN
    result, after = _expect(operation, state)
    fits = is_unknown or (operation.result is None and operation.kind is not Kind.READ)
    return (fits or operation.result == result), after


def _expect(operation: Operation, state: State) -> tuple[bytes | int | bool | None, State]:
    """Return the right result of an operation and the state after it."""
    value = operation.value
    match operation.kind:
        case Kind.READ:
            return state, state
        case Kind.WRITE:
            assert isinstance(value, bytes)
            return None, value
        case Kind.DELETE:
            return state is not None, None
        case Kind.COMPARE_AND_DELETE:
            matches = state == operation.expected
            return matches, None if matches else state
        case Kind.COMPARE_AND_SET:
            assert isinstance(value, bytes)
            matches = state == operation.expected
            return matches, value if matches else state
        case Kind.INCREMENT:
            assert isinstance(value, int)
            number = int(state or b"0") + value
            return number, b"%d" % number


class _Event(NamedTuple):
    """The call or the return of the operation with this index."""

    operation: int
    is_call: bool


def is_linearisable(operations: Sequence[Operation], *, initial: State = None) -> bool:
    """Whether some order of operations on one register explains all their results."""
    return _Search(operations, initial).run()


class _Search:
    """One walk over the events of one register.

    `placed` is the set of operations that have their moment, as bits of an integer, so that a
    configuration (placed, state) is cheap to remember.
    """

    def __init__(self, operations: Sequence[Operation], initial: State) -> None:
        self._operations = operations
        self._events = _in_order_of_time(operations)
        self._state = initial
        self._placed = 0
        self._seen: set[tuple[int, State]] = set()
        # What was placed, with the state before it, to go back to.
        self._trail: list[tuple[int, State]] = []
        self._next, self._previous = _linked(len(self._events))
        self._call_of = {
            event.operation: i for i, event in enumerate(self._events) if event.is_call
        }
        self._return_of = {
            event.operation: i for i, event in enumerate(self._events) if not event.is_call
        }

    def run(self) -> bool:
        """Walk until all is placed or all ways were tried."""
        end = len(self._events)
        at = self._first()
        while at != end:
            event = self._events[at]
            if event.is_call and self._place(event.operation):
                at = self._first()
            elif event.is_call:
                at = self._next[at + 1]
            elif self._trail:
                at = self._next[self._take_back() + 1]
            else:
                return False
        # What is left has no return: it was unknown, and may as well never have happened.
        return True

    def _first(self) -> int:
        return self._next[0]

    def _place(self, index: int) -> bool:
        """Give an operation its moment here, unless it does not fit or was tried before."""
        fits, state = apply(self._operations[index], self._state)
        placed = self._placed | (1 << index)
        if not fits or (placed, state) in self._seen:
            return False
        self._seen.add((placed, state))
        self._trail.append((index, self._state))
        self._placed, self._state = placed, state
        self._unlink(self._call_of[index])
        if index in self._return_of:
            self._unlink(self._return_of[index])
        return True

    def _take_back(self) -> int:
        """Undo the last placement and return where its call stands."""
        index, self._state = self._trail.pop()
        self._placed &= ~(1 << index)
        if index in self._return_of:
            self._relink(self._return_of[index])
        self._relink(self._call_of[index])
        return self._call_of[index]

    def _unlink(self, at: int) -> None:
        before, after = self._previous[at], self._next[at + 1]
        self._next[before + 1] = after
        if after < len(self._previous):
            self._previous[after] = before

    def _relink(self, at: int) -> None:
        before, after = self._previous[at], self._next[at + 1]
        self._next[before + 1] = at
        if after < len(self._previous):
            self._previous[after] = at


def _in_order_of_time(operations: Sequence[Operation]) -> list[_Event]:
    """Return calls and returns by time; at equal times calls come first, which forgives more."""
    timed: list[tuple[int, bool, int]] = []
    for index, operation in enumerate(operations):
        timed.append((operation.called_ns, False, index))
        if operation.outcome is Outcome.OK:
            assert operation.returned_ns is not None
            timed.append((operation.returned_ns, True, index))
    return [_Event(index, is_call=not is_return) for _, is_return, index in sorted(timed)]


def _linked(count: int) -> tuple[list[int], list[int]]:
    """Return a doubly linked list of 0..count: next by position plus one, and previous."""
    return list(range(count + 1)), list(range(-1, count - 1))


def _minimise(operations: list[Operation], initial: State) -> list[Operation]:
    """Leave out what the contradiction does not need.

    Only what cannot turn a right history into a wrong one is left out: everything that was called
    after the shortest bad prefix, and operations that change nothing. A write that is left out
    would make an honest read look wrong.
    """
    kept = _shortest_bad_prefix(sorted(operations, key=lambda each: each.called_ns), initial)
    for operation in list(kept):
        fewer = [each for each in kept if each is not operation]
        if _changes_nothing(operation) and not is_linearisable(fewer, initial=initial):
            kept = fewer
    return kept


def _shortest_bad_prefix(operations: list[Operation], initial: State) -> list[Operation]:
    """Return the operations seen up to the first return that no order explains."""
    returns = sorted(each.returned_ns for each in operations if each.returned_ns is not None)
    low, high = 0, len(returns) - 1
    while low < high:
        middle = (low + high) // 2
        if is_linearisable(_until(operations, returns[middle]), initial=initial):
            low = middle + 1
        else:
            high = middle
    return _until(operations, returns[low])


def _until(operations: list[Operation], moment_ns: int) -> list[Operation]:
    """Cut a history: what had not returned by then is unknown, what had not begun is gone."""
    return [
        each
        if each.returned_ns is not None and each.returned_ns <= moment_ns
        else dataclasses.replace(each, outcome=Outcome.UNKNOWN, returned_ns=None)
        for each in operations
        if each.called_ns <= moment_ns
    ]


def _changes_nothing(operation: Operation) -> bool:
    if operation.kind is Kind.READ:
        return True
    return operation.outcome is Outcome.OK and operation.result is False
