"""Imports flow one way (STYLE 3): the crate graph, the Python rows, pyo3 and unsafe."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator

from tests.tidy.exemptions import judge
from tests.tidy.project import ending, files, is_product, rust_code, text

CRATES: dict[str, set[str]] = {
    "wire": set(),
    "vfs": set(),
    "sqlite": {"vfs"},
    "engine": {"sqlite"},
    "server": {"engine", "wire"},
    "extension": {"vfs"},
    "python": {"server", "engine"},
}
MAY_BE_UNSAFE = {"vfs", "sqlite", "extension", "python"}
# Single files that may be as well, in crates that otherwise deny it.
AUDITED = {"crates/engine/src/front/prefetch.rs"}

# Who alone may name what: a codec does no I/O, an engine has no sockets, one crate knows Python.
OWNERS = {
    r"\bpyo3\b": {"python"},
    r"\b(rusqlite|libsqlite3_sys)\b": {"sqlite", "vfs", "extension"},
    r"\bmio\b": {"server"},
    r"\bstd::net\b": {"server", "python"},
    r"\bstd::(fs|thread|time)\b": {"sqlite", "vfs", "engine", "server", "extension", "python"},
}

# Python modules from the bottom row up. A module imports what lies below it and, in the bottom row
# alone, its neighbours.
ROWS: list[set[str]] = [
    {"errors", "settings", "values", "directives", "directives_ignored"},
    {"plan", "sql"},
    {"batch"},
    {"database", "client"},
    {"aio", "dbapi"},
    {"server"},
    {"admin", "transfer"},
    {"integrations", "console"},
    {"cli"},
    {"__main__"},
]
MAY_IMPORT_CORE = {"batch", "database", "aio", "server"}


def crate_of(name: str) -> str:
    return name.split("/")[1]


def test_crates_depend_only_on_what_lies_below() -> None:
    findings = {}
    for name in ending("Cargo.toml"):
        if not name.startswith("crates/"):
            continue
        manifest = tomllib.loads(text(name))
        tables = ("dependencies", "dev-dependencies", "build-dependencies")
        named = {each for table in tables for each in manifest.get(table, {})}
        ours = {each.removeprefix("dwell-") for each in named if each.startswith("dwell-")}
        if wrong := ours - CRATES[crate_of(name)]:
            findings[name] = f"may not depend on {', '.join(sorted(wrong))}"
        if "pyo3" in named and crate_of(name) != "python":
            findings[name] = "only crates/python may depend on pyo3"
    judge("rust-layer", findings)


def test_each_rust_name_is_used_by_its_owners_alone() -> None:
    findings = {}
    for name in ending(".rs"):
        if not name.startswith("crates/") or not is_product(name):
            continue
        for pattern, owners in OWNERS.items():
            if crate_of(name) not in owners and (match := re.search(pattern, rust_code(name))):
                findings[name] = f"{match[0]} belongs to {', '.join(sorted(owners))}"
    judge("rust-layer", findings)


def test_the_wall_clock_is_asked_in_one_place_per_crate() -> None:
    # What is stored depends on it. How long to wait on a socket does not, and may ask Instant.
    findings = {}
    for name in ending(".rs"):
        is_bound = name.startswith("crates/") and is_product(name)
        asks = re.search(r"\b(SystemTime|Utc|Local)::now\b", rust_code(name))
        if is_bound and asks and not name.endswith("/clock.rs"):
            findings[name] = f"{asks[0]}: take a clock as an argument"
    judge("rust-layer", findings)


def test_unsafe_stands_only_where_a_foreign_interface_asks_for_it() -> None:
    findings = {}
    denying = {crate_of(name) for name in AUDITED}
    for name in ending(".rs"):
        if not name.startswith("crates/") or crate_of(name) in MAY_BE_UNSAFE:
            continue
        if name not in AUDITED and re.search(r"\bunsafe\b", rust_code(name)):
            findings[name] = "unsafe"
        level = "deny" if crate_of(name) in denying else "forbid"
        if name.endswith("/src/lib.rs") and f"#![{level}(unsafe_code)]" not in text(name):
            findings[name] = f"does not {level} unsafe code"
    judge("unsafe", findings)


def test_python_imports_flow_from_the_bottom_row_up() -> None:
    rank = {module: row for row, modules in enumerate(ROWS) for module in modules}
    findings = {}
    for name in ending(".py"):
        if not name.startswith("src/dwell/"):
            continue
        importer = module_of(name)
        if importer == "__init__":
            continue
        if importer not in rank:
            findings[name] = "stands in no row: give it one in ROWS"
            continue
        for imported in imports_of(name):
            if wrong := fault_of(importer, imported, rank):
                findings[name] = wrong
    judge("python-layer", findings)


def fault_of(importer: str, imported: str, rank: dict[str, int]) -> str | None:
    """Why one module may not import another; None if it may."""
    if imported == "_core":
        return None if importer in MAY_IMPORT_CORE else "may not import _core"
    if imported == "":
        return "imports from the package: name the module that owns it"
    is_neighbour = rank[importer] == rank.get(imported) == 0
    if imported == importer or is_neighbour:
        return None
    if rank.get(imported, len(rank)) >= rank[importer]:
        return f"may not import {imported}, which is not below it"
    return None


def module_of(name: str) -> str:
    """The module under `dwell` that a file belongs to."""
    return name.removeprefix("src/dwell/").split("/")[0].removesuffix(".py")


def imports_of(name: str) -> Iterator[str]:
    """The modules under `dwell` that a file imports; "" for a name of the package itself."""
    modules = {module_of(each) for each in files() if each.startswith("src/dwell/")} | {"_core"}
    for node in ast.walk(ast.parse(text(name))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "dwell" or alias.name.startswith("dwell."):
                    yield alias.name.removeprefix("dwell").strip(".").split(".")[0]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            first, _, rest = node.module.partition(".")
            if first == "dwell" and rest:
                yield rest.split(".")[0]
            elif first == "dwell":
                for alias in node.names:
                    yield alias.name if alias.name in modules else ""


def test_the_package_itself_loads_without_the_engine() -> None:
    tree = ast.parse(text("src/dwell/__init__.py"))
    at_import = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    ours = {node.module for node in at_import if node.module and node.module.startswith("dwell")}
    assert ours <= {f"dwell.{module}" for module in ROWS[0]}
