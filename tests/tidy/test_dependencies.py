"""Each dependency is pinned, permissive, and stands in CONTRIBUTING.md with its why."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from typing import Any

import pytest

from tests.tidy.exemptions import judge
from tests.tidy.project import ROOT, ending, text

PYTHON_PIN = re.compile(r"(?P<name>[A-Za-z0-9_.-]+)(\[[^\]]*\])?==[0-9][\w.]*")
LISTED = re.compile(r"^\| `(?P<name>[^`]+)` \|(?P<why>[^|]+)\|(?P<drop>[^|]+)\|$", re.MULTILINE)


def rust_dependencies() -> dict[str, Any]:
    """What the manifests ask the registry for, by name."""
    found: dict[str, Any] = {}
    for name in ending("Cargo.toml"):
        manifest = tomllib.loads(text(name))
        tables = [manifest.get("workspace", {}).get("dependencies", {})]
        for owner in (manifest, *manifest.get("target", {}).values()):
            tables += [owner.get(f"{kind}dependencies", {}) for kind in ("", "dev-", "build-")]
        for each, wanted in (item for table in tables for item in table.items()):
            is_ours = isinstance(wanted, dict) and ("path" in wanted or "workspace" in wanted)
            if not is_ours:
                found[each] = wanted
    return found


def python_dependencies() -> list[str]:
    """What pyproject.toml asks the registry for."""
    project = tomllib.loads(text("pyproject.toml"))
    lists = [project["build-system"]["requires"], project["project"]["dependencies"]]
    lists += project["project"].get("optional-dependencies", {}).values()
    lists += project["dependency-groups"].values()
    return [each for names in lists for each in names]


def installed_by_make() -> set[str]:
    """Programs that the Makefile installs, all by exact versions."""
    return set(re.findall(r"([a-z-]+)(?:==|@)\d+(?:\.\d+)+", text("Makefile")))


def test_each_dependency_is_pinned_exactly() -> None:
    findings = {}
    for name, wanted in rust_dependencies().items():
        version = wanted if isinstance(wanted, str) else wanted.get("version", "")
        if not version.startswith("="):
            findings[name] = f"not pinned: {version}"
    for requirement in python_dependencies():
        if not PYTHON_PIN.fullmatch(requirement):
            findings[requirement] = "not pinned"
    judge("pin", findings)


def test_contributing_lists_exactly_the_dependencies() -> None:
    matches = [PYTHON_PIN.fullmatch(each) for each in python_dependencies()]
    wanted = {match["name"] for match in matches if match}
    wanted |= set(rust_dependencies()) | installed_by_make()
    listed = {match["name"] for match in LISTED.finditer(text("CONTRIBUTING.md"))}
    assert wanted - listed == set(), "say in CONTRIBUTING.md why each is needed"
    assert listed - wanted == set(), "no longer needed: remove from CONTRIBUTING.md"


def test_each_listed_dependency_says_why_and_what_dropping_it_takes() -> None:
    for match in LISTED.finditer(text("CONTRIBUTING.md")):
        assert len(match["why"].strip()) > 10, match["name"]
        assert len(match["drop"].strip()) > 10, match["name"]


PERMISSIVE = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0"),
    *("Unicode-3.0", "Unlicense", "Zlib"),
}


def test_every_crate_that_is_built_in_has_a_permissive_licence() -> None:
    if shutil.which("cargo") is None:
        pytest.skip("cargo is not installed")
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    wrong = {
        package["name"]: package["license"]
        for package in json.loads(done.stdout)["packages"]
        if not is_permissive(package["license"] or "none given")
    }
    assert wrong == {}


def is_permissive(expression: str) -> bool:
    """Whether a licence expression can be met by permissive licences alone."""
    # The exception only adds to what Apache-2.0 allows.
    expression = expression.replace(" WITH LLVM-exception", "")
    needed = (part.strip("() ") for part in expression.split(" AND "))
    return all(
        any(choice.strip("() ") in PERMISSIVE for choice in re.split(r" OR |/", part))
        for part in needed
    )
