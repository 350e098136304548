"""Values as programs have them: constructors, comparisons, copies, patterns, and what is refused with which text."""

import copy
import dataclasses
import datetime
import inspect
import io
import os
import pickle
import struct
import typing
import uuid

import pytest
import sdp
from schemas.defaults import defaults
from schemas.framed import framed
from schemas.lists import lists
from schemas.maps import maps
from schemas.messages import messages
from schemas.names import names
from schemas.scalars import scalars
from schemas.texts import texts
from schemas.unions import unions

PLUGIN = unions.Plugin(name="EQ", gain=1.5)


def test_constructors_take_fields_by_name():
    assert (PLUGIN.name, PLUGIN.gain) == ("EQ", 1.5)
    with pytest.raises(TypeError, match="gain"):
        unions.Plugin(name="EQ")
    with pytest.raises(TypeError, match="gian"):
        unions.Plugin(name="EQ", gian=1.5)
    with pytest.raises(TypeError, match="positional"):
        unions.Plugin("EQ", 1.5)
    with pytest.raises(AttributeError):
        copy.copy(PLUGIN).gian = 2.0


def test_later_fields_have_defaults():
    value = defaults.Declared(a=1)
    assert (value.flag, value.small, value.limit, value.text) == (True, 7, 1000, "né\n😀")
    assert value.kind is defaults.Kind.INSTRUMENT
    assert value.id == uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")
    zeros = defaults.Zeros(a=1)
    assert zeros.point == defaults.Point(x=0, y=0, label="")
    assert zeros.list is not defaults.Zeros(a=1).list
    assert defaults.Zeros.decode(b"\x01") == zeros


def test_signatures_are_shown():
    assert str(inspect.signature(unions.Plugin)) == "(*, name, gain)"
    assert str(inspect.signature(unions.EventChanged)) == "(id, ok)"
    hints = typing.get_type_hints(unions.Plugin)
    assert (hints["name"], hints["gain"]) == (str, float)


def test_representation():
    assert repr(PLUGIN) == "Plugin(name='EQ', gain=1.5)"
    assert repr(unions.EventLoaded(PLUGIN)) == "EventLoaded(value=Plugin(name='EQ', gain=1.5))"
    kept = messages.Kept.decode(b"\x01\x02\x03")
    assert repr(kept) == "Kept(a=1, b=2, _unknown=b'\\x03')"


def test_values_are_equal_if_their_bytes_are():
    assert unions.Plugin(name="EQ", gain=1.5) == PLUGIN
    assert unions.Plugin(name="EQ", gain=2.5) != PLUGIN
    assert PLUGIN != ("EQ", 1.5)
    nan = float("nan")
    assert scalars.Floats(single=nan, double=nan) == scalars.Floats(single=nan, double=nan)
    assert scalars.Floats(single=0.0, double=0.0) != scalars.Floats(single=-0.0, double=0.0)
    assert messages.Kept.decode(b"\x01\x02\x03") != messages.Kept.decode(b"\x01\x02")
    with pytest.raises(TypeError):
        hash(PLUGIN)


def test_copies():
    event = unions.EventLoaded(PLUGIN)
    for other in (copy.deepcopy(event), pickle.loads(pickle.dumps(event))):
        assert other == event
        assert other.value is not PLUGIN
    assert copy.copy(event).value is PLUGIN
    assert PLUGIN.replace(gain=2.0) == unions.Plugin(name="EQ", gain=2.0)
    with pytest.raises(TypeError, match="gian"):
        PLUGIN.replace(gian=2.0)
    kept = messages.Kept.decode(b"\x01\x02\x03")
    assert kept.replace(a=9).encode() == b"\x09\x02\x03"


def test_dataclasses_know_the_fields():
    assert dataclasses.is_dataclass(PLUGIN)
    assert [field.name for field in dataclasses.fields(unions.Plugin)] == ["name", "gain"]
    assert dataclasses.asdict(unions.EventLoaded(PLUGIN)) == {"value": {"name": "EQ", "gain": 1.5}}
    assert dataclasses.replace(PLUGIN, gain=2.0).gain == 2.0
    assert unions.Many(events=[unions.EventLoaded(PLUGIN)]).to_dict() == {"events": [{"value": {"name": "EQ", "gain": 1.5}}]}


