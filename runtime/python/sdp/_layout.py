"""The layout text of a type [EVO-5]: the blocks that it reaches, numbered anew."""

from __future__ import annotations

from ._type import UNBOUNDED, Type


def layout_of(kind: Type) -> str:
    """The layout text of a type and of all that it leads to, which peers compare."""
    text: str | None = kind.cache.get("layout")
    if text is None:
        text = kind.cache["layout"] = _Layout().text(kind)
    return text


class _Layout:
    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.blocks: list[str] = []

    def text(self, kind: Type) -> str:
        self.words(kind)
        return "".join(self.blocks)

    def words(self, kind: Type) -> str:
        """The words of a type [EVO-5.5]. A declared type gets a block where it is met first [EVO-5.2]."""
        if not kind.name:
            return self.spelled(kind)
        number = self.numbers.get(id(kind))
        if number is None:
            number = self.numbers[id(kind)] = len(self.blocks)
            self.blocks.append("")
            lines = self.lines(kind)
            self.blocks[number] = "\n".join([f"{number} {_head(kind)}", *lines, ""])
        return f"#{number}"

    def spelled(self, kind: Type) -> str:
        bound = f"<={kind.max}" if kind.max < UNBOUNDED else ""
        if kind.kind in ("str", "bytes"):
            return f"{kind.kind}{kind.width}{bound}"
        if kind.kind == "list":
            return f"list{kind.width}{bound} {self.words(kind.element)}"
        if kind.kind == "map":
            return f"map{kind.width}{bound} {self.words(kind.key)} {self.words(kind.element)}"
        if kind.kind == "array":
            return f"array {kind.count} {self.words(kind.element)}"
        if kind.kind == "opt":
            return f"opt {self.words(kind.element)}"
        return kind.kind

    def lines(self, kind: Type) -> list[str]:
        if kind.kind == "enum":
            return [f" {name} {number}" for name, number, _ in kind.members]
        if kind.kind == "union":
            return [f" {one.name} {one.tag}" + ("" if one.type is None else " " + self.words(one.type)) for one in kind.alternatives]
        lines, segment = [], 1
        for field in kind.fields:
            if field.segment != segment:
                segment = field.segment
                lines.append(f"@{segment}")
            lines.append(f" {field.name} {self.words(field.type)}")
        return lines


def _head(kind: Type) -> str:
    base = f" {kind.base}" if kind.kind == "enum" else ""
    return f"{kind.kind} {kind.name}{base}" + (" closed" if kind.closed else " keep" if kind.keep else "")
