"""The settings of a running server as text: CONFIG GET and CONFIG SET."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dwell.directives.directive import Directive
from dwell.directives.forms import as_text
from dwell.directives.meaning import (
    AUTH_FILE,
    BY_DIRECTIVE,
    COMPOUND,
    FSYNC_TO_DURABILITY,
    apply,
    check_save,
)
from dwell.directives_ignored import IGNORED
from dwell.errors import UsageError
from dwell.settings import FACTS, Settings

__all__ = ["as_directives", "change"]

_DURABILITY_TO_FSYNC: Final = {value: key for key, value in FSYNC_TO_DURABILITY.items()}
_OUTPUT_WITHOUT_EFFECT: Final = "slave 268435456 67108864 60 pubsub 33554432 8388608 60"


def as_directives(settings: Settings) -> dict[str, str]:
    """Write settings as directives, for CONFIG GET and for printing; those without effect too."""
    texts = {name: ignored.default for name, ignored in IGNORED.items()}
    for fact in FACTS.values():
        texts[fact.directive] = as_text(fact, getattr(settings, fact.name))
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
        fact = BY_DIRECTIVE.get(directive.name)
        # A client that may set a password may yet not have any file of the machine read.
        if directive.name == AUTH_FILE or (fact is not None and not fact.is_live):
            raise UsageError(f"cannot be changed in a running server: {name}", found=text)
        if directive.name == "save":
            check_save(directive, {})
        else:
            directives.append(directive)
    changed = apply(directives, settings)
    if changed.directory is None and changed.log_resident and not settings.log_resident:
        raise UsageError("a log needs a directory, and this server was started without one")
    return changed


def _words_of(name: str, text: str) -> tuple[str, ...]:
    """Split the value of CONFIG SET where the directive takes several words."""
    fact = BY_DIRECTIVE.get(name)
    takes_several = name in COMPOUND or (fact is not None and fact.form == "words")
    return tuple(text.split()) or (text,) if takes_several else (text,)
