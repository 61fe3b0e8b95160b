"""Where directives come from: the environment, a redis.conf, redis-server's flags.

Each becomes `Directive`s in the order in which they stand; what they mean is in `meaning`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dwell.directives.directive import Directive, unknown
from dwell.directives.words import split_words
from dwell.errors import UsageError
from dwell.settings import FACTS

__all__ = ["from_conf", "from_environment", "from_flags"]


def from_environment(environment: Mapping[str, str]) -> Iterator[Directive]:
    """Read the variables that begin with DWELL_; an unknown one is refused, as it may be a typo."""
    by_variable = {fact.environment: fact for fact in FACTS.values()}
    for variable in sorted(environment):
        if not variable.startswith("DWELL_") or variable.startswith(_NOT_SETTINGS):
            continue
        if variable not in by_variable:
            raise unknown("environment variable", variable, by_variable)
        fact = by_variable[variable]
        text = environment[variable]
        words = tuple(text.split()) if fact.form == "words" else (text,)
        yield Directive(fact.directive, words, variable)


_NOT_SETTINGS: Final = ("DWELL_TEST_", "DWELL_BENCH_")
"""Variables of the test suites and benchmarks, which start servers that inherit them."""


def from_conf(text: str, file_name: str = "redis.conf") -> Iterator[Directive]:
    """Read the lines of a redis.conf; blank ones and those that begin with `#` say nothing."""
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        origin = f"{file_name}:{number}"
        try:
            name, *words = split_words(stripped)
        except UsageError as error:
            raise UsageError(f"{origin} {error}") from None
        yield Directive(name.lower(), tuple(words), f"{origin} {name}")


def from_flags(arguments: Sequence[str]) -> Iterator[Directive]:
    """Read flags as redis-server does: `--name` and all words up to the next flag.

    `--name=value` is understood too, and Respite's `-h` (bind) and `-p` (port).
    """
    short = {"-h": "--bind", "-p": "--port"}
    rest = [short.get(each, each) for each in arguments]
    while rest:
        flag = rest.pop(0)
        if not flag.startswith("--") or flag == "--":
            raise UsageError(f"not a flag: {flag}", found=flag, hint="flags begin with two dashes")
        name, equals, value = flag[2:].partition("=")
        words = [value] if equals else []
        while rest and not equals and not rest[0].startswith("--"):
            words.append(rest.pop(0))
        yield Directive(name.lower(), tuple(words), f"--{name}")
