"""Settings as text: redis.conf lines, redis-server's flags, the environment, CONFIG GET and SET.

Owns the names that others know a setting by and the ways in which text becomes a value; what a
setting means is in dwell.settings. Keeps INV-10: a directive that Dwell does not know is refused by
name, and one that it takes without effect stands in dwell.directives_ignored with its reason.

Whatever the source, each setting given becomes a `Directive`; later ones win. The order is
defaults, environment, redis.conf, flags.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from dwell.directives_ignored import IGNORED
from dwell.errors import UsageError
from dwell.settings import FACTS, Fact, Settings

__all__ = [
    "Directive",
    "apply",
    "as_directives",
    "change",
    "from_conf",
    "from_environment",
    "from_flags",
    "read_settings",
    "split_words",
]

Changes: TypeAlias = dict[str, object]
"""New values by field name of `Settings`."""


@dataclass(frozen=True, slots=True)
class Directive:
    """One setting as somebody wrote it.

    Attributes:
        name: the directive, in lower case.
        words: its arguments, unquoted.
        origin: where it stands, for messages: "redis.conf:12", "--port", "DWELL_PORT".
    """

    name: str
    words: tuple[str, ...]
    origin: str

    def word(self) -> str:
        """Return the only argument, or refuse the directive."""
        if len(self.words) != 1:
            raise UsageError(
                f"{self.origin} takes one argument: {' '.join(self.words) or 'none given'}",
                found=self.words,
            )
        return self.words[0]


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """Make the settings of a server from its command line and environment.

    Args:
        arguments: what follows `dwell server`: perhaps the path of a redis.conf, then flags.
        environment: variables by name; those that begin with DWELL_ are read.

    Returns:
        The settings, checked.

    Raises:
        UsageError: a directive is unknown, has a bad value, or contradicts another one.

    >>> read_settings(["--port", "7000", "--appendfsync", "always"], {}).durability
    'always'
    """
    directives = list(from_environment(environment))
    flags = list(arguments)
    if flags and not flags[0].startswith("-"):
        path = Path(flags.pop(0))
        directives += from_conf(_read_conf(path), path.name)
    directives += from_flags(flags)
    return apply(directives)


def _read_conf(path: Path) -> str:
    """Read a configuration file, or say in one sentence why not."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"cannot read the configuration file, {reason}: {path}") from error


def from_environment(environment: Mapping[str, str]) -> Iterator[Directive]:
    """Read the variables that begin with DWELL_; an unknown one is refused, as it may be a typo."""
    by_variable = {fact.environment: fact for fact in FACTS.values()}
    for variable in sorted(environment):
        if not variable.startswith("DWELL_") or variable.startswith(_NOT_SETTINGS):
            continue
        if variable not in by_variable:
            raise _unknown("environment variable", variable, by_variable)
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
            raise UsageError(f"{origin} {error}", found=stripped) from None
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


