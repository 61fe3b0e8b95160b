"""The package's front door: its names, and what importing it does not do."""

import subprocess
import sys

import pytest

import dwell

HOST_ONLY = """
import sys
sys.modules["dwell._core"] = None  # An engine that cannot be imported.
import dwell, dwell.client
print(dwell.Settings().port, dwell.UsageError.__mro__[2].__name__)
"""


def test_the_package_and_its_client_load_without_an_engine() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HOST_ONLY], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("6379 ValueError\n", "")


def test_every_public_name_is_listed_by_dir() -> None:
    assert set(dwell.__all__) <= set(dir(dwell))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"^module 'dwell' has no attribute 'shelve'$"):
        _ = dwell.shelve  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", dwell.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    pytest.importorskip("dwell._core", reason="dwell._core is not built: run `make setup`")
    value = getattr(dwell, name)
    assert isinstance(value, str) or value.__doc__
