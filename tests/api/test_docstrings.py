"""Docstrings: one source, no public name without, and examples that are true."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

import dwell
from dwell import _core

MODULES = ("database", "batch", "aio", "errors", "settings", "values")
STUB = Path(inspect.getfile(dwell)).with_name("_core.pyi")


def stub_docstrings() -> Iterator[tuple[str, str]]:
    """Every docstring of the stub, by the name that it has in `dwell._core`."""
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef):
            continue
        if text := ast.get_docstring(node):
            yield node.name, text
        for part in node.body if isinstance(node, ast.ClassDef) else []:
            if isinstance(part, ast.FunctionDef) and (text := ast.get_docstring(part)):
                yield f"{node.name}.{part.name}", text


DOCSTRINGS = dict(stub_docstrings())


def run_examples(test: doctest.DocTest) -> None:
    output: list[str] = []
    outcome = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=output.append)
    assert outcome.failed == 0, "".join(output)


@pytest.mark.parametrize("name", DOCSTRINGS)
def test_stub_and_help_say_the_same(name: str) -> None:
    found: object = _core
    for part in name.split("."):
        found = getattr(found, part)
    if name.endswith(".__new__"):
        pytest.skip("a constructor's own docstring is not shown by Python")
    if ".__" in name:
        assert inspect.getdoc(found)
    else:
        assert inspect.getdoc(found) == DOCSTRINGS[name]


@pytest.mark.parametrize("name", [name for name, text in DOCSTRINGS.items() if ">>>" in text])
def test_examples_of_the_core_are_true(name: str, tmp_path: Path) -> None:
    with dwell.open(tmp_path / "db") as db:
        names = {"db": db, "dwell": dwell}
        run_examples(doctest.DocTestParser().get_doctest(DOCSTRINGS[name], names, name, None, 0))


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_the_package_are_true(module: str, tmp_path: Path) -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    for test in finder.find(importlib.import_module(f"dwell.{module}"), f"dwell.{module}"):
        with dwell.open(tmp_path / test.name) as db:
            test.globs.update(db=db, dwell=dwell)
            run_examples(test)


def test_every_public_method_has_a_docstring() -> None:
    for name in dwell.__all__:
        found = None if name == "__version__" else getattr(dwell, name)
        if not inspect.isclass(found):
            continue
        for member, value in inspect.getmembers(found):
            if not member.startswith("_") and callable(value):
                assert inspect.getdoc(value), f"{name}.{member}"
