"""Values as tables of Arrow, by the package ``pyarrow``.

The native engine makes columns of the bytes. Where it does not, they are made of decoded values: both tables are the same.
"""

from __future__ import annotations

import functools
import itertools
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _codec, _native, _walk, _writer
from ._type import CODES, Field, Type
from ._value import Message, Struct, Union, type_of

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

    from ._codec import Buffer, Limits

Column = tuple[int, int, bytes | None, tuple[bytes, ...], tuple[Any, ...]]
"""How many values there are, and nulls among them; which are valid, as bits; buffers; children."""


def to_arrow(cls: type[Struct | Message | Union], data: Buffer, path: str = "", *, limits: Limits | None = None) -> pyarrow.Table:
    """Decodes bytes that hold one value into a table: a row for each value at a path, and a column for each of its fields.

    A path is the names of fields, such as ``plugins.parameters``: all parameters of all plugins. It leads through lists, optionals and
    records, and not through maps and unions. Without a path the value itself is the only row. A row without fields is one column,
    with the name of its field. Raises ``DecodeError`` for the bytes, ``TypeError`` for a type that has no columns since it
    contains itself, and ``LookupError`` for a path that is not there.
    """
    kind = type_of(cls)
    steps, row = _steps(kind, path)
    rows_type = _type(row)
    column = _columns(kind, data, [index for index, _ in steps], limits)
    if column is None:
        value = _codec.decode(kind, data, False, limits)
        column = _column(row, _rows(value, [field.attribute for _, field in steps]))
    rows = _array(row, column)
    if not row.fields:
        return _arrow().table([rows], _arrow().schema([_arrow().field(steps[-1][1].name, rows_type, row.kind == "opt")]))
    return _arrow().Table.from_batches([_arrow().RecordBatch.from_struct_array(rows)], _arrow().schema(list(rows_type)))


@functools.cache
def _arrow() -> Any:
    import pyarrow.compute  # type: ignore[import-not-found, import-untyped, unused-ignore]

    return pyarrow


def _steps(kind: Type, path: str) -> tuple[list[tuple[int, Field]], Type]:
    """The fields of a path, and the type of a row."""
    steps = []
    for name in path.split(".") if path else ():
        kind = _inner(kind)
        found = [(index, field) for index, field in enumerate(kind.fields) if field.name == name]
        if not found:
            names = ", ".join(field.name for field in kind.fields) or "no fields"
            raise LookupError(f"{kind.name or kind.kind} has no field {name!r} for the path {path!r}: it has {names}")
        steps += found
        kind = found[0][1].type
    if steps:
        while kind.kind == "opt":
            kind = kind.element
        if kind.kind in ("list", "array") and not _is_octets(kind):
            kind = kind.element
    if not steps and not kind.fields:
        raise TypeError(f"{kind.name} has no fields, which a row needs")
    return steps, kind


def _inner(kind: Type) -> Type:
    while kind.kind in ("list", "array", "opt"):
        kind = kind.element
    return kind


def _is_octets(kind: Type) -> bool:
    return kind.kind == "array" and kind.element.kind == "u8"


def _columns(kind: Type, data: Buffer, path: list[int], limits: Limits | None) -> Column | None:
    """The rows as a column of the native engine, unless the engine does not take the bytes."""
    limits = limits or _codec.DEFAULTS
    data = _codec.taken(data, limits)
    if kind.native is None or limits.depth > _native.LEVELS or _walk.comes_first(kind, len(data), limits):
        return None
    found: Column | None = kind.native.columns(data, 0, len(data), limits.elements, limits.memory_bytes, limits.depth, tuple(path))
    return found


SIMPLE = {
    "bool": "bool_", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "i8": "int8", "i16": "int16", "i32": "int32",
    "i64": "int64", "f32": "float32", "f64": "float64", "str": "string", "bytes": "binary",
}  # fmt: skip


