"""The list of skipped tests only shrinks: its length has an upper bound, lowered with each gain."""

from tests.conformance.run import UNITS, parse, read_skipped

SKIPPED_MAX = {
    "type/string": 16,
    "type/incr": 2,
    "keyspace": 11,
    "expire": 5,
    "scan": 12,
    "multi": 31,
    "protocol": 4,
    "slowlog": 7,
    "latency-monitor": 4,
}


def test_list_of_skipped_tests_is_never_longer_than_it_was() -> None:
    lengths = {unit: len(tests) for unit, tests in read_skipped().items()}
    assert lengths == SKIPPED_MAX, "lower the bound with the list; never raise it"


def test_every_skipped_test_belongs_to_a_unit_that_runs_and_has_a_reason() -> None:
    for unit, tests in read_skipped().items():
        assert unit in UNITS
        assert all(len(reason) > 20 for reason in tests.values())


def test_outcomes_are_read_from_what_the_suite_prints() -> None:
    printed = (
        "[ok]: EXISTS (3 ms)\n[err]: DBSIZE in tests/unit/keyspace.tcl\nExpected 1\n"
        "[skip]: RANDOMKEY\n[1/1 done]: unit/keyspace (1 seconds)\n"
        "[err]: DBSIZE in tests/unit/keyspace.tcl\n"
    )
    result = parse("keyspace", printed)
    assert result.passed == ["EXISTS"]
    assert result.failed == ["DBSIZE in tests/unit/keyspace.tcl"]
    assert result.skipped == ["RANDOMKEY"]
    assert result.is_complete
    assert not result.is_good


def test_a_unit_that_breaks_off_is_not_good() -> None:
    result = parse("keyspace", "[ok]: EXISTS (3 ms)\n[exception]: Executing test client: gone\n")
    assert not result.is_complete
    assert not result.is_good
