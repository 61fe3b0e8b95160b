"""What directives mean together: most are one setting, some are several or depend on each other.

Keeps INV-10: what is unknown is refused by name, and so is a value whose lack of effect would be a
lie.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, TypeAlias

from dwell.directives.directive import Directive, unknown
from dwell.directives.forms import parse
from dwell.directives_ignored import IGNORED
from dwell.errors import UsageError
from dwell.settings import FACTS, Settings

__all__ = [
    "AUTH_FILE",
    "BY_DIRECTIVE",
    "COMPOUND",
    "FSYNC_TO_DURABILITY",
    "apply",
    "check_save",
]

Changes: TypeAlias = dict[str, object]
"""New values by field name of `Settings`."""

FSYNC_TO_DURABILITY: Final = {"no": "none", "everysec": "interval", "always": "always"}
AUTH_FILE: Final = "requirepass-file"
_SAVE_NOTHING: Final = ("",)
_OUTPUT_CLASSES: Final = ("normal", "replica", "slave", "pubsub")


def _apply_fsync(directive: Directive, changes: Changes) -> None:
    """Read `appendfsync` as the durability of the same strength."""
    text = directive.word().lower()
    if text not in FSYNC_TO_DURABILITY:
        raise UsageError(f"{directive.origin} is no, everysec or always: {text}", found=text)
    changes["durability"] = FSYNC_TO_DURABILITY[text]


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
            name: parse(FACTS[name], Directive(directive.name, (text,), directive.origin))
            for name, text in group.items()
        }
        if client_class == "normal":
            changes.update(parsed)


def _apply_password_file(directive: Directive, changes: Changes) -> None:
    """Read the password from the first line of a file, so that it is in no command line."""
    path = directive.word()
    try:
        password = Path(path).read_text(encoding="utf-8").split("\n", 1)[0]
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"cannot read the password file, {reason}: {path}", found=path) from error
    if not password:
        # An empty password lets everybody in, which nobody wants who names a file for it.
        raise UsageError(f"the password file has an empty first line: {path}", found=path)
    changes["password"] = password


def check_save(directive: Directive, _changes: Changes) -> None:
    """Check the form of `save`; what it means is settled when all directives are known."""
    words = directive.words
    is_pairs = len(words) % 2 == 0 and all(word.isdecimal() for word in words)
    if words != _SAVE_NOTHING and not (words and is_pairs):
        raise UsageError(f'{directive.origin} is "" or seconds and changes: {" ".join(words)}')


COMPOUND: Final[dict[str, Callable[[Directive, Changes], None]]] = {
    "appendfsync": _apply_fsync,
    "client-output-buffer-limit": _apply_output_limit,
    AUTH_FILE: _apply_password_file,
    "save": check_save,
}
BY_DIRECTIVE: Final = {fact.directive: fact for fact in FACTS.values()}


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
        if directive.name in COMPOUND:
            COMPOUND[directive.name](directive, changes)
        elif directive.name in BY_DIRECTIVE:
            fact = BY_DIRECTIVE[directive.name]
            changes[fact.name] = parse(fact, directive)
        elif directive.name in IGNORED:
            _check_ignored(directive)
        else:
            raise unknown("directive", directive.origin, [*BY_DIRECTIVE, *COMPOUND, *IGNORED])
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
