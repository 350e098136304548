"""Refusals and limits: what a decoder, encoder or JSON reader reports, and the budgets of one decode.

The names come from spec/errors.toml and the defaults from spec/limits.toml, so a name that the
specification does not have cannot be reported by mistake.
"""

from dataclasses import dataclass

from .tables import table

ERRORS = table("errors.toml", "error")
DEFAULTS = {name: row["default"] for name, row in table("limits.toml", "limit").items()}


@dataclass(frozen=True)
class Limits:
    """The budgets that a caller can set for one decode (section 8 of wire.md, limits.toml)."""

    message_bytes: int = DEFAULTS["message_bytes"]
    elements: int = DEFAULTS["elements"]
    depth: int = DEFAULTS["depth"]
    memory_bytes: int = DEFAULTS["memory_bytes"]


def render_path(path):
    """Give the text of a path [WIRE-1.5].

    A path is None at the top level and otherwise a pair of the path around it and its own last
    part, such as ``.name``, ``[3]`` or ``[3].key``. Only a refusal needs the text, so only a
    refusal builds it.
    """
    parts = []
    while path is not None:
        path, part = path
        parts.append(part)
    text = "".join(reversed(parts))
    return text[1:] if text.startswith(".") else text


class Refusal(Exception):
    """One refusal: its name, its offset (-1 where it has none) and its path [WIRE-1.6] [WIRE-9.1]."""

    def __init__(self, name, offset, path):
        if name not in ERRORS:
            raise KeyError(name)
        self.name = name
        self.offset = offset
        self.path = path if isinstance(path, str) else render_path(path)
        super().__init__(f"{name} at {offset}, path {self.path!r}")
