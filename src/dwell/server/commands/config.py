"""CONFIG GET, SET and RESETSTAT: the settings at run time.

Owns Redis's forms and error lines; values and their checks are dwell.directives' matter.
Source: Redis CONFIG GET, CONFIG SET, CONFIG RESETSTAT.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dwell.client.replies import Status
from dwell.errors import UsageError
from dwell.server.glob import matches
from dwell.server.registry import command
from dwell.server.request import SYNTAX, text

if TYPE_CHECKING:
    from dwell.client.replies import Reply
    from dwell.server.request import Request


@command("config|get", is_readonly=True)
def config_get(request: Request) -> Reply:
    """Answer the directives that match any of the globs."""
    patterns = [text(word).lower() for word in request.arguments]
    return {
        name: value
        for name, value in request.context.configuration.texts().items()
        if any(matches(pattern, name) for pattern in patterns)
    }


@command("config|set")
def config_set(request: Request) -> Reply:
    """Change all the directives that are named, or none."""
    words = [text(word) for word in request.arguments]
    if len(words) % 2:
        raise UsageError(SYNTAX)
    configuration = request.context.configuration
    known = configuration.texts()
    changes: dict[str, str] = {}
    for name, value in zip(words[::2], words[1::2], strict=True):
        if name.lower() not in known:
            raise UsageError(f"Unknown option or number of arguments for CONFIG SET - '{name}'")
        if name.lower() in changes:
            raise _failed(name, "duplicate parameter")
        changes[name.lower()] = value
    try:
        configuration.change(changes)
    except UsageError as refusal:
        raise _failed(_culprit(refusal, changes), str(refusal)) from refusal
    return Status("OK")


@command("config|resetstat")
def config_resetstat(request: Request) -> Reply:
    """Begin all counters anew."""
    request.context.reset_counts()
    return Status("OK")


def _culprit(refusal: UsageError, changes: dict[str, str]) -> str:
    """The directive that a refusal is about: the one it names, else the first."""
    named = [name for name in changes if name in str(refusal)]
    return max(named, key=len, default=next(iter(changes)))


def _failed(name: str, reason: str) -> UsageError:
    return UsageError(
        f"CONFIG SET failed (possibly related to argument '{name}') - {reason}", found=name
    )