def described(event):
    """A text of an event, by patterns."""
    match event:
        case unions.EventLoaded(unions.Plugin(name=name)):
            return f"loaded {name}"
        case unions.Event.Changed(identity, ok=True):
            return f"changed {identity}"
        case unions.EventStopped():
            return "stopped"
        case sdp.Unknown(tag=tag):
            return f"unknown {tag}"
    return "another"


def test_unions_match():
    assert described(unions.EventLoaded(PLUGIN)) == "loaded EQ"
    assert described(unions.EventChanged(7, True)) == "changed 7"
    assert described(unions.EventChanged(7, False)) == "another"
    assert described(unions.Event.Stopped()) == "stopped"
    assert described(unions.Event.decode(b"\x32\x01\x00\x00\x00a")) == "unknown 50"
    assert isinstance(unions.EventStopped(), unions.Event)
    with pytest.raises(TypeError, match="alternatives"):
        unions.Event()
    with pytest.raises(TypeError, match="decode Event"):
        unions.EventLoaded.decode(unions.EventStopped().encode())


def test_enums():
    assert maps.Color.GREEN == 2
    assert maps.Color(2) is maps.Color.GREEN
    unknown = maps.Color(77)
    assert (unknown.value, unknown.is_known, maps.Color.RED.is_known) == (77, False, True)
    assert pickle.loads(pickle.dumps(unknown)) == unknown
    assert copy.deepcopy(unknown) == unknown
    with pytest.raises(ValueError, match="77"):
        maps.Gate(77)
    assert maps.ByColor.decode(maps.ByColor(m={unknown: 1}).encode()).m == {77: 1}


def test_times():
    moment = datetime.datetime(2026, 11, 21, 3, 26, 0, 500_000, tzinfo=datetime.UTC)
    at = sdp.Timestamp.from_datetime(moment)
    assert at == 1_795_231_560_500_000_000
    assert at.to_datetime() == moment
    took = sdp.Duration.from_timedelta(datetime.timedelta(milliseconds=-1500))
    assert took.to_timedelta() == datetime.timedelta(milliseconds=-1500)
    value = scalars.Times(at=at, took=took)
    assert value.to_json() == '{"at":"2026-11-21T03:26:00.5Z","took":"-1.5s"}'
    assert scalars.Times.from_json(value.to_json()) == value
    assert repr(scalars.Times.decode(value.encode()).at) == "Timestamp(1795231560500000000)"
    with pytest.raises(ValueError, match="time zone"):
        sdp.Timestamp.from_datetime(datetime.datetime(2026, 11, 21))


def test_names_that_python_keeps_for_itself():
    fields = {name: 1 for name in inspect.signature(names.Words).parameters}
    assert {"class_", "import_", "self", "none"} <= set(fields)
    value = names.Words(**fields)
    assert names.Words.decode(value.encode()) == value
    assert names.Words.from_json(value.to_json()) == value


INTEGERS = {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1}

