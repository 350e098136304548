"""Cases: from the files under vectors/ to what the checks need.

A value stands in its file as JSON. What counts is its canonical text, so it is read without turning
numbers into floats, and written again byte for byte as json.md has it. The harness does not know types.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

MODES = (
    "bytes", "exact", "prefix", "message", "dispatch", "stream", "json", "encode", "encode_message", "layout", "fingerprints",
)
MEMBERS = {
    "about", "spec", "schema", "type", "mode", "limits", "written_by", "bytes", "json", "json_hex", "size", "result", "value",
    "value_refusal", "reencoded", "used", "accepted_prefixes", "reads", "layout", "segments", "cumulative", "encoding",
    "error", "offset", "path",
}

_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED = re.compile(r'["\\\x00-\x1f]')


class Number(str):
    """The text of a number, as the file has it."""


class Members(list):
    """The members of an object, in order, doubled ones too."""


def canonical(node):
    """Write a value without white space, with the escapes that json.md allows [JSON-1.1] [JSON-3.1]."""
    if isinstance(node, Members):
        return "{" + ",".join(f"{canonical(key)}:{canonical(value)}" for key, value in node) + "}"
    if isinstance(node, list):
        return "[" + ",".join(map(canonical, node)) + "]"
    if isinstance(node, Number):
        return str(node)
    if isinstance(node, str):
        return '"' + _ESCAPED.sub(lambda found: _SHORT.get(found[0]) or f"\\u{ord(found[0]):04x}", node) + '"'
    return {None: "null", True: "true", False: "false"}[node]


def plain(node):
    """Turn what was read into Python's own types, where the text of numbers is of no interest."""
    if isinstance(node, Members):
        return {key: plain(value) for key, value in node}
    if isinstance(node, list):
        return [plain(one) for one in node]
    return int(node) if isinstance(node, Number) else node


def expand(parts):
    """Give the bytes of hexadecimal digits with spaces, or of a list in which parts may be repeated."""
    if isinstance(parts, str):
        return bytes.fromhex(parts)
    return b"".join(
        bytes.fromhex(one["repeat"]) * one["times"] if isinstance(one, dict) else bytes.fromhex(one) for one in parts
    )


@dataclass
class Case:
    """One vector. ``name`` is its path under vectors/ without the ending."""

    name: str
    about: str
    spec: list
    schema: str
    mode: str
    result: str
    type: str | None = None
    limits: dict = field(default_factory=dict)
    written_by: dict | None = None
    data: bytes | None = None
    text: bytes | None = None
    size: int | None = None
    value: str | None = None
    value_refusal: dict | None = None
    reencoded: bytes | None = None
    used: int | None = None
    accepted_prefixes: list = field(default_factory=list)
    reads: list | None = None
    layout: str | None = None
    segments: list | None = None
    cumulative: list | None = None
    encoding: bytes | None = None
    error: str | None = None
    offset: int | None = None
    path: str | None = None

    @property
    def topic(self):
        """The folder of the case, without whether it is accepted."""
        return self.name.split("/")[1]

    @property
    def folder(self):
        """valid, invalid or evolution."""
        return self.name.split("/")[0]

    @property
    def input_bytes(self):
        """The length of what the case gives to a runner."""
        return max(len(given or b"") for given in (self.data, self.text, self.encoding))


class Malformed(Exception):
    """A file under vectors/ that is no case."""


def read_case(name, text):
    """Read one case from the text of its file."""
    tree = json.loads(text, object_pairs_hook=Members, parse_int=Number, parse_float=Number)
    members = dict(tree)
    unknown = set(members) - MEMBERS
    if unknown or len(members) != len(tree):
        raise Malformed(f"{name}: members {sorted(unknown) or 'doubled'}")
    case = {key: plain(value) for key, value in members.items() if key not in ("value", "written_by", "reads")}
    if case["mode"] not in MODES or not case["spec"]:
        raise Malformed(f"{name}: a mode and clauses are needed")
    if "value" in members:
        case["value"] = canonical(members["value"])
    for key, of in (("bytes", "data"), ("reencoded", "reencoded"), ("encoding", "encoding")):
        if key in case:
            case[of] = expand(case.pop(key))
    if "json" in case:
        case["text"] = case.pop("json").encode("utf-8")
    if "json_hex" in case:
        case["text"] = bytes.fromhex(case.pop("json_hex"))
    if "written_by" in members:
        case["written_by"] = _row(members["written_by"])
    if "reads" in members:
        case["reads"] = [_row(one) for one in members["reads"]]
    return Case(name=name, **case)


def _row(members):
    return {key: canonical(value) if key == "value" else plain(value) for key, value in members}


def read_cases(folder):
    """Read every case under a folder, in order of their names, but for those of frames."""
    folder = Path(folder)
    files = sorted(file for file in folder.rglob("*.json") if file.relative_to(folder).parts[0] != "mxp")
    return [read_case(file.relative_to(folder).with_suffix("").as_posix(), file.read_text("utf-8")) for file in files]
