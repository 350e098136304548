"""Values of JSON: read by the module ``json``, or, where that text is not plainly right, from nodes that know their offsets."""

from __future__ import annotations

from typing import Any, NoReturn
from uuid import UUID

from . import _codec, _json_fast, _text
from ._codec import Buffer
from ._error import JSONError, Path, path_text
from ._json_tokens import Node, Tokens, parsed
from ._spec import LIMIT_DEPTH
from ._time import Duration, Timestamp
from ._type import Alternative, Field, Type


def from_json(kind: Type, text: str | Buffer) -> Any:
    """Reads a value of a type from JSON."""
    data = text if isinstance(text, str) else bytes(text)
    try:
        return _json_fast.read(kind, data if isinstance(data, str) else data.decode())
    except (*_codec.NO, RecursionError):
        pass
    return explained(kind, data)


def explained(kind: Type, data: str | bytes) -> Any:
    """Reads a value of a text whose offsets are known, and raises its refusal if it has one."""
    node, tokens = parsed(data)
    return _Reader(tokens).value(kind, node, None, 0)


class _Reader:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens

    def no(self, at: int, path: Path | None, detail: str) -> NoReturn:
        raise JSONError("json_invalid", self.tokens.offset(at), path_text(path), detail)

    def expected(self, what: str, node: Node, path: Path | None) -> NoReturn:
        got = f"{node.kind} {node.value}" if node.kind in ("string", "number") else node.kind
        self.no(node.at, path, f"expected {what}, got {got if len(got) <= 60 else got[:57] + '...'}")

    def value(self, kind: Type, node: Node, path: Path | None, depth: int) -> Any:
        """Reads one value; depth is the level of the aggregate around it."""
        if kind.kind == "opt":
            return None if node.kind == "null" else self.value(kind.element, node, path, depth)
        if kind.kind == "enum":
            return self.enum(kind, node, path)
        if kind.is_scalar():
            return self.scalar(kind, node, path)
        if kind.kind == "str":
            if node.kind != "string":
                self.expected("a string", node, path)
            return node.value
        if kind.kind == "bytes":
            return self.base64(node, node.at, path)
        if kind.kind in ("list", "array"):
            return self.elements(kind, node, path, depth)
        if kind.kind == "map":
            return self.map(kind, node, path, depth)
        if depth >= LIMIT_DEPTH:
            self.no(node.at, path, f"expected {LIMIT_DEPTH} levels at most")
        if kind.kind == "union":
            return self.union(kind, node, path, depth + 1)
        return self.record(kind, kind.cls, node, path, depth + 1)

    def scalar(self, kind: Type, node: Node, path: Path | None) -> Any:
        if kind.kind == "bool":
            if node.kind not in ("true", "false"):
                self.expected("true or false", node, path)
            return node.kind == "true"
        found: Any = None
        if kind.kind in ("f32", "f64"):
            if node.kind == "number":
                found = _text.read_float(kind.width, node.value)
            elif node.kind == "string":
                found = _text.read_special(kind.width, node.value)
            expectation = f"a number of {kind.kind}"
        elif kind.kind == "timestamp":
            number = _text.read_timestamp(node.value) if node.kind == "string" else None
            found = None if number is None else Timestamp(number)
            expectation = "a time such as 2026-11-21T03:26:00.5Z"
        elif kind.kind == "duration":
            number = _text.read_duration(node.value) if node.kind == "string" else None
            found = None if number is None else Duration(number)
            expectation = "a duration such as 1.5s"
        elif kind.kind == "uuid":
            if node.kind == "string" and _text.UUID_FORM.fullmatch(node.value):
                found = UUID(node.value)
            expectation = "a UUID"
        else:
            found = _text.read_integer(kind, node.value) if node.kind in ("number", "string") else None
            expectation = f"an integer of {kind.kind}"
        if found is None:
            self.expected(expectation, node, path)
        return found

    def enum(self, kind: Type, node: Node, path: Path | None) -> Any:
        number = self.enum_number(kind, node.value) if node.kind in ("string", "number") else None
        if number is None:
            self.expected(f"a member of {kind.name}", node, path)
        return number

    def enum_number(self, kind: Type, text: str) -> Any:
        """The member of a name, or of a number in digits [JSON-2.14]."""
        for _, number, json in kind.members:
            if json == text:
                return kind.numbers[number]
        found = _text.read_integer(kind, text)
        if found is None or (kind.closed and found not in kind.numbers):
            return None
        return kind.numbers[found]

    def base64(self, node: Node, at: int, path: Path | None) -> bytes:
        found = _text.read_base64(node.value) if node.kind == "string" else None
        if found is None:
            self.no(at, path, "expected a string of padded base64")
        return found

    def elements(self, kind: Type, node: Node, path: Path | None, depth: int) -> Any:
        if node.kind != "array":
            self.expected("an array", node, path)
        values = []
        for i, one in enumerate(node.value):
            if kind.kind == "array" and i == kind.count:
                self.no(one.at, (path, f"[{i}]"), f"expected {kind.count} elements")
            values.append(self.value(kind.element, one, (path, f"[{i}]"), depth))
        if kind.kind == "array" and len(values) < kind.count:
            self.no(node.at, path, f"expected {kind.count} elements, got {len(values)}")
        return bytes(values) if kind.kind == "array" and kind.element.kind == "u8" else values

    def map(self, kind: Type, node: Node, path: Path | None, depth: int) -> dict[Any, Any]:
        if node.kind != "object":
            self.expected("an object", node, path)
        found: dict[Any, Any] = {}
        for i, (text, at, one) in enumerate(node.value):
            key = self.key(kind.key, text)
            if key is None or key in found:
                self.no(at, (path, f"[{i}].key"), f"{text!r} is there twice" if key is not None else f"{text!r} is no key of the map")
            found[key] = self.value(kind.element, one, (path, f"[{i}].value"), depth)
        return {key: found[key] for key in sorted(found)}

    def key(self, kind: Type, text: str) -> Any:
        """A key of a map by that of an object [JSON-4.7]; None for a text that is none."""
        if kind.kind == "str":
            return text
        if kind.kind == "bool":
            return {"true": True, "false": False}.get(text)
        return self.enum_number(kind, text) if kind.kind == "enum" else _text.read_integer(kind, text)

    def record(self, kind: Type, cls: Any, node: Node, path: Path | None, depth: int) -> Any:
        if node.kind != "object":
            self.expected("an object", node, path)
        by_name = {field.json: field for field in kind.fields}
        made = object.__new__(cls)
        found: set[str] = set()
        unknown: bytes | None = None
        for key, at, one in node.value:
            field = by_name.get(key)
            if field is not None:
                place = (path, "." + field.name)
                if key in found:
                    self.no(at, place, f"{key!r} is there twice")
                found.add(key)
                setattr(made, field.attribute, self.value(field.type, one, place, depth))
            elif kind.keep and key == "$unknown":
                if unknown is not None:
                    self.no(at, path, "$unknown is there twice")
                unknown = self.base64(one, one.at, path)
            elif kind.kind == "struct":
                self.no(at, path, f"{kind.name} has no field {key!r}")
        for field in kind.fields:
            if field.json not in found:
                setattr(made, field.attribute, self.missing(field, node, path))
        if kind.keep:
            made._unknown = unknown or b""
        return made

    def missing(self, field: Field, node: Node, path: Path | None) -> Any:
        """The value of a field without a member [JSON-5.2]."""
        if field.segment > 1:
            return field.default()
        if field.type.kind != "opt":
            self.no(node.at, (path, "." + field.name), f"expected a member {field.json!r}")
        return None

    def union(self, kind: Type, node: Node, path: Path | None, depth: int) -> Any:
        if node.kind != "object":
            self.expected("an object", node, path)
        if not node.value:
            self.no(node.at, path, "expected one member, got none")
        key, at, one = node.value[0]
        if key == "$unknown":
            made = self.unknown(kind, one, at, path)
        else:
            found = next((each for each in kind.alternatives if each.json == key), None)
            if found is None:
                self.no(at, path, f"{kind.name} has no alternative {key!r}")
            made = self.payload(found, one, path, depth)
        if len(node.value) > 1:
            self.no(node.value[1][1], path, f"expected one member, got {len(node.value)}")
        return made

    def payload(self, found: Alternative, node: Node, path: Path | None, depth: int) -> Any:
        place = (path, "." + found.name)
        if found.type is None:
            if node.kind != "null":
                self.expected("null", node, place)
            return object.__new__(found.cls)
        value = self.value(found.type, node, place, depth)
        if found.inline:
            return value
        made = object.__new__(found.cls)
        made.value = value
        return made

    def unknown(self, kind: Type, node: Node, at: int, path: Path | None) -> Any:
        """An unknown alternative: its tag and its payload [JSON-4.5]."""
        if kind.closed:
            self.no(at, path, f"{kind.name} is closed")
        if node.kind != "object":
            self.expected("an object", node, path)
        made = object.__new__(kind.cls._alternatives[0])
        found: set[str] = set()
        for key, place, one in node.value:
            if key not in ("tag", "payload") or key in found:
                self.no(place, path, "expected a tag and a payload")
            found.add(key)
            if key == "payload":
                made.payload = self.base64(one, one.at, path)
            else:
                made.tag = self.tag(kind, one, path)
        if len(found) < 2:
            self.no(node.at, path, "expected a tag and a payload")
        return made

    def tag(self, kind: Type, node: Node, path: Path | None) -> int:
        number = _text.read_integer(_TAG, node.value) if node.kind in ("number", "string") else None
        if number is None or number == 0 or any(one.tag == number for one in kind.alternatives):
            self.expected(f"a tag from 1 to 255 that {kind.name} does not have", node, path)
        return number


_TAG = Type("u8")