WRONG = [
    (lambda: scalars.Integers(**{**INTEGERS, "a": 256}), "value_invalid in a: expected an int from 0 to 255, got int 256"),
    (
        lambda: scalars.Integers(**{**INTEGERS, "h": 1 << 63}),
        "value_invalid in h: expected an int from -9223372036854775808 to 9223372036854775807",
    ),
    (lambda: scalars.Integers(**{**INTEGERS, "c": 1.5}), "value_invalid in c: expected an int from 0 to 65535, got float 1.5"),
    (lambda: scalars.Integers(**{**INTEGERS, "c": None}), "value_invalid in c: expected an int from 0 to 65535, got NoneType None"),
    (lambda: scalars.Flags(first=True, second="yes"), "value_invalid in second: expected a bool, got str 'yes'"),
    (lambda: scalars.Floats(single=1e300, double=0.0), "value_invalid in single: expected a float of 4 bytes, got float 1e+300"),
    (lambda: scalars.Floats(single="1", double=0.0), "value_invalid in single: expected a float of 4 bytes, got str '1'"),
    (lambda: scalars.Ident(kind=1, id="00112233"), "value_invalid in id: expected a UUID, got str '00112233'"),
    (lambda: unions.Plugin(name=b"EQ", gain=1), "value_invalid in name: expected a str, got bytes b'EQ'"),
    (lambda: unions.Plugin(name="x" * 256, gain=1), "value_too_large in name: expected 255 bytes at most, got 256"),
    (
        lambda: unions.Plugin(name="a\ud800", gain=1),
        "utf8_invalid in name: expected a str without half a surrogate pair, which there is at 1",
    ),
    (lambda: unions.Holder(before=1, event=PLUGIN, after=True), "value_invalid in event: expected an alternative of Event, got Plugin"),
    (lambda: unions.Many(events=PLUGIN), "value_invalid in events: expected a list, got Plugin"),
    (lambda: unions.Many(events="abc"), "value_invalid in events: expected a list, got str 'abc'"),
    (lambda: unions.Many(events={}), "value_invalid in events: expected a list, got dict {}"),
    (lambda: unions.EventArray(b"abc"), "value_invalid in Array: expected 2 bytes, got bytes b'abc'"),
    (lambda: unions.EventUnknown(1, b""), "value_invalid: expected a tag from 1 to 255 that Event does not have, got int 1"),
    (lambda: unions.EventUnknown(77, "x"), "value_invalid: expected bytes as payload, got str 'x'"),
    (lambda: lists.Floats(v=[0.5, 1e300]), "value_invalid in v[1]: expected a float of 4 bytes, got float 1e+300"),
    (lambda: maps.ByU8(m=[1]), "value_invalid in m: expected a dict, got list [1]"),
    (lambda: maps.ByU8(m={1: 1, "b": 2}), "value_invalid in m[1].key: expected an int from 0 to 255, got str 'b'"),
    (lambda: maps.Bounded(m={1: 1, 2: 2, 3: 3}), "limit_max in m: expected 2 entries at most, got 3"),
    (lambda: maps.ByGate(m={12: 1}), "value_invalid in m[0].key: expected a member of Gate, got int 12"),
    (lambda: messages.Holder(before=1, inner=None, after=2), "value_invalid in inner: expected a Grown, got NoneType None"),
]


@pytest.mark.parametrize(("make", "text"), WRONG)
def test_wrong_values_are_named(make, text):
    value = make()
    for encode in (value.encode, value.validate):
        with pytest.raises(sdp.EncodeError) as found:
            encode()
        assert str(found.value).startswith(text)
        assert found.value.offset == -1


def test_a_field_that_is_not_set_is_named():
    value = object.__new__(unions.Plugin)
    value.name = "EQ"
    with pytest.raises(sdp.EncodeError, match="value_invalid in gain: expected a float of 4 bytes, got nothing"):
        value.encode()
    assert repr(value) == "Plugin(name='EQ', gain='<unset>')"


def test_wrong_bytes_are_named():
    with pytest.raises(sdp.DecodeError) as found:
        unions.Plugin.decode(b"\x02E")
    assert (found.value.code, found.value.offset, found.value.path) == ("length_exceeds_input", 0, "name")
    assert str(found.value) == "length_exceeds_input at byte 0 in name: expected 2 bytes, 1 are left"
    assert isinstance(found.value, ValueError)
    assert pickle.loads(pickle.dumps(found.value)).path == "name"


def test_other_values_that_can_stand_for_one():
    assert unions.EventList((1, 2)).encode() == unions.EventList([1, 2]).encode()
    assert maps.ByU8(m={2: 1, 1: 2}).encode() == maps.ByU8(m={1: 2, 2: 1}).encode() == b"\x02\x00\x00\x00\x01\x02\x02\x01"
    assert maps.ByU8(m={2: 1, 1: 2}).to_json() == '{"m":{"1":2,"2":1}}'
    assert unions.EventArray([1, 2]).encode() == unions.EventArray(b"\x01\x02").encode()
    assert scalars.Flags(first=1, second=0).encode() == b"\x01\x00"
    assert scalars.Floats(single=1, double=2).encode() == scalars.Floats(single=1.0, double=2.0).encode()
    for data in (bytearray(b"\x02EQ\x00\x00\xc0\x3f"), memoryview(b"\x02EQ\x00\x00\xc0\x3f")):
        assert unions.Plugin.decode(data) == PLUGIN


