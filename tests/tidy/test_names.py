"""Names lead to the right file (STYLE 2, 5, 9): no drawer for everything, tests beside the code."""

from __future__ import annotations

import ast
import re
from pathlib import PurePosixPath

from tests.tidy.exemptions import judge
from tests.tidy.project import ending, files, is_product, rust_code, text

DRAWERS = {"util", "utils", "misc", "common", "helper", "helpers", "stuff", "shared", "lib2"}


def test_no_file_is_a_drawer_for_everything() -> None:
    findings = {}
    for name in files():
        stems = {part.split(".")[0].strip("_").lower() for part in PurePosixPath(name).parts}
        if drawers := stems & DRAWERS:
            findings[name] = f"attracts everything: {', '.join(sorted(drawers))}"
    judge("name", findings)


def test_rust_tests_stand_in_a_sibling_file() -> None:
    findings = {}
    for name in ending(".rs"):
        is_test_file = name.endswith("/tests.rs") or "/tests/" in name
        if not is_test_file and re.search(r"#\[test\]|\bmod\s+tests\s*\{", rust_code(name)):
            findings[name] = "has tests under its code: move them to a sibling tests.rs"
    judge("test-place", findings)


def test_python_tests_stand_under_tests() -> None:
    findings = {}
    for name in ending(".py"):
        file = PurePosixPath(name).name
        if file.startswith("test_") and not name.startswith("tests/"):
            findings[name] = "move it under tests/"
    judge("test-place", findings)


def test_python_test_names_are_claims() -> None:
    # A claim has a subject and a verb, so it has at least two words.
    findings = {}
    for name in ending(".py"):
        if not PurePosixPath(name).name.startswith("test_"):
            continue
        for node in ast.walk(ast.parse(text(name))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if node.name.startswith("test_") and node.name.count("_") < 2:
                findings[f"{name}::{node.name}"] = "says too little: name the claim"
    judge("name", findings)


def test_public_python_names_are_exported() -> None:
    # What a user imports: modules right below the package, and the front doors of folders. Modules
    # inside a folder are the folder's own affair.
    findings = {}
    for name in ending(".py"):
        is_front_door = re.fullmatch(r"src/dwell/(\w+|\w+/__init__)\.py", name)
        if not is_product(name) or not is_front_door:
            continue
        tree = ast.parse(text(name))
        exported = exported_names(tree)
        if missing := sorted(exported - defined_names(tree)):
            findings[name] = f"exports what it does not have: {', '.join(missing)}"
        if hidden := sorted(public_definitions(tree) - exported):
            findings[name] = f"neither exports nor underscores: {', '.join(hidden)}"
    judge("public-name", findings)


def exported_names(tree: ast.Module) -> set[str]:
    """The names in `__all__`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def public_definitions(tree: ast.Module) -> set[str]:
    """Functions and classes at the top of a module whose names have no underscore in front."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    names = {node.name for node in tree.body if isinstance(node, kinds)}
    return {name for name in names if not name.startswith("_")}


def defined_names(tree: ast.Module) -> set[str]:
    """All names that a module binds at its top."""
    names = public_definitions(tree) | {"__version__"}
    conditional = [inner for node in tree.body if isinstance(node, ast.If) for inner in node.body]
    for node in [*tree.body, *conditional]:
        if isinstance(node, ast.Assign):
            names |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {each.asname or each.name for each in node.names}
    return names
