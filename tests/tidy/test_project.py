"""The scanners of the rules see what they should: otherwise a rule holds for the wrong reason."""

from __future__ import annotations

import ast

import pytest

from tests.tidy import project, test_sizes
from tests.tidy.test_dependencies import is_permissive


def scan(monkeypatch: pytest.MonkeyPatch, source: str) -> str:
    monkeypatch.setattr(project, "text", lambda _name: source)
    project.rust_code.cache_clear()
    code = project.rust_code("x.rs")
    project.rust_code.cache_clear()
    return code


def test_comments_and_literals_are_blanked_and_lines_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    source = 'a // unsafe\n/* { /* } */ { */ "}\\"{" r#"{"# b\'{\' \'\\u{7b}\' c\n'
    code = scan(monkeypatch, source)
    assert code.split() == ["a", "c"]
    assert (len(code), code.count("\n")) == (len(source), 2)


def test_a_lifetime_is_no_character(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scan(monkeypatch, "fn f<'a>(x: &'a u8) { g::<'a>() }").count("{") == 1


def test_rust_functions_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        "fn one() {\n    if a {\n        for b in c { d => { S { x: 1 } } }\n    }\n}\nfn two();\n"
    )
    monkeypatch.setattr(test_sizes, "rust_code", lambda _name: scan(monkeypatch, source))
    assert list(test_sizes.rust_functions("x.rs")) == [("one", 5, 2)]


def test_python_elif_does_not_nest(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = "        for y in x:\n            y()\n"
    source = f"def f(x):\n    'Doc.'\n    if x:\n{loop}    elif y:\n        pass\n"
    monkeypatch.setattr(test_sizes, "text", lambda _name: source)
    assert list(test_sizes.python_functions("x.py")) == [("f", 6, 2)]
    assert isinstance(ast.parse(source).body[0], ast.FunctionDef)


def test_code_lines_leave_out_docstrings_comments_and_blanks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = (
        '"""Doc.\n\nMore."""\n\n# why\nx = """a\nb"""\n\n\ndef f():\n    """Doc."""\n    return x\n'
    )
    monkeypatch.setattr(project, "text", lambda _name: source)
    assert project.python_code_lines("x.py") == 4
    monkeypatch.setattr(project, "text", lambda _name: "//! Doc.\n\n/* a\n b */\nfn f() {} // c\n")
    assert project.rust_code_lines("x.rs") == 1


@pytest.mark.parametrize(
    ("expression", "permissive"),
    [
        ("MIT OR Apache-2.0", True),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("Apache-2.0/MIT", True),
        ("GPL-3.0", False),
        ("MIT AND GPL-2.0", False),
        ("GPL-2.0 OR MIT", True),
    ],
)
def test_licence_expressions_are_read(expression: str, permissive: bool) -> None:
    assert is_permissive(expression) is permissive
