"""Reading of values from JSON, from left to right (json.md) [JSON-6.1]."""

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error

from .decimal_text import infinity, is_nan, read_decimal
from .json_text import parse
from .missing import missing_value
from .refusal import DEFAULTS, Refusal
from .shape import (
    Array, Blob, Enum, FLOATS, INTEGERS, List, Map, Message, Optional, Scalar, Struct, Text, Union, integer_range,
)
from .time_text import read_duration, read_timestamp
from .value import Chosen, Record, Unknown

UNKNOWN = "$unknown"

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NAN = {"f32": re.compile(r"NaN:([0-9a-f]{8})"), "f64": re.compile(r"NaN:([0-9a-f]{16})")}


def _refuse(path, at):
    raise Refusal("json_invalid", at, path)


def _kind(node, kind, path):
    if node.kind != kind:
        _refuse(path, node.at)
    return node.content


def read_integer(base, text):
    """Give the integer that a number or string spells, or None for what is refused [JSON-2.3]."""
    if len(text) > 20 or _INTEGER.fullmatch(text) is None:
        return None
    low, high = integer_range(base)
    number = int(text)
    return number if low <= number <= high else None


def read_float(name, node):
    """Give the bits of a float, or None for what is refused [JSON-2.5] [JSON-2.6] [JSON-2.7]."""
    if node.kind == "number":
        return read_decimal(name, node.content)
    if node.kind != "string":
        return None
    text = node.content
    if text in ("Infinity", "-Infinity"):
        return infinity(name, text.startswith("-"))
    if text == "NaN":
        return {"f32": 0x7FC00000, "f64": 0x7FF8000000000000}[name]
    found = _NAN[name].fullmatch(text)
    if found is None:
        return None
    bits = int(found[1], 16)
    return bits if is_nan(name, bits) else None


def read_uuid(text):
    """Give the bytes of a uuid, or None [JSON-2.12]."""
    return bytes.fromhex(text.replace("-", "")) if _UUID.fullmatch(text) else None


def _base64(text):
    """Give the bytes of padded base64 in its one canonical form, or None [JSON-3.2]."""
    try:
        data = b64decode(text, validate=True)
    except (Base64Error, ValueError):
        return None
    return data if b64encode(data).decode("ascii") == text else None


def _scalar(shape, node, path, depth):
    name = shape.name
    value = None
    if name == "bool":
        return _kind(node, "bool", path)
    if name in INTEGERS:
        if node.kind in ("number", "string"):
            value = read_integer(name, node.content)
    elif name in FLOATS:
        value = read_float(name, node)
    else:
        read = {"uuid": read_uuid, "timestamp": read_timestamp, "duration": read_duration}[name]
        value = read(_kind(node, "string", path))
    return _refuse(path, node.at) if value is None else value


def _enum_number(shape, text, named):
    """Give the number of a member's name (where ``named``) or of an integer, or None [JSON-2.14]."""
    if named:
        number = shape.number_of(text)
        if number is not None:
            return number
    number = read_integer(shape.base, text)
    if number is not None and shape.closed and number not in shape.members.values():
        return None
    return number


def _enum(shape, node, path, depth):
    number = None
    if node.kind in ("number", "string"):
        number = _enum_number(shape, node.content, node.kind == "string")
    return _refuse(path, node.at) if number is None else number


def _text(shape, node, path, depth):
    return _kind(node, "string", path).encode("utf-8")


def _blob(shape, node, path, depth):
    data = _base64(_kind(node, "string", path))
    return _refuse(path, node.at) if data is None else data


def _list(shape, node, path, depth):
    content = _kind(node, "array", path)
    return [_value(shape.element, one, (path, f"[{i}]"), depth) for i, one in enumerate(content)]


def _array(shape, node, path, depth):
    values = []
    for i, one in enumerate(_kind(node, "array", path)):
        if i == shape.count:
            _refuse((path, f"[{i}]"), one.at)
        values.append(_value(shape.element, one, (path, f"[{i}]"), depth))
    if len(values) < shape.count:
        _refuse(path, node.at)
    return values


