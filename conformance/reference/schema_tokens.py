"""Tokens of schema files (grammar.ebnf; section 1 of language.md). Only valid files are read."""

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?P<skip>[ \t\r\n]+ | //[^\n]* | /\*.*?\*/)
    | (?P<float>-?[0-9](?:_?[0-9])*(?:\.[0-9](?:_?[0-9])*(?:[eE][+-]?[0-9](?:_?[0-9])*)?|[eE][+-]?[0-9](?:_?[0-9])*))
    | (?P<integer>-?(?:0x[0-9a-fA-F](?:_?[0-9a-fA-F])*|0b[01](?:_?[01])*|[0-9](?:_?[0-9])*))
    | (?P<string>"(?:[^"\\\r\n]|\\.)*")
    | (?P<ident>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<mark>->|\.\.|[{}()\[\]<>,;:=.?@])
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|(.))")
_ESCAPED = {'"': '"', "\\": "\\", "n": "\n", "r": "\r", "t": "\t", "0": "\0"}


@dataclass
class Token:
    """A token: its kind (float, integer, string, ident, mark, end) and its value."""

    kind: str
    value: object


def integer_value(text):
    """Give the number that an integer token spells [LANG-1.6]."""
    digits = text.replace("_", "").lstrip("-")
    base = {"0x": 16, "0b": 2}.get(digits[:2], 10)
    number = int(digits if base == 10 else digits[2:], base)
    return -number if text.startswith("-") else number


def _string_value(text):
    def one(found):
        return chr(int(found[1], 16)) if found[1] else _ESCAPED[found[2]]

    return _ESCAPE.sub(one, text[1:-1])


def tokens(data):
    """Split a schema file into tokens; comments, documentation too, are left out [LANG-1.1] [LANG-1.3]."""
    text = data.decode("utf-8").removeprefix("\ufeff")
    at = 0
    found = []
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise SyntaxError(f"no token starts with {text[at:at + 20]!r}")
        at = match.end()
        kind, value = match.lastgroup, match[0]
        if kind == "integer":
            value = integer_value(value)
        elif kind == "float":
            value = value.replace("_", "")
        elif kind == "string":
            value = _string_value(value)
        if kind != "skip":
            found.append(Token(kind, value))
    found.append(Token("end", None))
    return found
