"""Settings as text: redis.conf lines, redis-server's flags, the environment, CONFIG GET and SET.

Owns the names that others know a setting by and the ways in which text becomes a value; what a
setting means is in dwell.settings. Keeps INV-10: a directive that Dwell does not know is refused by
name, and one that it takes without effect stands in dwell.directives_ignored with its reason.

Whatever the source, each setting given becomes a `Directive`; later ones win. The order is
defaults, environment, redis.conf, flags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dwell.directives.directive import Directive
from dwell.directives.meaning import apply
from dwell.directives.running import as_directives, change
from dwell.directives.sources import from_conf, from_environment, from_flags
from dwell.directives.words import split_words
from dwell.errors import UsageError
from dwell.settings import Settings

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
