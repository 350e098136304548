"""Fingerprints: short numbers that are equal where bytes are (section 6 of evolution.md)."""

from hashlib import sha256

from .layout import spell
from .shape import Enum, Message, Struct, Union


class _Text:
    """One text of a fingerprint, and the position of each struct and closed union it has expanded [EVO-6.5]."""

    def __init__(self, root):
        self.positions = {root: 0}

    def words(self, shape):
        return " ".join(spell(shape, self.declared, False))

    def declared(self, shape):
        """Spell a declared type [EVO-6.4]."""
        if isinstance(shape, Enum):
            if not shape.closed:
                return [shape.base]
            return ["enum", shape.base, "closed", "{", *map(str, sorted(shape.members.values())), "}"]
        if isinstance(shape, Message):
            return ["message"]
        if isinstance(shape, Union) and not shape.closed:
            return ["union"]
        if shape in self.positions:
            return [f"^{self.positions[shape]}"]
        self.positions[shape] = len(self.positions)
        if isinstance(shape, Struct):
            return ["struct", "{", " ; ".join([self.words(one.shape) for one in shape.fields]), "}"]
        return ["union", "closed", "{", " ; ".join(self.alternatives(shape)), "}"]

    def alternatives(self, shape):
        """Give the line of each alternative by ascending tag [EVO-6.3]."""
        return [
            str(one.tag) + ("" if one.shape is None else " " + self.words(one.shape))
            for one in sorted(shape.alternatives, key=lambda one: one.tag)
        ]


def fingerprint_texts(root):
    """Give the text of each segment of a struct, message or union, in order [EVO-6.2] [EVO-6.3]."""
    if isinstance(root, Union):
        lines = ["union closed" if root.closed else "union", *_Text(root).alternatives(root)]
        return ["".join(line + "\n" for line in lines)]
    segments = root.segments() if isinstance(root, Message) else [root.fields]
    texts = []
    for number, fields in enumerate(segments, 1):
        text = _Text(root)
        lines = [f"segment {number}", *(text.words(one.shape) for one in fields)]
        texts.append("".join(line + "\n" for line in lines))
    return texts


def digest(text):
    """Give the fingerprint of a text as 16 hexadecimal digits [EVO-6.1]."""
    return sha256(text.encode("utf-8")).hexdigest()[:16]


def fingerprints(root):
    """Give the fingerprints of the segments, and the cumulative ones [EVO-6.6]."""
    texts = fingerprint_texts(root)
    return [digest(one) for one in texts], [digest("".join(texts[:k])) for k in range(1, len(texts) + 1)]