def test_every_nan_keeps_its_bits():
    for bits in (0x7FC00000, 0x7F800001, 0xFFC12345, 0x7FFFFFFF):
        data = struct.pack("<IQ", bits, bits << 32 | 1 | 0x7FF << 52)
        assert scalars.Floats.decode(data).encode() == data
        assert scalars.Floats.from_json(scalars.Floats.decode(data).to_json()).encode() == data


def test_buffers_of_fixed_size():
    buffer = bytearray(9)
    assert PLUGIN.encode_into(buffer) == 7
    assert buffer[:7] == PLUGIN.encode()
    with pytest.raises(sdp.EncodeError, match="buffer_too_small: expected room for 7 bytes, got 6"):
        PLUGIN.encode_into(bytearray(6))


def test_limits():
    many = unions.Many(events=[unions.EventStopped()] * 3)
    assert unions.Many.decode(many.encode(), limits=sdp.Limits(elements=3)) == many
    with pytest.raises(sdp.DecodeError, match="limit_elements"):
        unions.Many.decode(many.encode(), limits=sdp.Limits(elements=2))
    with pytest.raises(sdp.DecodeError, match="limit_memory_bytes"):
        unions.Many.decode(many.encode(), limits=sdp.Limits(memory_bytes=200))
    deep = unions.EventStopped()
    for _ in range(63):
        deep = unions.EventOther(deep)
    assert unions.Event.decode(deep.encode()) == deep
    with pytest.raises(sdp.EncodeError, match="limit_depth"):
        unions.EventOther(deep).encode()


def test_depth_beyond_the_stack_is_a_refusal():
    data = b""
    for _ in range(20_000):
        data = b"\xff" + struct.pack("<I", len(data)) + data
    with pytest.raises(sdp.DecodeError, match="limit_depth"):
        unions.Event.decode(data)
    with pytest.raises(sdp.DecodeError, match="limit_depth"):
        unions.Event.decode(data, limits=sdp.Limits(depth=100_000))


def test_streams():
    messages_ = [framed.EventStopped(), framed.Last()]
    data = b"".join(one.encode_message() for one in messages_)
    assert list(sdp.read_messages(io.BytesIO(data), framed)) == messages_
    reader = sdp.read_messages(io.BytesIO(data[:-1]), framed)
    assert next(reader) == messages_[0]
    for _ in range(2):
        with pytest.raises(sdp.DecodeError, match="truncated"):
            next(reader)
    assert sdp.decode_message(data[: len(messages_[0].encode_message())], framed) == messages_[0]
    with pytest.raises(TypeError, match="@id"):
        PLUGIN.encode_message()


def test_preambles():
    preamble = framed.Point.encode_preamble()
    point = framed.Point(x=1, y=2)
    assert list(sdp.read_messages([preamble, point.encode_message()], framed)) == [point]
    other = preamble.replace(b" y u8", b" y i8")
    with pytest.raises(sdp.DecodeError, match=r"layout_mismatch at byte 10 in framed\.Point\.y: here u8, there i8"):
        next(sdp.read_messages([other, point.encode_message()], framed))
    with pytest.raises(sdp.DecodeError, match="version_unsupported"):
        sdp.decode_message(preamble, framed)


def test_prefixes():
    two = PLUGIN.encode() * 2
    first, used = unions.Plugin.decode_prefix(two)
    assert unions.Plugin.decode_prefix(two[used:]) == (first, used)
    with pytest.raises(sdp.DecodeError, match="trailing_bytes at byte 7"):
        unions.Plugin.decode(two)


def test_json():
    text = unions.EventLoaded(PLUGIN).to_json()
    assert text == '{"Loaded":{"name":"EQ","gain":1.5}}'
    assert unions.Event.from_json(text.encode()) == unions.EventLoaded(PLUGIN)
    with pytest.raises(sdp.JSONError) as found:
        unions.Event.from_json('{"Loaded":{"name":"EQ","gain":true}}')
    assert str(found.value) == "json_invalid at byte 30 in Loaded.gain: expected a number of f32, got true"
    with pytest.raises(sdp.JSONError, match="json_invalid at byte 2"):
        texts.Text.from_json('{"\ud800"}')


def test_the_runtime_says_what_it_is():
    assert sdp.engine == os.environ["SDP_ENGINE"]
    assert unions.package.source != 0