def _type(kind: Type) -> Any:
    """The type of a column of values."""
    found = kind.cache.get("arrow")
    if found is None:
        found = kind.cache["arrow"] = _new_type(kind)
    return found


def _new_type(kind: Type) -> Any:
    pa = _arrow()
    if kind.cyclic:
        raise TypeError(f"{kind.name} contains itself: there is no table of it")
    if kind.kind in SIMPLE:
        return getattr(pa, SIMPLE[kind.kind])()
    if kind.kind == "timestamp":
        return pa.timestamp("ns", "UTC")
    if kind.kind == "duration":
        return pa.duration("ns")
    if kind.kind == "uuid" or _is_octets(kind):
        return pa.binary(kind.count or kind.width)
    if kind.kind == "enum":
        return pa.dictionary(pa.int32(), pa.string())
    if kind.kind == "opt":
        return _type(kind.element)
    if kind.kind == "list":
        return pa.list_(_item("item", kind.element))
    if kind.kind == "array":
        return pa.list_(_item("item", kind.element), kind.count)
    if kind.kind == "map":
        return pa.map_(_type(kind.key), _item("value", kind.element))
    if kind.kind == "union":
        tag = pa.field("type", pa.dictionary(pa.int16(), pa.string()))
        return pa.struct([tag, *(pa.field(one.name, _type(one.type)) for one in kind.alternatives if one.type is not None)])
    return pa.struct([_item(field.name, field.type) for field in kind.fields])


def _item(name: str, kind: Type) -> Any:
    return _arrow().field(name, _type(kind), kind.kind == "opt")


def _array(kind: Type, column: Column) -> Any:
    """The array of a column of the native engine."""
    pa = _arrow()
    count, nulls, valid, buffers, children = column
    if kind.kind == "opt":
        return _array(kind.element, column)

    def build(dtype: Any, *parts: Any, **options: Any) -> Any:
        return pa.Array.from_buffers(dtype, count, [_buffer(part) for part in (valid, *parts)], nulls, **options)

    if kind.kind == "enum":
        numbers = build(getattr(pa, SIMPLE[kind.base])(), *buffers)
        names = {number: name for name, number, _ in kind.members}
        names |= {number: str(number) for number in numbers.unique().drop_null().to_pylist() if number not in names}
        indexes = pa.compute.index_in(numbers, pa.array(names, numbers.type))
        return pa.DictionaryArray.from_arrays(indexes, pa.array(names.values(), pa.string()))
    if kind.kind == "union":
        ordered = sorted(kind.alternatives, key=lambda one: one.tag)
        tags = pa.Array.from_buffers(pa.int16(), children[0][0], [_buffer(children[0][2]), pa.py_buffer(children[0][3][0])], children[0][1])
        arrays = {one.tag: _array(one.type, child) for one, child in zip(ordered, children[1:], strict=True) if one.type is not None}
        parts = [pa.DictionaryArray.from_arrays(tags, pa.array([one.name for one in ordered], pa.string()))]
        parts += [arrays[one.tag] for one in kind.alternatives if one.type is not None]
        return build(_type(kind), children=parts)
    if kind.kind == "list":
        return build(_type(kind), *buffers, children=[_array(kind.element, children[0])])
    if kind.kind == "array" and not _is_octets(kind):
        return build(_type(kind), children=[_array(kind.element, children[0])])
    if kind.kind == "map":
        entries = pa.StructArray.from_arrays(
            [_array(kind.key, children[0]), _array(kind.element, children[1])],
            fields=[pa.field("key", _type(kind.key), False), _item("value", kind.element)],
        )
        return build(_type(kind), *buffers, children=[entries])
    if kind.fields or kind.kind in ("struct", "message"):
        return build(_type(kind), children=[_array(field.type, child) for field, child in zip(kind.fields, children, strict=True)])
    if kind.kind in ("str", "bytes"):
        return build(_type(kind), *buffers)
    return build(_type(kind), buffers[0])


