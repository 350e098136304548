"""JSON texts: from bytes to a tree that remembers where each part stood [JSON-1.2] [JSON-1.3].

Python's json module is not used: it keeps no offsets, accepts halves of surrogate pairs and NaN, and
its nesting depends on the interpreter. This reader keeps its own stack.
"""

import re
from dataclasses import dataclass

from .refusal import DEFAULTS, Refusal

BRACKETS = DEFAULTS["json_brackets"]

_SPACE = re.compile(rb"[ \t\n\r]*")
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_CONTINUES = re.compile(rb"-?(?:(?:0|[1-9][0-9]*)(?:\.(?:[0-9]+(?:[eE][+-]?)?)?|[eE][+-]?)?)?")
_PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
_WORDS = {b"t": (b"true", "bool", True), b"f": (b"false", "bool", False), b"n": (b"null", "null", None)}
_ESCAPES = {
    0x22: '"', 0x5C: "\\", 0x2F: "/", 0x62: "\b", 0x66: "\f", 0x6E: "\n", 0x72: "\r", 0x74: "\t",
}
_HEX = re.compile(rb"[0-9a-fA-F]{0,4}")


@dataclass
class Node:
    """A JSON value: its kind, its content, and the offset of its first byte.

    The kinds are null, bool, number (content: its text), string, array (a list of nodes) and object
    (a list of key, offset of the key, node).
    """

    kind: str
    content: object
    at: int


class _Text:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def refuse(self, at):
        raise Refusal("json_invalid", at, None)

    def space(self):
        self.at = _SPACE.match(self.data, self.at).end()

    def peek(self):
        return self.data[self.at:self.at + 1]

    def expect(self, byte):
        if self.peek() != byte:
            self.refuse(self.at)
        self.at += 1

    def word(self):
        word, kind, content = _WORDS[self.peek()]
        start = self.at
        for i, byte in enumerate(word):
            if self.data[start + i:start + i + 1] != bytes([byte]):
                self.refuse(start + i)
        self.at += len(word)
        return Node(kind, content, start)

    def number(self):
        start = self.at
        found = _NUMBER.match(self.data, start)
        reach = _CONTINUES.match(self.data, start).end()
        if found is None or reach > found.end():
            self.refuse(reach)
        self.at = found.end()
        return Node("number", found[0].decode("ascii"), start)

    def string(self):
        """Read a string from its opening quote."""
        self.expect(b'"')
        pieces = []
        while True:
            start = self.at
            self.at = _PLAIN.match(self.data, start).end()
            try:
                pieces.append(self.data[start:self.at].decode("utf-8"))
            except UnicodeDecodeError as error:
                self.refuse(start + error.start)
            byte = self.peek()
            if byte == b'"':
                self.at += 1
                return "".join(pieces)
            if byte != b"\\":
                self.refuse(self.at)
            pieces.append(self.escape())

    def escape(self):
        start = self.at
        byte = self.data[start + 1] if start + 1 < len(self.data) else None
        if byte in _ESCAPES:
            self.at += 2
            return _ESCAPES[byte]
        if byte != 0x75:
            self.refuse(start + 1)
        unit = self.unit()
        if 0xD800 <= unit < 0xDC00:
            for i, byte in enumerate(b"\\u", self.at):
                if i == len(self.data):
                    self.refuse(i)
                if self.data[i] != byte:
                    self.refuse(start)
            low = self.unit()
            if not 0xDC00 <= low < 0xE000:
                self.refuse(start)
            return chr(0x10000 + (unit - 0xD800 << 10) + (low - 0xDC00))
        if 0xDC00 <= unit < 0xE000:
            self.refuse(start)
        return chr(unit)

    def unit(self):
        digits = _HEX.match(self.data, self.at + 2)
        if digits is None or len(digits[0]) < 4:
            self.refuse(self.at + 2 + (0 if digits is None else len(digits[0])))
        self.at = digits.end()
        return int(digits[0], 16)


def parse(data):
    """Read one well-formed JSON text, or refuse it with json_invalid and the empty path [JSON-1.3]."""
    text = _Text(data)
    stack = []
    while True:
        text.space()
        node = _open(text, stack)
        while node is not None:
            if not stack:
                text.space()
                if text.at < len(data):
                    text.refuse(text.at)
                return node
            node = _close(text, stack, node)


def _open(text, stack):
    """Read a value that is complete, or open a bracket and give None."""
    byte = text.peek()
    start = text.at
    if byte in _WORDS and byte:
        return text.word()
    if byte == b'"':
        return Node("string", text.string(), start)
    if byte not in (b"[", b"{"):
        return text.number()
    if len(stack) >= BRACKETS:
        text.refuse(start)
    text.at += 1
    text.space()
    node = Node("array" if byte == b"[" else "object", [], start)
    if text.peek() == (b"]" if byte == b"[" else b"}"):
        text.at += 1
        return node
    stack.append([node, None])
    if node.kind == "object":
        _key(text, stack)
    return None


def _key(text, stack):
    at = text.at
    stack[-1][1] = (text.string(), at)
    text.space()
    text.expect(b":")


def _close(text, stack, node):
    """Put a complete value into its bracket; give the bracket if it closes here, else None."""
    around, key = stack[-1]
    around.content.append(node if key is None else (*key, node))
    text.space()
    if text.peek() == b",":
        text.at += 1
        if key is not None:
            text.space()
            _key(text, stack)
        return None
    text.expect(b"]" if around.kind == "array" else b"}")
    stack.pop()
    return around


_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED = re.compile(r'["\\\x00-\x1f]')


def quote(text):
    """Write a string with the escapes of [JSON-3.1] and no others."""
    return '"' + _ESCAPED.sub(lambda found: _SHORT.get(found[0]) or f"\\u{ord(found[0]):04x}", text) + '"'
