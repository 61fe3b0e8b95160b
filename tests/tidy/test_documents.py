"""Documents stay true: decisions, changelog, invariants and what is generated."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import PurePosixPath

import pytest

from tests.tidy.exemptions import judge
from tests.tidy.project import ROOT, ending, files, is_product, text

INVARIANT = re.compile(r"\bINV-\d\d\b")
CASE = re.compile(r"\b(LOG|TTL|NUM|WIRE|KEY|LITE|VFS|S3|ENC|DGRAM|DUMP|API)-(\d\d)\b")
CASES_MAX = {"LOG": 14, "TTL": 10, "NUM": 3, "WIRE": 10, "KEY": 7, "LITE": 11}
CASES_MAX |= {"VFS": 18, "S3": 7, "ENC": 6, "DGRAM": 6, "DUMP": 8, "API": 5}
CHANGE = re.compile(r"- \[(feat|fix|api)\] \S.*")


def decisions() -> list[str]:
    return [name for name in files() if re.match(r"docs/decisions/\d{4}-.*\.md$", name)]


def files_of_tests() -> list[str]:
    """The files of tests, in both languages, but for the rules themselves."""
    named = [name for name in ending(".py", ".rs", ".sql", ".toml") if not is_product(name)]
    is_rule = "tests/tidy/"
    return [name for name in named if re.search("test|fuzz", name) and not name.startswith(is_rule)]


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(PurePosixPath(name).name[:4]) for name in decisions()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_each_decision_has_its_number_and_the_three_sections() -> None:
    for name in decisions():
        number = PurePosixPath(name).name[:4]
        assert re.match(rf"# {number} \S", text(name)), name
        for section in ("## Goal", "## Measured", "## Rejected"):
            assert f"\n{section}\n" in text(name), f"{name} lacks {section}"


def test_the_index_lists_each_decision_once() -> None:
    index = text("docs/decisions/README.md")
    linked = re.findall(r"\]\((\d{4}-[^)]+\.md)\)", index)
    assert linked == [PurePosixPath(name).name for name in decisions()]


def test_each_change_has_a_kind() -> None:
    for line in text("CHANGELOG.md").splitlines():
        if line.startswith(("-", "*")):
            assert CHANGE.fullmatch(line), line


def test_the_changelog_has_a_section_for_the_version() -> None:
    version = tomllib.loads(text("Cargo.toml"))["workspace"]["package"]["version"]
    assert re.search(rf"^## {re.escape(version)}\b", text("CHANGELOG.md"), re.MULTILINE)


def test_each_invariant_is_named_by_a_test() -> None:
    known = set(re.findall(r"^## (INV-\d\d)\b", text("docs/invariants.md"), re.MULTILINE))
    tested = {each for name in files_of_tests() for each in INVARIANT.findall(text(name))}
    missing = dict.fromkeys(sorted(known - tested), "no test bears its number")
    judge("invariant-without-test", missing)


def test_no_file_names_an_invariant_that_does_not_exist() -> None:
    known = set(re.findall(r"^## (INV-\d\d)\b", text("docs/invariants.md"), re.MULTILINE))
    assert len(known) == 10
    for name in ending(".py", ".rs", ".md", ".toml", ".pyi"):
        assert set(INVARIANT.findall(text(name))) <= known, name


def test_no_test_names_a_case_that_does_not_exist() -> None:
    for name in files_of_tests():
        for family, number in CASE.findall(text(name)):
            assert 1 <= int(number) <= CASES_MAX[family], f"{name}: {family}-{number}"


GENERATORS = [name for name in files() if re.match(r"docs/generate_\w+\.py$", name)]


@pytest.mark.parametrize("generator", GENERATORS)
def test_what_is_generated_is_fresh(generator: str) -> None:
    command = [sys.executable, generator, "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}run `make docs`"


def test_each_setting_is_documented() -> None:
    page = text("docs/settings.md")
    for name in re.findall(
        r"^    (\w+): .* = _setting\($", text("src/dwell/settings.py"), re.MULTILINE
    ):
        assert f"`{name}`" in page, name


def test_links_between_documents_lead_somewhere() -> None:
    for name in ending(".md"):
        folder = (ROOT / name).parent
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text(name)):
            assert (folder / target).exists(), f"{name} links to {target}"
