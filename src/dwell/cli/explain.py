"""Help pages and mistakes: the command line as typer reads it.

Owns turning the facts about verbs into a typer application. It is loaded only when a line needs
explaining (dwell.cli.quick), and runs a verb like the quick way does where it does not.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from dwell.cli.parameters import Argument, Option, Parameter, Verb, parameters_of
from dwell.cli.verbs import VERBS

__all__ = ["explain"]

GROUPS = {"log": "Look into the log of an instance."}
PASS_ALL_ON = {"ignore_unknown_options": True, "help_option_names": ["--help"]}


def explain(words: Sequence[str]) -> None:
    """Read the words, print help or what is wrong with them, and end the process."""
    _application()(list(words), prog_name="dwell")


def _application() -> typer.Typer:
    """All verbs as a typer application."""
    app = typer.Typer(
        help="Dwell: one database, and how long a value lives decides where it lives.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    groups: dict[str, typer.Typer] = {}
    for words, place in VERBS.items():
        parent = app
        if len(words) > 1:
            parent = groups.setdefault(words[0], typer.Typer(no_args_is_help=True))
        settings = PASS_ALL_ON if place.takes_all else {}
        parent.command(words[-1], context_settings=settings)(_as_typer_has_it(place.load()))
    for name, group in groups.items():
        app.add_typer(group, name=name, help=GROUPS[name])
    return app


def _as_typer_has_it(verb: Verb) -> Verb:
    """A verb whose annotations are typer's."""

    def run(**given: Any) -> None:
        verb(**given)

    run.__doc__ = verb.__doc__
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if each.is_required else each.default,
                annotation=Annotated[each.annotation, _fact(each)],
            )
            for each in parameters_of(verb)
        ]
    )
    run.__annotations__ = {}
    return run


def _fact(parameter: Parameter) -> Any:
    """An argument or option in typer's words."""
    fact = parameter.fact
    if isinstance(fact, Argument):
        return typer.Argument(help=fact.help, min=fact.minimum)
    assert isinstance(fact, Option)
    return typer.Option(
        *fact.names,
        help=fact.help,
        min=fact.minimum,
        max=fact.maximum,
        envvar=fact.environment or None,
        rich_help_panel=fact.group or None,
    )
