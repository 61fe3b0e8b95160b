"""An open database for each way that one can be placed; the answers must not differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis.configuration import set_hypothesis_home_dir

import dwell

# Beside pytest's own cache, since a folder `.hypothesis` at the root would be collected for tests.
set_hypothesis_home_dir(".pytest_cache/hypothesis")

PLACEMENTS = ("nowhere", "lifetime", "memory", "disk")


def open_placed(placement: str, directory: Path) -> dwell.Database:
    if placement == "nowhere":
        return dwell.open(None)
    return dwell.open(directory / "instance", placement=placement)  # type: ignore[arg-type]


@pytest.fixture(params=PLACEMENTS)
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dwell.Database]:
    with open_placed(request.param, tmp_path) as database:
        yield database
