"""The checker itself: right histories, and histories with the faults that it is there to find."""

import itertools
import random

from tests.concurrency.checker import (
    Kind,
    Operation,
    Outcome,
    apply,
    find_violation,
    is_linearisable,
)

KEY = b"k"


def op(
    kind: Kind,
    called: int,
    returned: int | None,
    *,
    value: bytes | int | None = None,
    expected: bytes | None = None,
    result: bytes | int | bool | None = None,
    client: int = 0,
    key: bytes = KEY,
) -> Operation:
    outcome = Outcome.UNKNOWN if returned is None else Outcome.OK
    return Operation(client, key, kind, called, returned, outcome, value, expected, result)


def read(called: int, returned: int, result: bytes | None) -> Operation:
    return op(Kind.READ, called, returned, result=result)


def write(called: int, returned: int | None, value: bytes) -> Operation:
    return op(Kind.WRITE, called, returned, value=value)


def compare_and_delete(
    called: int, returned: int | None, expected: bytes, *, result: bool | None
) -> Operation:
    return op(Kind.COMPARE_AND_DELETE, called, returned, expected=expected, result=result)


def test_empty_history_is_linearisable() -> None:
    assert find_violation([]) is None


def test_read_of_own_write_is_linearisable() -> None:
    assert find_violation([write(0, 1, b"a"), read(2, 3, b"a")]) is None


def test_read_during_a_write_may_see_either_value() -> None:
    for seen in (b"a", b"b"):
        history = [write(0, 1, b"a"), write(2, 9, b"b"), read(3, 4, seen)]
        assert find_violation(history) is None


def test_old_value_read_after_a_newer_write_is_found() -> None:
    history = [write(0, 1, b"a"), write(2, 3, b"b"), read(4, 5, b"a")]
    found = find_violation(history)
    assert found is not None
    assert found.operations == history


def test_old_value_read_after_a_newer_one_was_seen_is_found() -> None:
    history = [write(0, 1, b"a"), write(2, 9, b"b"), read(3, 4, b"b"), read(5, 6, b"a")]
    assert find_violation(history) is not None


def test_two_winners_of_a_compare_and_delete_are_found() -> None:
    history = [
        write(0, 1, b"a"),
        compare_and_delete(2, 5, b"a", result=True),
        compare_and_delete(3, 6, b"a", result=True),
    ]
    assert find_violation(history) is not None
    assert find_violation([*history[:2], compare_and_delete(3, 6, b"a", result=False)]) is None


def test_deleted_key_that_comes_back_is_found() -> None:
    history = [
        write(0, 1, b"a"),
        op(Kind.DELETE, 2, 3, result=True),
        read(4, 5, None),
        read(6, 7, b"a"),
    ]
    assert find_violation(history) is not None


def test_lost_increment_is_found() -> None:
    first = op(Kind.INCREMENT, 0, 5, value=1, result=1)
    lost = op(Kind.INCREMENT, 1, 6, value=1, result=1)
    right = op(Kind.INCREMENT, 1, 6, value=1, result=2)
    assert find_violation([first, lost]) is not None
    assert find_violation([first, right]) is None


def test_compare_and_set_wins_once() -> None:
    def swap(called: int, returned: int, value: bytes, *, result: bool) -> Operation:
        return op(Kind.COMPARE_AND_SET, called, returned, value=value, expected=b"a", result=result)

    start = write(0, 1, b"a")
    assert find_violation([start, swap(2, 5, b"b", result=True), swap(3, 6, b"c", result=True)])
    fair = [start, swap(2, 5, b"b", result=True), swap(3, 6, b"c", result=False), read(7, 8, b"b")]
    assert find_violation(fair) is None


def test_unknown_write_may_have_happened_or_not() -> None:
    for seen in (b"a", b"b"):
        history = [write(0, 1, b"a"), write(2, None, b"b"), read(3, 4, seen)]
        assert find_violation(history) is None


def test_unknown_write_that_was_seen_may_not_vanish() -> None:
    history = [write(0, 1, b"a"), write(2, None, b"b"), read(3, 4, b"b"), read(5, 6, b"a")]
    assert find_violation(history) is not None


def test_unknown_write_may_not_happen_twice() -> None:
    history = [
        write(0, 1, b"a"),
        write(2, None, b"b"),
        read(3, 4, b"b"),
        write(5, 6, b"c"),
        read(7, 8, b"b"),
    ]
    assert find_violation(history) is not None


def test_failed_operation_never_happened() -> None:
    refused = Operation(0, KEY, Kind.WRITE, 2, 3, Outcome.FAILED, b"b")
    assert find_violation([write(0, 1, b"a"), refused, read(4, 5, b"a")]) is None
    assert find_violation([write(0, 1, b"a"), refused, read(4, 5, b"b")]) is not None


def test_keys_are_independent() -> None:
    history = [
        op(Kind.WRITE, 0, 1, value=b"a", key=b"x"),
        op(Kind.READ, 2, 3, result=None, key=b"y"),
    ]
    assert find_violation(history) is None


