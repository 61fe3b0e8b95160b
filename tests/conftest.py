"""What every test has: a clean environment, repeatable random cases, and honest skips.

Owns no fixture of one subject; those stand in the conftest.py of their folder.
"""

from __future__ import annotations

import os
import shutil

import pytest
from hypothesis import settings

# A case that was found is printed as a line that finds it again; slow machines are no fault.
settings.register_profile("dwell", deadline=None, print_blob=True)
settings.load_profile("dwell")


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep variables of whoever runs the tests away from what the tests start."""
    for variable in os.environ:
        if variable.startswith("DWELL_") and not variable.startswith("DWELL_TEST_"):
            monkeypatch.delenv(variable)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what compares with Redis where there is none to compare with."""
    if shutil.which("redis-server"):
        return
    reason = pytest.mark.skip(reason="redis-server is not installed: apt-get install redis-server")
    for item in items:
        if item.get_closest_marker("redis"):
            item.add_marker(reason)
