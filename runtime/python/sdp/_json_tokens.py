"""A JSON text as nodes with their offsets, for texts whose refusal is to be named. Other texts are read by the module ``json``."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, NoReturn

from ._error import JSONError
from ._spec import JSON_BRACKETS

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Node(NamedTuple):
    """A value of JSON, and where it begins in the text.

    ``kind`` is ``string number true false null array object``. The value of an array is a list of nodes, that of an object a list of
    keys with their nodes, that of a number its text.
    """

    kind: str
    at: int
    value: Any


class Tokens:
    """A text that is parsed, without recursion, into one node."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def no(self, at: int) -> NoReturn:
        """Refuses the text at a character [JSON-1.3]."""
        found = "the end of the text" if at >= len(self.text) else repr(self.text[at])
        raise JSONError("json_invalid", self.offset(at), "", f"{found} can't stand here")

    def offset(self, at: int) -> int:
        """The offset of a character in UTF-8."""
        return len(self.text[:at].encode("utf-8", "surrogatepass"))

    def skip(self) -> str:
        """Passes over white space, and returns the character behind it; nothing at the end."""
        self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
        return self.text[self.at : self.at + 1]

    def document(self) -> Node:
        """The one value of the text."""
        open_: list[tuple[Node, Any]] = []
        while True:
            node, is_open = self.begin(len(open_))
            if is_open:
                key = self.member(node) if node.kind == "object" else None
                open_.append((node, key))
                continue
            while True:  # the node is whole
                if not open_:
                    if self.skip():
                        self.no(self.at)
                    return node
                outer, key = open_.pop()
                outer.value.append(node if key is None else (*key, node))
                close = "}" if outer.kind == "object" else "]"
                sign = self.skip()
                if sign not in (",", close) or not sign:
                    self.no(self.at)
                self.at += 1
                if sign == ",":
                    open_.append((outer, self.member(outer) if outer.kind == "object" else None))
                    break
                node = outer

    def begin(self, depth: int) -> tuple[Node, bool]:
        """Takes a value, or the opening bracket of one that is not empty, within so many others."""
        sign = self.skip()
        at = self.at
        if sign == '"':
            return Node("string", at, self.string()), False
        if sign in ("{", "[") and sign:
            if depth >= JSON_BRACKETS:
                self.no(at)
            self.at += 1
            node = Node("object" if sign == "{" else "array", at, [])
            if self.skip() == ("}" if sign == "{" else "]"):
                self.at += 1
                return node, False
            return node, True
        if sign == "-" or (sign.isdecimal() and sign.isascii()):
            return Node("number", at, self.number()), False
        for word in ("true", "false", "null"):
            if sign == word[0]:
                for i, letter in enumerate(word):
                    if self.text[at + i : at + i + 1] != letter:
                        self.no(at + i)
                self.at = at + len(word)
                return Node(word, at, None), False
        self.no(at)

    def member(self, node: Node) -> tuple[str, int]:
        """Takes the key of a member and the colon behind it."""
        if self.skip() != '"':
            self.no(self.at)
        at = self.at
        key = self.string()
        if self.skip() != ":":
            self.no(self.at)
        self.at += 1
        return key, at

    def number(self) -> str:
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            self.no(self.at + 1)  # behind a sign
        self.at = found.end()
        rest = self.text[self.at : self.at + 2]
        if rest[:1] == "." and "." not in found[0] and "e" not in found[0].lower():
            self.no(self.at + 1)
        if rest[:1] in ("e", "E") and rest[:1] and "e" not in found[0].lower():
            self.no(self.at + (2 if rest[1:] in ("+", "-") and rest[1:] else 1))
        return found[0]

    def string(self) -> str:
        parts = []
        at = self.at + 1
        while True:
            found = _PLAIN.match(self.text, at)
            assert found is not None
            parts.append(found[0])
            at = found.end()
            sign = self.text[at : at + 1]
            if sign == '"':
                self.at = at + 1
                return "".join(parts)
            if sign != "\\":
                self.no(at)
            escape = self.text[at + 1 : at + 2]
            if escape in _ESCAPES and escape:
                parts.append(_ESCAPES[escape])
                at += 2
            elif escape == "u":
                at = self.unicode(at, parts)
            else:
                self.no(at + 1)

    def unicode(self, at: int, parts: list[str]) -> int:
        """Takes an escape of four digits, or of a pair of surrogates."""
        code = self.four(at)
        end = at + 6
        if 0xD800 <= code < 0xDC00 and self.text[end : end + 2] == "\\u":
            low = self.four(end)
            if 0xDC00 <= low < 0xE000:
                parts.append(chr(0x10000 + (code - 0xD800 << 10) + (low - 0xDC00)))
                return end + 6
        if 0xD800 <= code < 0xE000:
            self.no(at)
        parts.append(chr(code))
        return end

    def four(self, at: int) -> int:
        for i in range(at + 2, at + 6):
            if self.text[i : i + 1] not in "0123456789abcdefABCDEF" or i >= len(self.text):
                self.no(i)
        return int(self.text[at + 2 : at + 6], 16)


def parsed(data: bytes | str) -> tuple[Node, Tokens]:
    """The node of a text, and what knows its offsets."""
    if isinstance(data, str):
        data = data.encode(errors="surrogatepass")  # which is no UTF-8 where there is half a pair
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return _before(data[: error.start].decode(), error.start)
    tokens = Tokens(text)
    return tokens.document(), tokens


def _before(text: str, offset: int) -> NoReturn:
    """Refuses what is no UTF-8 from an offset on, or what comes before it."""
    try:
        Tokens(text).document()
    except JSONError as error:
        if error.offset < offset:
            raise
    raise JSONError("json_invalid", offset, "", "the text is not UTF-8")
