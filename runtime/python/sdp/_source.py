"""Source text of functions that are made of types."""

from __future__ import annotations

from typing import Any


class Source:
    """The lines of a function, and the values that they name."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.lines: list[str] = []
        self.indent = 1
        self.names = names
        self.count = 0

    def name(self, prefix: str, value: Any = None) -> str:
        """A new name, of a value if there is one."""
        self.count += 1
        made = f"{prefix}{self.count}"
        if value is not None:
            self.names[made] = value
        return made

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def function(self, head: str, title: str) -> Any:
        """The function of a head, as ``read(b, o)``, and the lines. Tracebacks show its title."""
        text = f"def {head}:\n" + "\n".join(self.lines or ["    pass"])
        exec(compile(text, f"<sdp {title}>", "exec"), self.names)
        return self.names.pop(head.partition("(")[0])