def test_initial_value_counts() -> None:
    assert find_violation([read(0, 1, b"a")], initial={KEY: b"a"}) is None
    assert find_violation([read(0, 1, b"a")]) is not None


def test_counterexample_leaves_out_reads_and_what_came_later() -> None:
    fault = [write(10, 11, b"a"), write(12, 13, b"b"), read(20, 21, b"a")]
    noise = [read(14, 15, b"b"), read(16, 17, b"b"), write(30, 31, b"c"), read(32, 33, b"c")]
    found = find_violation([*noise, *fault])
    assert found is not None
    assert found.operations == fault
    assert "no order explains" in str(found)


def simulate(seed: int, operations_max: int, clients: int) -> list[Operation]:
    """Run a right register under a random schedule; each operation takes effect inside its span."""
    randomness = random.Random(seed)
    busy_until = [0] * clients
    planned: list[tuple[int, Operation]] = []
    for number in range(operations_max):
        client = randomness.randrange(clients)
        called = busy_until[client] + randomness.randint(1, 5)
        moment = called + randomness.randint(0, 20)
        returned = moment + randomness.randint(0, 20)
        busy_until[client] = returned
        kind = randomness.choice([Kind.READ, Kind.WRITE, Kind.DELETE, Kind.COMPARE_AND_DELETE])
        value = b"%d" % number if kind is Kind.WRITE else None
        expected = b"%d" % randomness.randrange(number + 1)
        if kind is not Kind.COMPARE_AND_DELETE:
            expected = b""
        planned.append(
            (
                moment,
                Operation(client, KEY, kind, called, returned, value=value, expected=expected),
            )
        )
    return execute(planned)


def execute(planned: list[tuple[int, Operation]]) -> list[Operation]:
    state: bytes | None = None
    history = []
    for _, each in sorted(planned, key=lambda pair: pair[0]):
        before = state
        _, state = apply(each, state)
        results: dict[Kind, bytes | bool | None] = {
            Kind.READ: before,
            Kind.WRITE: None,
            Kind.DELETE: before is not None,
            Kind.COMPARE_AND_DELETE: before == each.expected,
        }
        fields = {**each.__dict__, "result": results[each.kind]}
        history.append(Operation(**fields))
    return history


def test_right_histories_of_many_clients_are_accepted() -> None:
    for seed in range(30):
        history = simulate(seed, operations_max=300, clients=6)
        assert is_linearisable(history), f"seed {seed}"


def test_a_read_changed_to_a_value_overwritten_long_ago_is_found() -> None:
    for seed in range(10):
        history = simulate(seed, operations_max=120, clients=4)
        last_call = max(each.called_ns for each in history)
        written = [each.value for each in history if each.kind is Kind.WRITE]
        overwrite = write(last_call + 100, last_call + 101, b"last")
        assert isinstance(written[0], bytes)
        stale = read(last_call + 200, last_call + 201, written[0])
        assert find_violation([*history, overwrite, stale]) is not None, f"seed {seed}"


def random_history(randomness: random.Random) -> list[Operation]:
    """Return a few overlapping operations with results drawn by lot, right or wrong."""
    history = []
    for client in range(randomness.randint(1, 5)):
        called = randomness.randint(0, 8)
        returned = None if randomness.random() < 0.15 else called + randomness.randint(0, 6)
        kind = randomness.choice(list(Kind))
        value: bytes | int | None = randomness.choice([b"1", b"2"])
        result: bytes | int | bool | None = randomness.choice([True, False])
        if kind is Kind.READ:
            result = randomness.choice([None, b"1", b"2"])
        elif kind is Kind.WRITE:
            result = None
        elif kind is Kind.INCREMENT:
            value, result = 1, randomness.randint(1, 3)
        expected = randomness.choice([b"1", b"2"])
        history.append(
            op(kind, called, returned, value=value, expected=expected, result=result, client=client)
        )
    return history


def some_order_explains(history: list[Operation]) -> bool:
    """Try all orders of all choices of unknown operations: slow, and plainly right."""
    known = [each for each in history if each.returned_ns is not None]
    unknown = [each for each in history if each.returned_ns is None]
    for count in range(len(unknown) + 1):
        for chosen in itertools.combinations(unknown, count):
            if any(map(explains, itertools.permutations([*known, *chosen]))):
                return True
    return False


def explains(order: tuple[Operation, ...]) -> bool:
    state: bytes | None = None
    for i, each in enumerate(order):
        if any(
            later.returned_ns is not None and later.returned_ns < each.called_ns
            for later in order[i + 1 :]
        ):
            return False
        fits, state = apply(each, state)
        if not fits:
            return False
    return True


def test_verdicts_agree_with_trying_every_order() -> None:
    randomness = random.Random(20)
    verdicts = set()
    for _ in range(3000):
        history = random_history(randomness)
        verdict = is_linearisable(history)
        assert verdict == some_order_explains(history), "\n".join(map(str, history))
        verdicts.add(verdict)
    assert verdicts == {True, False}
