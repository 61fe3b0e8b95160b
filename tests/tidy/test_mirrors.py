"""What has to stand in both languages says the same in both (STYLE 6, 8)."""

from __future__ import annotations

import ast
import re
import tomllib
from typing import Any

from tests.tidy.project import text

ENGINE = "crates/engine/src"


def number(expression: str) -> int:
    """The value of a constant expression that reads the same in Rust and Python."""
    value: int = eval(re.sub(r"\bas u64\b", "", expression), {})
    return value


def rust_body(name: str, head: str) -> str:
    """The text of a Rust item from its head to the brace that ends it in the same column."""
    match = re.search(rf"^( *){head}.*?^\1}}$", text(name), re.MULTILINE | re.DOTALL)
    assert match is not None, f"{name} has no {head}"
    return match[0]


def test_the_engines_kinds_of_errors_are_those_of_the_table() -> None:
    table = {entry["kind"] for entry in tomllib.loads(text("spec/errors.toml"))["error"]}
    body = rust_body(f"{ENGINE}/error.rs", "pub const fn name")
    assert set(re.findall(r'"(\w+)"', body)) == table


def test_the_engines_wire_prefixes_are_those_of_the_table() -> None:
    table = {entry["wire"] for entry in tomllib.loads(text("spec/errors.toml"))["error"]} - {""}
    body = rust_body(f"{ENGINE}/error.rs", "pub const fn wire")
    assert {prefix.rstrip(":") for prefix in re.findall(r'"([\w :]+)"', body)} == table


def test_bounds_of_keys_and_values_are_those_of_the_engine() -> None:
    ours = constants("src/dwell/values.py")
    for bound in ("KEY_BYTES_MAX", "VALUE_BYTES_MAX"):
        match = re.search(rf"const {bound}: \w+ = ([^;]+);", text(f"{ENGINE}/limits.rs"))
        assert match is not None
        assert number(match[1]) == number(ours[bound])


def test_defaults_of_settings_are_those_of_the_engine() -> None:
    body = rust_body(f"{ENGINE}/settings.rs", "impl Default for Settings")
    engine = dict(re.findall(r"^ +(\w+): ([0-9_]+(?: << \d+)?|true|false),$", body, re.MULTILINE))
    host = defaults()
    common = engine.keys() & host.keys()
    assert len(common) >= 10
    for name in common:
        expected = {"true": True, "false": False}.get(engine[name])
        assert host[name] == (number(engine[name]) if expected is None else expected), name


def constants(name: str) -> dict[str, str]:
    """The expressions of the constants of a Python module."""
    nodes = [node for node in ast.parse(text(name)).body if isinstance(node, ast.AnnAssign)]
    return {ast.unparse(node.target): ast.unparse(node.value) for node in nodes if node.value}


def defaults() -> dict[str, Any]:
    """The plain defaults in src/dwell/settings.py, by field."""
    sizes = {"MEBIBYTE": 1024**2, "GIBIBYTE": 1024**3}
    found = {}
    for node in ast.walk(ast.parse(text("src/dwell/settings.py"))):
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Call):
            arguments = node.value.args
            if ast.unparse(node.value.func) == "_setting" and "Path" not in ast.unparse(
                arguments[0]
            ):
                found[ast.unparse(node.target)] = eval(ast.unparse(arguments[0]), dict(sizes))
    return found
