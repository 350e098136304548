"""Which layout texts read each other, and the first difference of two that do not [EVO-5.7]."""

from __future__ import annotations

import re

from ._spec import LAYOUT_PAIRS

DIFFERENCE_BYTES = 400
"""The greatest length of the text of a difference."""

ABSENT = "nothing"

_REFERENCE = re.compile("#[0-9]{1,6}")


class Member:
    """A field, a member of an enum, or an alternative."""

    __slots__ = ("name", "number", "words")

    def __init__(self, name: str, number: str, words: list[str]) -> None:
        self.name = name
        self.number = number
        self.words = words


class Block:
    """A declared type of a layout text [EVO-5.3]."""

    def __init__(self, lines: list[str]) -> None:
        words = lines[0].split(" ") + [""] * 5
        self.kind, self.name, third, fourth = words[1:5]
        self.base = third if self.kind == "enum" else ""
        self.closed = (third if self.kind == "union" else fourth if self.kind == "enum" else "") == "closed"
        self.members: list[Member] = []
        self.ends: set[int] = set()
        self.names: dict[str, int] = {}
        self.numbers: dict[str, int] = {}
        for line in lines[1:]:
            if not line.startswith(" "):
                self.ends.add(len(self.members))
                continue
            name, *rest = line[1:].split(" ")
            numbered = self.kind in ("enum", "union") and bool(rest)
            number = rest[0] if numbered else ""
            self.names.setdefault(name, len(self.members))
            self.numbers.setdefault(number, len(self.members))
            self.members.append(Member(name, number, rest[1:] if numbered else rest))

    def segment(self, field: int) -> int:
        """The number of the segment that a field is in."""
        return 1 + sum(end <= field for end in self.ends)

    def named(self, name: str) -> Member | None:
        """The first member of a name."""
        place = self.names.get(name)
        return None if place is None else self.members[place]

    def numbered(self, number: str) -> Member | None:
        """The first member of a number."""
        place = self.numbers.get(number)
        return None if place is None else self.members[place]

    def __str__(self) -> str:
        return f"{'closed ' if self.closed else ''}{self.kind}" + (f" {self.base}" if self.base else "")


class Layout:
    """The blocks of a text. A block is read when it is asked for: a peer's text may have thousands that no type names."""

    def __init__(self, text: str) -> None:
        self._texts: list[list[str]] = []
        for line in text.removesuffix("\n").split("\n"):
            if self._texts and line[:1] in (" ", "@") and line:
                self._texts[-1].append(line)
            else:
                self._texts.append([line])
        self._blocks: dict[int, Block] = {}

    def block(self, place: int) -> Block:
        """The block at a place."""
        found = self._blocks.get(place)
        if found is None:
            found = self._blocks[place] = Block(self._texts[place])
        return found

    def place(self, word: str) -> int | None:
        """The place of the block that a word names."""
        if not _REFERENCE.fullmatch(word):
            return None
        number = int(word[1:])
        return number if number < len(self._texts) else None

    def spelled(self, words: list[str]) -> str:
        """A type with the names of blocks in the places of their numbers."""
        text = ""
        for i, word in enumerate(words):
            if len(text) > DIFFERENCE_BYTES:
                break
            place = self.place(word)
            text += (" " if i else "") + (word if place is None else self.block(place).name)
        return text if words else ABSENT


def difference(reader: str, writer: str) -> str:
    """The first difference that keeps the reader's text from reading the writer's; empty where there is none."""
    return _Comparison(Layout(reader), Layout(writer)).run()


def _differs(name: str, here: str, there: str) -> str:
    return f"{name}: here {here}, there {there}"[:DIFFERENCE_BYTES]


