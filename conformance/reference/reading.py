"""Whether one layout text reads another, and the first difference if it does not [EVO-5.7 to EVO-5.10]."""

import re
from collections import deque
from dataclasses import dataclass, field

PAIRS_MAX = 16384
DIFFERENCE_MAX = 400
NOTHING = "nothing"
NUMBER = re.compile("#[0-9]{1,6}")
"""A word that may name a block."""


@dataclass
class Member:
    """A line within a block: its name, the number of an enum's member or the tag of an alternative, and the words of a type."""

    name: str
    number: str
    words: list


@dataclass
class Block:
    """A block of a layout text."""

    kind: str
    name: str
    base: str
    closed: bool
    members: list = field(default_factory=list)
    ends: list = field(default_factory=list)

    def __str__(self):
        return ("closed " if self.closed else "") + self.kind + (f" {self.base}" if self.base else "")

    def segment(self, place):
        """The number of the segment that the field at a place is in."""
        return 1 + sum(end <= place for end in set(self.ends))


def _block(line):
    words = [*line.split(" "), "", "", "", ""]
    kind = words[1]
    base = words[3] if kind == "enum" else ""
    closed = {"enum": words[4], "union": words[3]}.get(kind) == "closed"
    return Block(kind, words[2], base, closed)


def _places(block):
    """Where the first member of each name stands."""
    return {member.name: i for i, member in reversed(list(enumerate(block.members)))}


def blocks(text):
    """Read a layout text."""
    made = []
    for line in text.removesuffix("\n").split("\n"):
        if not line.startswith((" ", "@")):
            made.append(_block(line))
        elif made and line.startswith("@"):
            made[-1].ends.append(len(made[-1].members))
        elif made:
            name, *words = line[1:].split(" ")
            number = words.pop(0) if made[-1].kind in ("enum", "union") and words else ""
            made[-1].members.append(Member(name, number, words))
    return made


def is_text(text):
    """Say whether a text may be a layout text: it has a first block, and is ASCII."""
    return text.startswith("0 ") and all(c == "\n" or " " <= c <= "~" for c in text)


def difference(name, here, there, *, reads):
    """Give the first difference for which this side does not read the other's text of a type, or, where ``reads`` is false, is not read; or None."""
    if not (is_text(here) and is_text(there)):
        return f"{name}: layouts unknown"
    return _Reading(blocks(here), blocks(there), reads).first()


class Joint:
    """The joint layout text of several types [EVO-5.10]."""

    def __init__(self):
        self.places, self.texts = {}, []

    @property
    def text(self):
        """The text, which is empty without types."""
        return "".join(self.texts)

    def add(self, text, bytes_max):
        """Add the type of a text, unless it can't join or the whole would have more bytes; say whether it is there."""
        if not is_text(text):
            return False
        parts = []
        for line in text.removesuffix("\n").split("\n"):
            if line.startswith((" ", "@")):
                parts[-1].append(line)
            else:
                parts.append([line])
        names = [_block(lines[0]).name for lines in parts]
        places, added = dict(self.places), {}
        for name in names:
            places.setdefault(name, len(places))
        for name, (head, *lines) in zip(names, parts):
            words = [word for line in lines for word in line.split(" ")]
            if any(int(word[1:]) >= len(names) for word in words if NUMBER.fullmatch(word)):
                return False
            renumbered = [" ".join(f"#{places[names[int(word[1:])]]}" if NUMBER.fullmatch(word) else word for word in line.split(" ")) for line in lines]
            block = "\n".join([f"{places[name]} {head.partition(' ')[2]}", *renumbered, ""])
            known = self.texts[places[name]] if name in self.places else added.setdefault(name, block)
            if known != block:
                return False
        if len(self.text) + sum(map(len, added.values())) > bytes_max:
            return False
        self.places = places
        self.texts += added.values()
        return True


class JointReading:
    """Compares the types of two joint texts, in both directions, one type after the other."""

    def __init__(self, here, there):
        self.ways = [_Reading(blocks(here), blocks(there), reads) for reads in (True, False)]

    def differences(self, name):
        """Give the differences for which this side does not read a type, and the peer does not; or None where one side does not have it."""
        here, there = (next((i for i, block in enumerate(side) if block.name == name), None) for side in (self.ways[0].here, self.ways[0].there))
        if here is None or there is None:
            return None
        return tuple(way.first((here, there)) for way in self.ways)


