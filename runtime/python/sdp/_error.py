"""The errors of encoding and decoding: a name, an offset and a path, the same in every language."""

from __future__ import annotations


class Error(ValueError):
    """A refusal: what is wrong, and where.

    ``code`` is the name of the refusal, such as ``utf8_invalid``. ``offset`` is the position of the first refused byte,
    or -1 for a value. ``path`` is the place in the value, such as ``plugins[3].name``; it is empty for the value itself.
    """

    def __init__(self, code: str, offset: int = -1, path: str = "", detail: str = "") -> None:
        super().__init__(code, offset, path, detail)
        self.code = code
        self.offset = offset
        self.path = path
        self.detail = detail

    def __str__(self) -> str:
        place = f" at byte {self.offset}" if self.offset >= 0 else ""
        path = f" in {self.path}" if self.path else ""
        return f"{self.code}{place}{path}" + (f": {self.detail}" if self.detail else "")


class DecodeError(Error):
    """Bytes that are no value of the type, or that exceed a limit."""


class EncodeError(Error):
    """A value that has no encoding. It has a path, and no offset."""


class JSONError(DecodeError):
    """A JSON text that is no value of the type."""


class Refused(Exception):
    """A fast reader's or writer's "no". The walk that follows finds the name, the offset and the path."""


Path = tuple["Path | None", str]
"""A place in a value: the place around it, and a part such as ``.name``, ``[3]`` or ``[3].key``."""


def path_text(path: Path | None) -> str:
    """The text of a path [WIRE-1.5]."""
    parts: list[str] = []
    while path is not None:
        parts.append(path[1])
        path = path[0]
    return "".join(reversed(parts)).removeprefix(".")
