"""Tables of Arrow: those of the native engine's columns, and those of decoded values."""

import random

import pyarrow
import pytest
import sdp
from schemas.evolution_v1 import evolution as old
from schemas.evolution_v2 import evolution as new
from schemas.unions import unions
from test_agreement import COUNT, damaged, types, zero_bytes


def table(kind, data, path, native=True):
    """The table, or the refusal."""
    functions = kind.native
    if not native:
        kind.native = None
    try:
        found = sdp.to_arrow(kind.cls, data, path)
        found.validate(full=True)
        return found.schema, found.num_rows, [plain(part) for column in found.columns for part in column.chunks]
    except sdp.DecodeError as error:
        return str(error)
    finally:
        kind.native = functions


def plain(array):
    """The values of an array, times as numbers: Python's own hold no nanoseconds."""
    kind = array.type
    if pyarrow.types.is_temporal(kind):
        return array.view(pyarrow.int64()).to_pylist()
    if pyarrow.types.is_struct(kind):
        return [array.is_valid().to_pylist(), *(plain(part) for part in array.flatten())]
    if pyarrow.types.is_nested(kind):
        return [plain(part.values) if part.is_valid else None for part in array]
    return array.to_pylist()


def paths(kind):
    yield ""
    for field in kind.fields:
        yield field.name
        inner = field.type
        while inner.kind in ("list", "array", "opt"):
            inner = inner.element
        for deeper in inner.fields:
            yield f"{field.name}.{deeper.name}"


def has_table(kind, path):
    try:
        sdp.to_arrow(kind.cls, zero_bytes(kind), path)
    except TypeError as error:
        assert "contains itself" in str(error) or "no fields" in str(error)
        return False
    except sdp.DecodeError:
        pass
    return True


def test_both_ways_make_the_same_tables():
    r = random.Random(3)
    places = [(kind, path, [zero_bytes(kind)]) for kind in types() if kind.kind != "union" for path in paths(kind) if has_table(kind, path)]
    assert len(places) > 300
    by_columns = rows = 0
    for i in range(COUNT):
        kind, path, corpus = places[i % len(places)]
        data = damaged(r.choice(corpus), r)
        found, expected = table(kind, data, path), table(kind, data, path, native=False)
        assert repr(found) == repr(expected), (kind.name, path, data.hex())
        if not isinstance(found, str):
            rows += found[1]
            if kind.native is not None:
                by_columns += kind.native.columns(data, 0, len(data), 1000, 1 << 20, 64, path_of(kind, path)) is not None
            if len(corpus) < 20 and len(data) < 200:
                corpus.append(data)
    assert rows > COUNT // 20
    assert sdp.engine == "python" or by_columns > COUNT // 20


def path_of(kind, path):
    return tuple(index for index, _ in sdp._arrow._steps(kind, path)[0])


def test_rows_are_found_by_a_path():
    with pytest.raises(LookupError) as found:
        sdp.to_arrow(unions.Plugin, b"", "nam")
    assert str(found.value) == "unions.Plugin has no field 'nam' for the path 'nam': it has name, gain"
    with pytest.raises(TypeError):
        sdp.to_arrow(unions.Event, b"", "")
    with pytest.raises(sdp.DecodeError) as refused:
        sdp.to_arrow(unions.Plugin, b"\x02\x00\x00")
    assert str(refused.value).startswith("truncated at byte 3 in gain")
    assert sdp.to_arrow(unions.Plugin, unions.Plugin(name="EQ", gain=1.5).encode()).to_pylist() == [{"name": "EQ", "gain": 1.5}]


def test_a_bit_does_not_stand_for_more_memory_than_the_budget():
    """Nulls take room in every column: 5 bytes of an alternative may stand for much."""
    for kind in types():
        if kind.native is None or kind.kind == "union":
            continue
        for path in paths(kind):
            if has_table(kind, path):
                data = zero_bytes(kind)
                assert kind.native.columns(data, 0, len(data), 0, 0, 64, path_of(kind, path)) is None or table(kind, data, path)


def test_fields_of_a_missing_segment_have_their_defaults():
    for name in set(vars(old)) & set(vars(new)):
        cls = getattr(new, name)
        if isinstance(cls, type) and issubclass(cls, sdp.Message) and has_table(sdp._value.type_of(cls), ""):
            data = zero_bytes(sdp._value.type_of(getattr(old, name)))
            found = table(sdp._value.type_of(cls), data, "")
            assert repr(found) == repr(table(sdp._value.type_of(cls), data, "", native=False))


def test_names_of_enums_are_a_dictionary():
    assert pyarrow.types.is_dictionary(sdp._arrow._type(next(kind for kind in _enums())))


def _enums():
    for kind in types():
        for field in kind.fields:
            if field.type.kind == "enum":
                yield field.type