class _Reading:
    def __init__(self, here, there, reads):
        self.here, self.there, self.reads = here, there, reads
        self.queue, self.seen, self.met = deque(), set(), set()

    def first(self, root=(0, 0)):
        """Give the first difference of the types of two blocks. Pairs that an earlier one has met count no more."""
        self.queue, self.seen = deque([root]), {root}
        while self.queue:
            ours, theirs = pair = self.queue.popleft()
            if pair not in self.met and len(self.met) == PAIRS_MAX:
                return f"{self.here[root[0]].name}: layouts unknown"
            self.met.add(pair)
            for name, mine, other in self.differences(self.here[ours], self.there[theirs]):
                return f"{name}: here {mine}, there {other}"[:DIFFERENCE_MAX]
        return None

    def sides(self, a, b):
        return (a, b) if self.reads else (b, a)

    def alike(self, ours, theirs):
        reader, writer = self.sides(ours, theirs)
        closed_reads = reader.closed == writer.closed or (reader.kind == "enum" and writer.closed)
        return (ours.kind, ours.base) == (theirs.kind, theirs.base) and closed_reads

    def differences(self, ours, theirs):
        if not self.alike(ours, theirs):
            yield ours.name, str(ours), str(theirs)
            return
        found = self.fields(ours, theirs) if ours.kind in ("struct", "message") else self.numbers(ours, theirs)
        for member, mine, other in found:
            yield f"{ours.name}.{member}", mine, other
        if ours.kind == "message":
            yield from self.segments(ours, theirs)

    def fields(self, ours, theirs):
        mine, other = _places(ours), _places(theirs)
        for i, (a, b) in enumerate(zip(ours.members, theirs.members)):
            if a.name == b.name or (a.name not in other and b.name not in mine):
                yield from self.member_types(a, b)
            elif a.name not in other:
                yield a.name, spelled(self.here, a.words), NOTHING
            elif b.name not in mine:
                yield b.name, NOTHING, spelled(self.there, b.words)
            else:
                yield a.name, f"field {i + 1}", f"field {other[a.name] + 1}"
        if ours.kind == "struct":
            n = min(len(ours.members), len(theirs.members))
            yield from ((a.name, spelled(self.here, a.words), NOTHING) for a in ours.members[n:])
            yield from ((b.name, NOTHING, spelled(self.there, b.words)) for b in theirs.members[n:])

    def member_types(self, a, b):
        if not self.types(a.words, b.words):
            yield a.name, spelled(self.here, a.words), spelled(self.there, b.words) if a.name == b.name else NOTHING

    def segments(self, ours, theirs):
        reader, writer = self.sides(ours, theirs)
        ends, known = {*writer.ends, len(writer.members)}, set(reader.ends)
        for i, member in enumerate(reader.members):
            if i in ends and i not in known:
                written = f"segment {writer.segment(i)}" if i < len(writer.members) else NOTHING
                yield (f"{ours.name}.{member.name}", *self.sides(f"segment {reader.segment(i)}", written))

    def numbers(self, ours, theirs):
        what = "tag" if ours.kind == "union" else "number"
        by_name = {m.name: m.number for m in reversed(theirs.members)}
        by_number = {m.number: m for m in reversed(theirs.members)}
        for a in ours.members:
            if by_name.get(a.name, a.number) != a.number:
                yield a.name, f"{what} {a.number}", f"{what} {by_name[a.name]}"
            if a.number in by_number:
                yield from self.member_types(a, by_number[a.number])
        reader, writer = self.sides(ours, theirs)
        known = {m.number for m in reader.members}
        for member in writer.members:
            if reader.closed and member.number not in known:
                yield (member.name, *self.sides(NOTHING, f"{what} {member.number}"))

    def types(self, ours, theirs):
        ours, theirs = deque(map(unbound, ours)), deque(map(unbound, theirs))
        while ours and theirs:
            a, b = ours.popleft(), theirs.popleft()
            x, y = place(self.here, a), place(self.there, b)
            if x is not None and y is not None:
                if self.here[x].name != self.there[y].name and not self.alike(self.here[x], self.there[y]):
                    return False
                if (x, y) not in self.seen:
                    self.seen.add((x, y))
                    self.queue.append((x, y))
            elif x is not None:
                if not integer(self.here[x], b, writes=not self.reads):
                    return False
            elif y is not None:
                if not integer(self.there[y], a, writes=self.reads):
                    return False
            elif octets(a, b):
                ours.appendleft("u8")
            elif octets(b, a):
                theirs.appendleft("u8")
            elif a != b:
                return False
        return not ours and not theirs


def unbound(word):
    """Give a word without the bound that may be behind it."""
    return word.partition("<=")[0]


def octets(a, b):
    """Say whether one word is of bytes, and the other of a list with as long a count."""
    return a.startswith("bytes") and b == "list" + a[5:]


def place(text, word):
    """Give the number of the block that a word names, or None."""
    digits = word[1:]
    if word[:1] != "#" or not 1 <= len(digits) <= 6 or not (digits.isascii() and digits.isdigit()):
        return None
    return int(digits) if int(digits) < len(text) else None


def integer(block, word, *, writes):
    """Say whether an enum and an integer read each other, where the enum's side writes or reads."""
    return block.kind == "enum" and block.base == word and (writes or not block.closed)


def spelled(text, words):
    """Spell a type with the names of blocks in the places of their numbers."""
    named = (text[n].name if (n := place(text, word)) is not None else word for word in words)
    return " ".join(named) if words else NOTHING
