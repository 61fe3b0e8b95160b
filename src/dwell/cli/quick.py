"""Read a command line that needs no explaining, without loading a library for it.

Owns the common case: known options, values of the right type, the right number of words. Whatever
is not that, `--help` included, is answered with None, and typer reads the line again and explains.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from dwell.cli.parameters import Argument, Option, Parameter

__all__ = ["read"]


class _NeedsExplainingError(Exception):
    """The line is for typer."""


def read(parameters: Sequence[Parameter], words: Sequence[str]) -> dict[str, Any] | None:
    """The values of all parameters by name, or None where the line needs explaining.

    Args:
        parameters: those of the verb.
        words: what follows its name.
    """
    try:
        given, placed = _split(parameters, words)
        given |= _place([each for each in parameters if isinstance(each.fact, Argument)], placed)
        return {
            each.name: given[each.name] if each.name in given else _default(each)
            for each in parameters
        }
    except _NeedsExplainingError:
        return None


def _split(
    parameters: Sequence[Parameter], words: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """The options given, and the words known by their place."""
    by_name = {
        name: each
        for each in parameters
        if isinstance(each.fact, Option)
        for name in each.fact.names
    }
    given: dict[str, Any] = {}
    placed = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        option = by_name.get(name)
        if option is None and (not word.startswith("-") or word == "-" or _is_number(word)):
            placed.append(word)
            continue
        if option is None:
            raise _NeedsExplainingError
        if option.kind is bool:
            if equals:
                raise _NeedsExplainingError
            given[option.name] = True
            continue
        if not equals and not rest:
            raise _NeedsExplainingError
        given[option.name] = _convert(option, value if equals else rest.pop(0))
    return given, placed


def _is_number(word: str) -> bool:
    """Whether a word is a negative number, and so a value: no option is named by digits."""
    return word[1:2].isdigit() or word[1:2] == "."


def _place(arguments: list[Parameter], words: list[str]) -> dict[str, Any]:
    """Give the words to the arguments in order."""
    given: dict[str, Any] = {}
    for each in arguments:
        if each.is_many:
            if words:
                given[each.name], words = words, []
        elif words:
            given[each.name] = _convert(each, words[0])
            words = words[1:]
    if words:
        raise _NeedsExplainingError
    return given


def _default(parameter: Parameter) -> Any:
    """What a parameter is that was not given."""
    if parameter.is_required:
        raise _NeedsExplainingError
    fact = parameter.fact
    if isinstance(fact, Option) and (text := os.environ.get(fact.environment or "-")):
        return _convert(parameter, text)
    return parameter.default


def _convert(parameter: Parameter, text: str) -> Any:
    """A word as a value of its type, within its bounds."""
    try:
        value = parameter.kind(text)
    except ValueError:
        raise _NeedsExplainingError from None
    fact = parameter.fact
    if fact.minimum is not None and not value >= fact.minimum:
        raise _NeedsExplainingError
    if isinstance(fact, Option) and fact.maximum is not None and not value <= fact.maximum:
        raise _NeedsExplainingError
    return value
