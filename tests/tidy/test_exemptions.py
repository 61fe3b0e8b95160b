"""The list of exemptions is honest and only shrinks."""

from tests.tidy.exemptions import at_most, exemptions

RULES = {
    "columns",
    "commented-out-code",
    "docstring",
    "file-lines",
    "function-lines",
    "header",
    "invariant-without-test",
    "name",
    "nesting",
    "open-end",
    "pin",
    "public-name",
    "rust-layer",
    "python-layer",
    "test-place",
    "unsafe",
}


def test_there_are_exactly_as_many_exemptions_as_allowed() -> None:
    assert len(exemptions()) == at_most()


def test_each_exemption_names_a_rule_a_place_and_a_reason() -> None:
    for entry in exemptions():
        assert entry["rule"] in RULES, entry
        assert entry["where"], entry
        assert len(entry["reason"]) > 20, entry


def test_no_exemption_is_listed_twice() -> None:
    places = [(entry["rule"], entry["where"]) for entry in exemptions()]
    assert len(set(places)) == len(places)
