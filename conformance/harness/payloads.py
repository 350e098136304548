"""Payloads of MXP's own frames: from what a case says to bytes, by the reference, spec/mxp.sdp and spec/registry.sdp.

A value of a case is JSON, with bytes in hexadecimal, and what is not there is zero.
"""

from conformance.reference.decode import decode_prefix
from conformance.reference.encode import encode
from conformance.reference.missing import missing_value
from conformance.reference.refusal import Refusal
from conformance.reference.schema import load_schema
from conformance.reference.shape import Array, Blob, Enum, List, Message, Optional, Scalar, Struct, Text
from conformance.reference.value import Record

from .cases import Malformed, expand
from .runners import ROOT
from .session_words import whole_text

_SCHEMAS = [load_schema(ROOT / "spec" / name) for name in ("mxp.sdp", "registry.sdp")]


def _shape(name):
    """Give the type of MXP's own of this name."""
    return next(schema.type_named(name) for schema in _SCHEMAS if name in schema.shapes)


def _value(shape, tree):
    """Give the value that a tree of JSON stands for."""
    if isinstance(shape, (Struct, Message)):
        unknown = set(tree) - {one.name for one in shape.fields}
        if unknown:
            raise Malformed(f"{shape.name} has no {sorted(unknown)}")
        return Record({
            one.name: _value(one.shape, tree[one.name]) if one.name in tree else missing_value(one) for one in shape.fields
        })
    if isinstance(shape, Optional):
        return None if tree is None else _value(shape.element, tree)
    if isinstance(shape, Array) and isinstance(tree, str):
        return list(bytes.fromhex(tree))
    if isinstance(shape, (List, Array)):
        return [_value(shape.element, one) for one in tree]
    if isinstance(shape, Text):
        return whole_text(tree).encode("utf-8")
    if isinstance(shape, Blob):
        return expand([tree])
    if isinstance(shape, Enum) and isinstance(tree, str):
        return shape.number_of(tree)
    if isinstance(shape, (Scalar, Enum)):
        return tree
    raise Malformed(f"no value of {shape} is written in a case")


def part_bytes(part):
    """Give the bytes of a part of a payload: ``{"TYPE": value}``, ``{"records": values}``, hexadecimal, or hexadecimal repeated."""
    if isinstance(part, dict) and "records" in part:
        return b"".join(record_bytes(expand([one])) for one in part["records"])
    if isinstance(part, dict) and "repeat" not in part:
        (name, tree), = part.items()
        shape = _shape(name)
        return encode(shape, _value(shape, tree))
    return expand([part])


def record_bytes(value):
    """Give the bytes of a record [MXP-17.3]."""
    return len(value).to_bytes(2, "little") + value


def payload_bytes(parts):
    """Give the bytes of a payload."""
    return b"".join(map(part_bytes, parts))


def _tree(value):
    """Give a tree that shows a value."""
    if isinstance(value, Record):
        return {name: _tree(one) for name, one in value.fields.items()}
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return [_tree(one) for one in value] if isinstance(value, list) else value


def decoded_start(name, payload):
    """Give the value that a payload begins with, as a tree, and what follows it."""
    value, used = decode_prefix(_shape(name), payload)
    return _tree(value), payload[used:]


def show(payload, types):
    """Show a payload as the first of the types that it begins with, for a message to people."""
    for name in types:
        try:
            value, used = decode_prefix(_shape(name), payload)
        except Refusal:
            continue
        return f"{name} {_tree(value)} {payload[used:].hex()}"
    return payload.hex()
