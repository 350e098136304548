"""Canonical JSON of values, byte for byte (json.md), with the refusals of its section 7."""

from base64 import b64encode

from .decimal_text import is_nan, is_special, parts, write_decimal
from .encode import check_array, check_depth, check_enum, check_time, check_union, refuse
from .json_text import quote
from .shape import (
    Array, Blob, Enum, FLOATS, INTEGERS, List, Map, Message, Optional, Scalar, Struct, Text, Union,
)
from .time_text import write_duration, write_timestamp

QUIET = {"f32": 0x7FC00000, "f64": 0x7FF8000000000000}
"""The NaN that is written without its bits [JSON-2.6]."""


def integer_text(base, number):
    """Write an integer: the 64-bit ones as strings [JSON-2.2]."""
    return f'"{number}"' if INTEGERS[base][0] == 8 else str(number)


def float_text(name, bits):
    """Write a float [JSON-2.4] [JSON-2.5] [JSON-2.6]."""
    if is_nan(name, bits):
        return '"NaN"' if bits == QUIET[name] else f'"NaN:{bits:0{2 * FLOATS[name]}x}"'
    if is_special(name, bits):
        return '"-Infinity"' if parts(name, bits)[0] else '"Infinity"'
    return write_decimal(name, bits)


def uuid_text(value):
    """Write a uuid in lower case, 8-4-4-4-12 [JSON-2.12]."""
    digits = value.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _base64(data):
    return f'"{b64encode(data).decode("ascii")}"'


def _utf8(value, path):
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return refuse("utf8_invalid", path)


def _scalar(shape, value, path, depth):
    name = shape.name
    if name == "bool":
        return "true" if value else "false"
    if name in INTEGERS:
        return integer_text(name, value)
    if name in FLOATS:
        return float_text(name, value)
    if name == "uuid":
        return f'"{uuid_text(value)}"'
    check_time(value, path)
    return f'"{(write_timestamp if name == "timestamp" else write_duration)(value)}"'


def _enum(shape, value, path, depth):
    check_enum(shape, value, path)
    key = shape.key_of(value)
    return integer_text(shape.base, value) if key is None else quote(key)


def _text(shape, value, path, depth):
    return quote(_utf8(value, path))


def _blob(shape, value, path, depth):
    return _base64(value)


def _elements(shape, value, path, depth):
    return "[" + ",".join([_value(shape.element, one, (path, f"[{i}]"), depth) for i, one in enumerate(value)]) + "]"


def _array(shape, value, path, depth):
    check_array(shape, value, path)
    return _elements(shape, value, path, depth)


def _optional(shape, value, path, depth):
    return "null" if value is None else _value(shape.element, value, path, depth)


def map_key(shape, key, path):
    """Give the text of a map's key, before it is quoted [JSON-4.6]."""
    if isinstance(shape, Text):
        return _utf8(key, path)
    if isinstance(shape, Enum):
        check_enum(shape, key, path)
        name = shape.key_of(key)
        return str(key) if name is None else name
    return ("true" if key else "false") if shape.name == "bool" else str(key)


def _map(shape, value, path, depth):
    members = []
    for i, key in enumerate(sorted(value)):
        text = quote(map_key(shape.key, key, (path, f"[{i}].key")))
        members.append(f'{text}:{_value(shape.value, value[key], (path, f"[{i}].value"), depth)}')
    return "{" + ",".join(members) + "}"


def _record(shape, value, path, depth):
    check_depth(path, depth + 1)
    members = [
        f"{quote(one.key)}:{_value(one.shape, value.fields[one.name], (path, '.' + one.name), depth + 1)}"
        for one in shape.fields
    ]
    if isinstance(shape, Message) and shape.keep_unknown and value.tail:
        members.append(f'"$unknown":{_base64(value.tail)}')
    return "{" + ",".join(members) + "}"


def _union(shape, value, path, depth):
    check_depth(path, depth + 1)
    known = check_union(shape, value, path)
    if known is None:
        return f'{{"$unknown":{{"tag":{value.tag},"payload":{_base64(value.payload)}}}}}'
    payload = "null"
    if known.shape is not None:
        payload = _value(known.shape, value.payload, (path, "." + known.name), depth + 1)
    return f"{{{quote(known.key)}:{payload}}}"


_WRITE = {
    Scalar: _scalar, Enum: _enum, Text: _text, Blob: _blob, List: _elements, Array: _array, Optional: _optional,
    Map: _map, Struct: _record, Message: _record, Union: _union,
}


def _value(shape, value, path, depth):
    return _WRITE[type(shape)](shape, value, path, depth)


def write_json(shape, value):
    """Write a value as canonical JSON, in UTF-8 [JSON-1.1]."""
    return _value(shape, value, None, 0).encode("utf-8")