def _buffer(data: bytes | None) -> Any:
    return None if data is None else _arrow().py_buffer(data)


def _rows(value: Any, path: list[str]) -> list[Any]:
    """The values at a path, which is the names of attributes."""
    values = [value]
    for attribute in path:
        values = [getattr(one, attribute) for one in _flat(values)]
    return [row for one in values for row in (one if isinstance(one, list) and path else [one] if one is not None else [])]


def _flat(values: list[Any]) -> list[Any]:
    """Values without optionals that are missing, and the items of lists in the place of lists."""
    flat: list[Any] = []
    for one in values:
        flat += _flat(one) if isinstance(one, list) else [] if one is None else [one]
    return flat


def _column(kind: Type, values: list[Any], nullable: bool = False) -> Column:
    """The column of decoded values. A value that is missing is a null, or stands in the place of one in a value around it."""
    if kind.kind == "opt":
        return _column(kind.element, values, True)
    nulls = sum(one is None for one in values) if nullable else 0
    valid = _bits([one is not None for one in values]) if nulls else None
    buffers, children = _content(kind, values)
    return len(values), nulls, valid, tuple(buffers), tuple(children)


def _content(kind: Type, values: list[Any]) -> tuple[list[bytes], list[Column | None]]:
    if kind.kind == "bool":
        return [_bits(values)], []
    if kind.kind == "uuid" or _is_octets(kind):
        empty = bytes(kind.count or kind.width)
        return [b"".join(empty if one is None else getattr(one, "bytes", one) for one in values)], []
    if kind.is_scalar():
        return [_writer.numbers(CODES[kind.base or kind.kind], [0 if one is None else one for one in values])], []
    if kind.kind in ("str", "bytes"):
        texts = [b"" if one is None else one.encode() if kind.kind == "str" else one for one in values]
        return [_offsets(texts), b"".join(texts)], []
    if kind.kind == "list":
        lists = [[] if one is None else one for one in values]
        return [_offsets(lists)], [_column(kind.element, [part for one in lists for part in one])]
    if kind.kind == "array":
        arrays = [[None] * kind.count if one is None else one for one in values]
        return [], [_column(kind.element, [part for one in arrays for part in one])]
    if kind.kind == "map":
        maps = [{} if one is None else one for one in values]
        keys, items = [key for one in maps for key in one], [item for one in maps for item in one.values()]
        return [_offsets(maps)], [_column(kind.key, keys), _column(kind.element, items)]
    if kind.kind == "union":
        return [], list(_alternatives(kind, values))
    return [], [_column(field.type, [None if one is None else getattr(one, field.attribute) for one in values]) for field in kind.fields]


def _alternatives(kind: Type, values: list[Any]) -> Iterator[Column | None]:
    """The columns of a union's alternatives, behind that of their indexes by their tags."""
    ordered = sorted(kind.alternatives, key=lambda one: one.tag)
    classes = {one.cls: index for index, one in enumerate(ordered)}
    indexes = [classes.get(type(one)) for one in values]
    tags = array("h", [index or 0 for index in indexes]).tobytes()
    known = [index is not None for index in indexes]
    yield len(values), known.count(False), None if all(known) else _bits(known), (tags,), ()
    for index, one in enumerate(ordered):
        if one.type is None:
            yield None
        else:
            parts = [
                (value if one.inline else value.value) if found == index else None for value, found in zip(values, indexes, strict=True)
            ]
            yield _column(one.type, parts, True)


def _bits(values: list[Any]) -> bytes:
    """Booleans as bits, the first one lowest."""
    return bytes(sum(1 << bit for bit, one in enumerate(values[at : at + 8]) if one) for at in range(0, len(values), 8))


def _offsets(values: list[Any]) -> bytes:
    return _writer.numbers("i", [0, *itertools.accumulate(map(len, values))])