def _optional(shape, node, path, depth):
    return None if node.kind == "null" else _value(shape.element, node, path, depth)


def _map_key(shape, text):
    if isinstance(shape, Text):
        return text.encode("utf-8")
    if isinstance(shape, Enum):
        return _enum_number(shape, text, True)
    if shape.name == "bool":
        return {"true": True, "false": False}.get(text)
    return read_integer(shape.name, text)


def _map(shape, node, path, depth):
    entries = {}
    for i, (text, at, one) in enumerate(_kind(node, "object", path)):
        key = _map_key(shape.key, text)
        if key is None or key in entries:
            _refuse((path, f"[{i}].key"), at)
        entries[key] = _value(shape.value, one, (path, f"[{i}].value"), depth)
    return entries


def _check_depth(node, path, depth):
    if depth > DEFAULTS["depth"]:
        _refuse(path, node.at)


def _record(shape, node, path, depth):
    """Read a struct, message or inline alternative [JSON-4.1] [JSON-5.1] to [JSON-5.4]."""
    depth += 1
    _check_depth(node, path, depth)
    message = isinstance(shape, Message)
    keys = {one.key: one for one in shape.fields}
    read = {}
    tail = None
    for key, at, one in _kind(node, "object", path):
        if key == UNKNOWN and message and shape.keep_unknown:
            if tail is not None:
                _refuse(path, at)
            tail = _base64(_kind(one, "string", path))
            if tail is None:
                _refuse(path, one.at)
        elif key not in keys:
            if not message:
                _refuse(path, at)
        else:
            field = keys[key]
            if field.name in read:
                _refuse((path, "." + field.name), at)
            read[field.name] = _value(field.shape, one, (path, "." + field.name), depth)
    return Record({one.name: _field(one, read, node, path) for one in shape.fields}, tail or b"")


def _field(field, read, node, path):
    """Give the field as it was read, or what a missing member stands for [JSON-5.2]."""
    if field.name in read:
        return read[field.name]
    if field.segment > 1:
        return missing_value(field)
    if not isinstance(field.shape, Optional):
        _refuse((path, "." + field.name), node.at)
    return None


def _union(shape, node, path, depth):
    """Read a union: an object with one member [JSON-4.3]."""
    depth += 1
    _check_depth(node, path, depth)
    members = _kind(node, "object", path)
    if not members:
        _refuse(path, node.at)
    key, at, one = members[0]
    if key == UNKNOWN and not shape.closed:
        value = _unknown(shape, one, path)
    else:
        known = next((known for known in shape.alternatives if known.key == key), None)
        if known is None:
            _refuse(path, at)
        inside = path, "." + known.name
        if known.shape is None:
            value = Chosen(known.name, _kind(one, "null", inside))
        else:
            value = Chosen(known.name, _value(known.shape, one, inside, depth))
    if len(members) > 1:
        _refuse(path, members[1][1])
    return value


def _unknown(shape, node, path):
    """Read the content of ``$unknown``; every refusal in it has the union's path [JSON-4.5] [JSON-6.3]."""
    read = {}
    for key, at, one in _kind(node, "object", path):
        if key not in ("tag", "payload") or key in read:
            _refuse(path, at)
        if key == "tag":
            number = read_integer("u8", one.content) if one.kind in ("number", "string") else None
            if not number or shape.by_tag(number) is not None:
                _refuse(path, one.at)
            read[key] = number
        else:
            read[key] = _base64(_kind(one, "string", path))
            if read[key] is None:
                _refuse(path, one.at)
    if len(read) < 2:
        _refuse(path, node.at)
    return Unknown(read["tag"], read["payload"])


_READ = {
    Scalar: _scalar, Enum: _enum, Text: _text, Blob: _blob, List: _list, Array: _array, Optional: _optional,
    Map: _map, Struct: _record, Message: _record, Union: _union,
}


def _value(shape, node, path, depth):
    return _READ[type(shape)](shape, node, path, depth)


def read_json(shape, data):
    """Read a value of a type from a JSON text, given as bytes [JSON-1.2] [JSON-6.1]."""
    return _value(shape, parse(data), None, 0)
