"""What the arguments and options of a verb are: said once, beside its function, as data.

Owns the two classes of facts and reading them off a function. Both readers of a command line use
them: dwell.cli.quick, and typer, which takes 0.1 s to load and so is asked only for help and for
words that need explaining.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Argument", "Option", "Parameter", "Verb", "parameters_of"]

Verb: TypeAlias = Callable[..., None]
"""A function whose keyword arguments are annotated with the classes below."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A word that is known by its place.

    Attributes:
        help: what it is, for the help page.
        minimum: the smallest number allowed.
    """

    help: str
    minimum: float | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """A word that is known by its name.

    Attributes:
        names: such as `--port` and `-p`.
        help: what it is, for the help page.
        minimum: the smallest number allowed.
        maximum: the largest one.
        environment: a variable that gives it where the command line does not.
        group: a heading on the help page; empty for the general one.
    """

    names: tuple[str, ...]
    help: str
    minimum: float | None = None
    maximum: float | None = None
    environment: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a verb.

    Attributes:
        name: that of the function's parameter.
        fact: the argument or option.
        annotation: its type as the function has it.
        kind: the type of one word: str, int, float, bool or Path.
        is_many: whether it takes all the words that are left.
        default: what it is if not given.
        is_required: whether it must be given.
    """

    name: str
    fact: Argument | Option
    annotation: Any
    kind: type
    is_many: bool
    default: Any
    is_required: bool


def parameters_of(verb: Verb) -> list[Parameter]:
    """The parameters of a verb, in the order of its signature."""
    names = inspect.unwrap(verb).__globals__
    return [_parameter(each, names) for each in inspect.signature(verb).parameters.values()]


def _parameter(found: inspect.Parameter, names: dict[str, Any]) -> Parameter:
    """A parameter, its annotation looked up among the names of the verb's module."""
    annotated = found.annotation
    if isinstance(annotated, str):
        annotated = names[annotated]
    annotation = annotated.__origin__
    (fact,) = annotated.__metadata__
    kinds = [each for each in typing.get_args(annotation) if each is not types.NoneType]
    is_many = any(typing.get_origin(each) is list for each in (annotation, *kinds))
    return Parameter(
        name=found.name,
        fact=fact,
        annotation=annotation,
        kind=kinds[0] if kinds else annotation,
        is_many=is_many,
        default=None if found.default is found.empty else found.default,
        is_required=found.default is found.empty,
    )