class _Comparison:
    """The comparison of a text here, which reads, with a writer's."""

    def __init__(self, here: Layout, there: Layout) -> None:
        self.here = here
        self.there = there
        self.pairs = [(0, 0)]
        self.named: list[tuple[int, int]] = []

    def run(self) -> str:
        done = {(0, 0)}
        at = 0
        while at < len(self.pairs):
            if at >= LAYOUT_PAIRS:
                return f"{self.here.block(0).name}: layouts unknown"[:DIFFERENCE_BYTES]
            i, j = self.pairs[at]
            at += 1
            self.named = []
            found = self.blocks(self.here.block(i), self.there.block(j))
            if found:
                return found
            for pair in self.named:
                if pair not in done:
                    done.add(pair)
                    self.pairs.append(pair)
        return ""

    def alike(self, here: Block, there: Block) -> bool:
        if here.kind != there.kind or here.base != there.base:
            return False
        if here.kind == "union":
            return here.closed == there.closed
        return not (here.kind == "enum" and here.closed and not there.closed)

    def blocks(self, here: Block, there: Block) -> str:
        if not self.alike(here, there):
            return _differs(here.name, str(here), str(there))
        if here.kind in ("struct", "message"):
            return self.fields(here, there)
        return self.numbers(here, there)

    def fields(self, here: Block, there: Block) -> str:
        for i, (a, b) in enumerate(zip(here.members, there.members, strict=False)):
            found = self.names(here, there, i, a, b) or self.types_of(here, a, b)
            if found:
                return found
        if here.kind == "message":
            return self.segments(here, there)
        common = min(len(here.members), len(there.members))
        if len(here.members) > common:
            one = here.members[common]
            return _differs(f"{here.name}.{one.name}", self.here.spelled(one.words), ABSENT)
        if len(there.members) > common:
            one = there.members[common]
            return _differs(f"{here.name}.{one.name}", ABSENT, self.there.spelled(one.words))
        return ""

    def names(self, here: Block, there: Block, i: int, a: Member, b: Member) -> str:
        """Looks at two names at one position, of which either stands elsewhere on the other side."""
        if a.name == b.name:
            return ""
        ours, theirs = there.names.get(a.name), here.names.get(b.name)
        if ours is None and theirs is None:
            return ""
        if ours is None:
            return _differs(f"{here.name}.{a.name}", self.here.spelled(a.words), ABSENT)
        if theirs is None:
            return _differs(f"{here.name}.{b.name}", ABSENT, self.there.spelled(b.words))
        return _differs(f"{here.name}.{a.name}", f"field {i + 1}", f"field {ours + 1}")

    def types_of(self, here: Block, a: Member, b: Member) -> str:
        if self.types(a.words, b.words):
            return ""
        return _differs(f"{here.name}.{a.name}", self.here.spelled(a.words), self.there.spelled(b.words) if a.name == b.name else ABSENT)

    def segments(self, here: Block, there: Block) -> str:
        """Looks for an end of a segment that the writer has and the reader has not [EVO-4.4]."""
        for i, member in enumerate(here.members):
            if i in here.ends or (i not in there.ends and i != len(there.members)):
                continue
            written = f"segment {there.segment(i)}" if i < len(there.members) else ABSENT
            return _differs(f"{here.name}.{member.name}", f"segment {here.segment(i)}", written)
        return ""

    def numbers(self, here: Block, there: Block) -> str:
        word = "tag " if here.kind == "union" else "number "
        for a in here.members:
            named = there.named(a.name)
            if named is not None and named.number != a.number:
                return _differs(f"{here.name}.{a.name}", word + a.number, word + named.number)
            numbered = there.numbered(a.number)
            found = "" if numbered is None else self.types_of(here, a, numbered)
            if found:
                return found
        for one in there.members:
            if here.closed and here.numbered(one.number) is None:
                return _differs(f"{here.name}.{one.name}", ABSENT, word + one.number)
        return ""

    def types(self, ours: list[str], theirs: list[str]) -> bool:
        """Compares two types word by word, and adds the pairs of blocks that they name [EVO-5.9]."""
        here, there = list(reversed(ours)), list(reversed(theirs))
        while here and there:
            a, b = here.pop().partition("<=")[0], there.pop().partition("<=")[0]
            i, j = self.here.place(a), self.there.place(b)
            if i is not None and j is not None:
                x, y = self.here.block(i), self.there.block(j)
                if x.name != y.name and not self.alike(x, y):
                    return False
                self.named.append((i, j))
            elif i is not None or j is not None:
                block = self.here.block(i) if i is not None else self.there.block(j)  # type: ignore[arg-type]
                if block.kind != "enum" or block.base != (b if i is not None else a) or (i is not None and block.closed):
                    return False
            elif _octets(a, b):
                here.append("u8")
            elif _octets(b, a):
                there.append("u8")
            elif a != b:
                return False
        return not here and not there


def _octets(octets: str, other: str) -> bool:
    """Whether one word is of bytes and the other of a list with as long a count."""
    return octets.startswith("bytes") and other.startswith("list") and octets[5:] == other[4:]
