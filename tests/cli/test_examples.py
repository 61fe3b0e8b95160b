"""The examples in the docstrings of client, server and command line are run."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import dwell.cli
import dwell.client
import dwell.server

MODULES = [
    found.name
    for package in (dwell.cli, dwell.client, dwell.server)
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_module_are_so(name: str) -> None:
    pytest.importorskip("dwell._core", reason="dwell._core is not built: run `make setup`")
    outcome = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert outcome.failed == 0