_WORD = re.compile(
    r"""
    "(?P<double>(?:[^"\\]|\\.)*)"(?=\s|$)
    | '(?P<single>(?:[^'\\]|\\.)*)'(?=\s|$)
    | (?P<plain>[^\s"']+)(?=\s|$)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_CONTROL = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "a": "\a"}


def split_words(line: str) -> list[str]:
    r"""Split a line as redis.conf is split: quotes keep blanks, double ones know `\n` and `\xff`.

    Args:
        line: one line without its end.

    Returns:
        The words, quotes and escapes resolved.

    Raises:
        UsageError: a quote is not closed, or something follows it without a blank.

    >>> split_words('requirepass "two words"')
    ['requirepass', 'two words']
    """
    words = []
    position = 0
    while rest := line[position:].lstrip():
        position = len(line) - len(rest)
        match = _WORD.match(line, position)
        if match is None:
            raise UsageError(f"has an unbalanced quote: {rest}", found=line)
        words.append(_unquote(match))
        position = match.end()
    return words


def _unquote(match: re.Match[str]) -> str:
    """Resolve the escapes of one word."""
    if match["double"] is not None:
        return _ESCAPE.sub(_unescape, match["double"])
    if match["single"] is not None:
        return match["single"].replace("\\'", "'")
    return match["plain"]


def _unescape(match: re.Match[str]) -> str:
    """Resolve one escape of a word in double quotes."""
    if match[1] is not None:
        return chr(int(match[1], 16))
    return _CONTROL.get(match[2], match[2])


# How each form of setting is read and written.

_SIZE = re.compile(r"(\d+)\s*([kmg]?b?)", re.IGNORECASE)
_UNIT_BYTES: Final = {
    "": 1,
    "b": 1,
    "k": 1000,
    "kb": 1024,
    "m": 1000**2,
    "mb": 1024**2,
    "g": 1000**3,
    "gb": 1024**3,
}


def _parse_bytes(text: str) -> int:
    """Read a size as Redis does: 100mb is 2^20 bytes a unit, 100m is 10^6."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return int(match[1]) * _UNIT_BYTES[match[2].lower()]


def _parse_count(text: str) -> int:
    """Read a whole number in decimal digits alone."""
    if not re.fullmatch(r"-?[0-9]+", text):
        raise ValueError(text)
    return int(text)


def _parse_switch(text: str) -> bool:
    """Read yes or no."""
    return {"yes": True, "no": False}[text.lower()]


_PARSERS: Final[dict[str, tuple[Callable[[str], object], str]]] = {
    "choice": (str.lower, "a word"),
    "count": (_parse_count, "a whole number"),
    "bytes": (_parse_bytes, "a size such as 100mb"),
    "mode": (lambda text: int(text, 8), "permission bits in octal"),
    "path": (lambda text: Path(text) if text else None, "a path"),
    "switch": (_parse_switch, "yes or no"),
    "text": (str, "a text"),
}


def _parse(fact: Fact, directive: Directive) -> object:
    """Turn the words of a directive into the value of its setting."""
    if fact.form == "words":
        return directive.words
    parse, wanted = _PARSERS[fact.form]
    text = directive.word()
    try:
        return parse(text)
    except (ValueError, KeyError):
        raise UsageError(f"{directive.origin} wants {wanted}: {text}", found=text) from None


def _as_text(fact: Fact, value: object) -> str:
    """Write a value as CONFIG GET shows it."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:o}" if fact.form == "mode" else str(value)
        case tuple():
            return " ".join(map(str, value))
        case _:
            return str(value)


# Directives that are no plain setting: another name for one, or several in one.

_FSYNC_TO_DURABILITY: Final = {"no": "none", "everysec": "interval", "always": "always"}
_DURABILITY_TO_FSYNC: Final = {value: key for key, value in _FSYNC_TO_DURABILITY.items()}
_SAVE_NOTHING: Final = ("",)
_OUTPUT_CLASSES: Final = ("normal", "replica", "slave", "pubsub")
_OUTPUT_WITHOUT_EFFECT: Final = "slave 268435456 67108864 60 pubsub 33554432 8388608 60"


def _apply_fsync(directive: Directive, changes: Changes) -> None:
    """Read `appendfsync` as the durability of the same strength."""
    text = directive.word().lower()
    if text not in _FSYNC_TO_DURABILITY:
        raise UsageError(f"{directive.origin} is no, everysec or always: {text}", found=text)
    changes["durability"] = _FSYNC_TO_DURABILITY[text]


def _apply_output_limit(directive: Directive, changes: Changes) -> None:
    """Read groups of class, hard bytes, soft bytes and soft seconds; only normal clients exist."""
    words = directive.words
    if not words or len(words) % 4:
        raise UsageError(f"{directive.origin} takes groups of four: {' '.join(words)}", found=words)
    for start in range(0, len(words), 4):
        client_class, hard, soft, seconds = words[start : start + 4]
        if client_class not in _OUTPUT_CLASSES:
            raise UsageError(f"{directive.origin} knows no such class: {client_class}", found=words)
        group = {"output_bytes_max": hard, "output_soft_bytes_max": soft, "output_soft_s": seconds}
        parsed = {
            name: _parse(FACTS[name], Directive(directive.name, (text,), directive.origin))
            for name, text in group.items()
        }
        if client_class == "normal":
            changes.update(parsed)


def _check_save(directive: Directive, _changes: Changes) -> None:
    """Check the form of `save`; what it means is settled when all directives are known."""
    words = directive.words
    is_pairs = len(words) % 2 == 0 and all(word.isdecimal() for word in words)
    if words != _SAVE_NOTHING and not (words and is_pairs):
        raise UsageError(f'{directive.origin} is "" or seconds and changes: {" ".join(words)}')


_COMPOUND: Final[dict[str, Callable[[Directive, Changes], None]]] = {
    "appendfsync": _apply_fsync,
    "client-output-buffer-limit": _apply_output_limit,
    "save": _check_save,
}
_BY_DIRECTIVE: Final = {fact.directive: fact for fact in FACTS.values()}


def apply(directives: Iterable[Directive], base: Settings | None = None) -> Settings:
    """Change settings by directives, the later ones winning.

    Args:
        directives: from any source, in the order of their precedence.
        base: what to change; the defaults if left out.

    Returns:
        New settings, checked.

    Raises:
        UsageError: a directive is unknown, has a bad value, or contradicts another one.
    """
    changes: Changes = {}
    saves_nothing = False
    for directive in directives:
        if directive.name == "save":
            saves_nothing = directive.words == _SAVE_NOTHING
        if directive.name in _COMPOUND:
            _COMPOUND[directive.name](directive, changes)
        elif directive.name in _BY_DIRECTIVE:
            fact = _BY_DIRECTIVE[directive.name]
            changes[fact.name] = _parse(fact, directive)
        elif directive.name in IGNORED:
            _check_ignored(directive)
        else:
            raise _unknown("directive", directive.origin, [*_BY_DIRECTIVE, *_COMPOUND, *IGNORED])
    if saves_nothing:
        _save_nothing(changes)
    changed: Settings = dataclasses.replace(base or Settings(), **changes)  # type: ignore[arg-type]
    return changed


def _save_nothing(changes: Changes) -> None:
    """Carry out `save ""`: all in memory, and no file unless `appendonly yes` asks for one."""
    if changes.setdefault("placement", "memory") != "memory":
        raise UsageError(
            f'save "" keeps everything in memory and contradicts placement: {changes["placement"]}',
            hint="leave one of the two away, or add `--appendonly yes` and `--placement memory`",
        )
    if not changes.setdefault("log_resident", False):
        changes["directory"] = None


def _check_ignored(directive: Directive) -> None:
    """Refuse a value whose lack of effect would be a lie, such as `daemonize yes`."""
    ignored = IGNORED[directive.name]
    text = " ".join(directive.words)
    if ignored.only and text not in ignored.only:
        raise UsageError(
            f"{directive.origin} is not supported with this value: {text}",
            found=text,
            hint=ignored.reason,
        )


def _unknown(what: str, name: str, known: Iterable[str]) -> UsageError:
    """Say that a name is unknown, and which one was perhaps meant."""
    bare = name.rsplit(maxsplit=1)[-1].removeprefix("--")
    near = difflib.get_close_matches(bare, known, n=1)
    return UsageError(
        f"unknown {what}: {name}", found=bare, hint=f"did you mean {near[0]}?" if near else None
    )


def as_directives(settings: Settings) -> dict[str, str]:
    """Write settings as directives, for CONFIG GET and for printing; those without effect too."""
    texts = {name: ignored.default for name, ignored in IGNORED.items()}
    for fact in FACTS.values():
        texts[fact.directive] = _as_text(fact, getattr(settings, fact.name))
    texts["appendfsync"] = _DURABILITY_TO_FSYNC[settings.durability]
    texts["save"] = "" if settings.placement == "memory" else "3600 1 300 100 60 10000"
    normal = (settings.output_bytes_max, settings.output_soft_bytes_max, settings.output_soft_s)
    bounds = " ".join(map(str, normal))
    texts["client-output-buffer-limit"] = f"normal {bounds} {_OUTPUT_WITHOUT_EFFECT}"
    return dict(sorted(texts.items()))


def change(settings: Settings, texts: Mapping[str, str]) -> Settings:
    """Change the settings of a running server, all of them or none, as CONFIG SET does.

    Args:
        settings: those in force.
        texts: new values by directive. `save` is accepted without effect: what is on disk is a
            matter of placement and log, which are fixed when a server starts.

    Returns:
        New settings, checked.

    Raises:
        UsageError: a directive is unknown, has a bad value, or cannot change in a running server.
    """
    directives = []
    for name, text in texts.items():
        directive = Directive(name.lower(), _words_of(name.lower(), text), name)
        fact = _BY_DIRECTIVE.get(directive.name)
        if fact is not None and not fact.is_live:
            raise UsageError(f"cannot be changed in a running server: {name}", found=text)
        if directive.name == "save":
            _check_save(directive, {})
        else:
            directives.append(directive)
    return apply(directives, settings)


def _words_of(name: str, text: str) -> tuple[str, ...]:
    """Split the value of CONFIG SET where the directive takes several words."""
    fact = _BY_DIRECTIVE.get(name)
    takes_several = name in _COMPOUND or (fact is not None and fact.form == "words")
    return tuple(text.split()) or (text,) if takes_several else (text,)
