"""A file can be read in one sitting (STYLE 4): lines, columns, functions, nesting."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.tidy.exemptions import judge
from tests.tidy.project import ending, rust_code, text

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 60
COLUMNS_MAX = 100
NESTING_MAX = 4
# Data and prose have lines as long as they need; generated pages are as long as their facts.
CODE = (".rs", ".py", ".pyi", ".sh", "Makefile", ".ci/run")


def test_files_have_at_most_600_lines() -> None:
    long = {name: len(text(name).splitlines()) for name in ending(*CODE)}
    judge(
        "file-lines",
        {name: f"{count} lines" for name, count in long.items() if count > FILE_LINES_MAX},
    )


def test_lines_have_at_most_100_columns() -> None:
    findings = {}
    for name in ending(*CODE):
        for number, line in enumerate(text(name).splitlines(), start=1):
            if len(line) > COLUMNS_MAX:
                findings[name] = f"line {number} has {len(line)} columns"
    judge("columns", findings)


def test_functions_have_at_most_60_lines() -> None:
    findings = {}
    for name in ending(".rs", ".py"):
        functions = rust_functions(name) if name.endswith(".rs") else python_functions(name)
        for function, lines, _ in functions:
            if lines > FUNCTION_LINES_MAX:
                findings[f"{name}::{function}"] = f"{lines} lines"
    judge("function-lines", findings)


def test_control_flow_nests_at_most_4_deep() -> None:
    findings = {}
    for name in ending(".rs", ".py"):
        functions = rust_functions(name) if name.endswith(".rs") else python_functions(name)
        for function, _, depth in functions:
            if depth > NESTING_MAX:
                findings[f"{name}::{function}"] = f"{depth} levels"
    judge("nesting", findings)


def python_functions(name: str) -> Iterator[tuple[str, int, int]]:
    """Name, lines without the docstring, and depth of each function of a Python file."""
    for node in ast.walk(ast.parse(text(name))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, _lines(node) - _docstring_lines(node), _python_depth(node) - 1


def _lines(node: ast.stmt) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def _docstring_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return _lines(node.body[0]) if ast.get_docstring(node) is not None else 0


_COMPOUND = (
    *(ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try, ast.Match),
    *(ast.FunctionDef, ast.AsyncFunctionDef),
)


def _python_depth(node: ast.AST) -> int:
    deepest = 0
    for child in ast.iter_child_nodes(node):
        depth = _python_depth(child)
        if _is_elif(node, child):
            depth -= 1
        deepest = max(deepest, depth)
    return deepest + isinstance(node, _COMPOUND)


def _is_elif(parent: ast.AST, child: ast.AST) -> bool:
    return isinstance(parent, ast.If) and isinstance(child, ast.If) and parent.orelse == [child]


_RUST_FN = re.compile(r"\bfn\s+(\w+)[^;{]*\{")
_RUST_CONTROL = re.compile(r"\b(if|else|for|while|loop|match)\b[^;{}]*$")


def rust_functions(name: str) -> Iterator[tuple[str, int, int]]:
    """Name, lines and depth of each function of a Rust file; closures count with their owner."""
    code = rust_code(name)
    for match in _RUST_FN.finditer(code):
        end, depth = _rust_block(code, match.end() - 1)
        yield match[1], code.count("\n", match.start(), end) + 1, depth


def _rust_block(code: str, start: int) -> tuple[int, int]:
    """Where the block that opens at `start` ends, and how deep control flow nests in it."""
    open_blocks: list[bool] = []
    depth = deepest = 0
    statement = start
    for brace in re.finditer(r"[{}]", code[start:]):
        position = start + brace.start()
        if brace[0] == "{":
            is_control = bool(open_blocks) and bool(
                _RUST_CONTROL.search(code, max(statement, position - 400), position)
            )
            open_blocks.append(is_control)
            depth += is_control
            deepest = max(deepest, depth)
        else:
            depth -= open_blocks.pop()
            if not open_blocks:
                return position + 1, deepest
        statement = position + 1
    return len(code), deepest
