"""Tables of Arrow: those of the native engine's columns, and those of decoded values."""

import random

import pyarrow
import pytest
import sdp
from schemas.enums import enums
from schemas.evolution_v1 import evolution as old
from schemas.evolution_v2 import evolution as new
from schemas.maps import maps
from schemas.unions import unions
from test_agreement import COUNT, damaged, refused, types, zero_bytes


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


def grown(kind, r):
    """Bytes that hold values of a type, and bytes near them."""
    corpus = [zero_bytes(kind), bytes(40)]
    for _ in range(100):
        data = damaged(r.choice(corpus), r)
        if len(data) < 200 and not refused(kind, data):
            corpus.append(data)
    return corpus


def test_both_ways_make_the_same_tables():
    r = random.Random(3)
    corpora = [(kind, grown(kind, r), [path for path in paths(kind) if has_table(kind, path)]) for kind in types() if kind.kind != "union"]
    by_columns = rows = 0
    for i in range(COUNT * 2):
        kind, corpus, places = corpora[i % len(corpora)]
        if not places:
            continue
        path, data = r.choice(places), r.choice(corpus)
        data = damaged(data, r) if r.randrange(2) else data
        found, expected = table(kind, data, path), table(kind, data, path, native=False)
        assert repr(found) == repr(expected), (kind.name, path, data.hex())
        if not isinstance(found, str):
            rows += found[1]
            if kind.native is not None:
                by_columns += kind.native.columns(data, 0, len(data), 1000, 1 << 20, 64, path_of(kind, path)) is not None
    assert rows > COUNT // 4
    assert sdp.engine == "python" or by_columns > COUNT // 4


@pytest.mark.skipif(sdp.engine == "python", reason="the engine in Python decodes all")
def test_values_that_are_passed_over_are_checked():
    r = random.Random(4)
    seen = 0
    for kind in types():
        if kind.kind == "union" or kind.native is None or kind.cyclic:
            continue
        simple = [field.name for field in kind.fields if field.segment == 1 and field.type.is_scalar()]
        corpus = grown(kind, r)
        for _ in range(COUNT // 100 if simple else 0):
            data = damaged(r.choice(corpus), r)
            found = kind.native.columns(data, 0, len(data), 10_000_000, 1 << 29, 64, path_of(kind, r.choice(simple)))
            assert found is None or not refused(kind, data), (kind.name, data.hex())
            seen += found is not None
    assert seen > COUNT // 10
    holder = sdp._value.type_of(unions.Holder)  # a byte, an event of a tag, a length and its payload, and a boolean
    cases = {
        "07 03 00000000 01": True, "07 00 00000000 01": False, "07 c8 01000000 00 01": True, "07 03 01000000 01": False,
        "07 0c 06000000 02000000 0102 01": False, "07 0c 08000000 02000000 0102 0202 01": True, "07 0c 08000000 02000000 0102 0102 01": False,
    }  # fmt: skip
    for text, sound in cases.items():
        data = bytes.fromhex(text)
        assert (holder.native.columns(data, 0, len(data), 10, 1000, 64, (0,)) is not None) == sound == (not refused(holder, data))


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


def test_a_null_is_charged_for_the_memory_that_it_takes():
    """A byte of an optional, or an alternative of 5 bytes, may stand for many bytes in other columns."""
    kind = sdp._value.type_of(unions.ManyWide)
    data = unions.ManyWide(v=[unions.WideBig(1)] * 10).encode()
    if kind.native is not None:
        lists = 10 * sdp._reader.element_cost(kind.fields[0].type)
        room = [
            budget for budget in range(lists, lists + 4000) if kind.native.columns(data, 0, len(data), 100, budget, 64, (0,)) is not None
        ]
        assert min(room) > lists + 10 * 24  # three numbers that are not there, ten times
    assert len(sdp.to_arrow(unions.ManyWide, data, "v")) == 10


def test_limits_are_those_of_decoding():
    data = unions.Plugin(name="E" * 100, gain=1.5).encode()
    for limits in (sdp.Limits(memory_bytes=300), sdp.Limits(message_bytes=100), sdp.Limits(depth=0)):
        with pytest.raises(sdp.DecodeError) as decoded:
            unions.Plugin.decode(data, limits=limits)
        with pytest.raises(sdp.DecodeError) as gathered:
            sdp.to_arrow(unions.Plugin, data, limits=limits)
        assert str(gathered.value) == str(decoded.value)


def test_fields_of_a_missing_segment_have_their_defaults():
    for name in set(vars(old)) & set(vars(new)):
        cls = getattr(new, name)
        if isinstance(cls, type) and issubclass(cls, sdp.Message) and has_table(sdp._value.type_of(cls), ""):
            data = zero_bytes(sdp._value.type_of(getattr(old, name)))
            found = table(sdp._value.type_of(cls), data, "")
            assert repr(found) == repr(table(sdp._value.type_of(cls), data, "", native=False))


def test_keys_that_are_there_twice_are_refused():
    kind = sdp._value.type_of(maps.ByU8)
    data = bytearray(maps.ByU8(m={1: 2, 2: 3}).encode())
    found = sdp.to_arrow(maps.ByU8, data, "")
    assert found.to_pylist() == [{"m": [(1, 2), (2, 3)]}]
    again = bytes(data).replace(b"\x02\x03", b"\x01\x03")
    assert again != data
    for path in ("", "m"):
        assert table(kind, again, path) == table(kind, again, path, native=False)
        assert "map_order" in table(kind, again, path)


def test_enums_are_names_and_unions_are_structs():
    value = enums.OpenUnsigned(a=enums.U8.B, b=enums.U16(7), c=enums.U32.A, d=enums.U64.B)
    found = sdp.to_arrow(enums.OpenUnsigned, value.encode())
    assert found.to_pylist() == [{"a": "B", "b": "7", "c": "A", "d": "B"}]
    assert pyarrow.types.is_dictionary(found.schema.field("a").type)
    wide = unions.ManyWide(v=[unions.WideBig(1), unions.WideBigger([1, 2, 3])])
    assert sdp.to_arrow(unions.ManyWide, wide.encode(), "v").to_pylist() == [
        {"v": {"type": "Big", "Big": 1, "Bigger": None}},
        {"v": {"type": "Bigger", "Big": None, "Bigger": [1, 2, 3]}},
    ]
