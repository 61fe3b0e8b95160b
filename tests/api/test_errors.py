"""Errors: the table, the Python classes and their fields say the same (STYLE 6)."""

import builtins
import copy
import tomllib
from pathlib import Path

import pytest

import dwell
from dwell import errors

TABLE = tomllib.loads(
    (Path(__file__).parents[2] / "spec" / "errors.toml").read_text(encoding="utf-8")
)["error"]


def test_table_and_classes_name_the_same_kinds() -> None:
    assert [entry["kind"] for entry in TABLE] == list(errors.CLASSES)


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["kind"])
def test_each_kind_has_the_class_of_the_table(entry: dict[str, str]) -> None:
    cls = errors.CLASSES[entry["kind"]]
    assert cls.__name__ == entry["class"]
    assert getattr(dwell, entry["class"]) is cls
    assert entry["kind"] in cls.kinds


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["kind"])
def test_each_class_is_also_the_builtin_of_the_table(entry: dict[str, str]) -> None:
    bases = errors.CLASSES[entry["kind"]].__bases__
    also = [getattr(builtins, entry["also"])] if entry["also"] else []
    assert list(bases) == [errors.Error, *also]


def test_wire_prefixes_are_those_of_the_table() -> None:
    assert {entry["kind"]: entry["wire"] for entry in TABLE} == errors.WIRE


def test_a_kind_without_a_prefix_says_what_it_answers_instead() -> None:
    assert all(entry["wire"] or entry["answer"] for entry in TABLE)


def test_the_tree_on_top_of_the_file_names_every_class_and_kind() -> None:
    tree = errors.__doc__ or ""
    for kind, cls in errors.CLASSES.items():
        assert cls.__name__ in tree
        assert kind in tree


def test_error_keeps_message_fields_and_hint() -> None:
    error = dwell.RefusedError(
        "memory is full: 12", kind="full", key=b"k", tier="memory", limit=10, found=12, hint="add"
    )
    assert str(error) == "memory is full: 12"
    fields = (error.kind, error.key, error.tier, error.limit, error.found, error.hint)
    assert fields == ("full", b"k", "memory", 10, 12, "add")
    assert error.__notes__ == ["hint: add"]


def test_kind_is_the_first_of_the_class_unless_told() -> None:
    assert dwell.BusyError("later").kind == "busy"
    assert dwell.Error("other").kind == "internal"


@pytest.mark.parametrize("cls", dict.fromkeys(errors.CLASSES.values()))
def test_error_survives_copying_with_its_fields(cls: type[errors.Error]) -> None:
    # Process pools carry exceptions by the same protocol.
    error = copy.copy(cls("sentence", key=b"k", hint="do"))
    assert type(error) is cls
    assert (str(error), error.key, error.hint, error.kind) == ("sentence", b"k", "do", cls.kinds[0])
