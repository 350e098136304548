"""The native engine against the one in Python, and what it does with memory.

The gate does the same each time; SDP_TEST_COUNT and SDP_TEST_SEED do more, and other damage.
"""

import gc
import os
import random
import shutil
import struct
import subprocess
import sys
import uuid

import pytest
import sdp
from schemas.enums import enums
from schemas.maps import maps
from schemas.scalars import scalars
from schemas.unions import unions
from sdp import _codec, _walk, _writer
from sdp._package import zero
from test_agreement import COUNT, LIKELY, can_be_zero, damaged, fast, refused, types, wrong, zero_bytes

if sdp.engine != "native":
    pytest.skip("the engine is the one in Python", allow_module_level=True)

import serial_data_protocol_native

SEED = int(os.environ.get("SDP_TEST_SEED", "1"))


def python_encode(kind, value):
    """The bytes that the writer in Python makes of a value; None for a refusal."""
    out = []
    try:
        (kind.cache.get("write") or _writer.make(kind))(value, out.append, 1)
    except _codec.NO:
        return None
    return b"".join(out)


def accepted(kind, r):
    """Bytes that hold values of a type, grown from small ones by damage."""
    corpus = [data for data in (zero_bytes(kind), bytes(8), bytes(40)) if not refused(kind, data)]
    for _ in range(200):
        data = damaged(r.choice(corpus or [zero_bytes(kind)]), r)
        if len(data) < 200 and not refused(kind, data):
            corpus.append(data)
    return corpus


def test_every_type_has_functions():
    assert all(kind.native is not None for kind in types() if kind.height <= _codec.DEFAULTS.depth)


def test_damaged_bytes():
    r = random.Random(SEED)
    corpora = [(kind, [zero_bytes(kind), bytes(40)]) for kind in types() if kind.native is not None]
    values = 0
    for _ in range(COUNT * 10):
        kind, corpus = r.choice(corpora)
        data = damaged(r.choice(corpus), r)
        value = kind.native.decode(data)
        assert (value is None) == refused(kind, data), (kind.name, data.hex())
        if value is not None:
            values += 1
            expected = fast(kind, data)
            assert type(value) is type(expected)
            assert repr(value) == repr(expected), (kind.name, data.hex())
            assert kind.native.encode(value) == python_encode(kind, expected), (kind.name, data.hex())
            if len(corpus) < 30 and len(data) < 200:
                corpus.append(data)
    assert values > COUNT // 2


def test_windows_and_budgets():
    r = random.Random(SEED)
    for kind in types():
        if kind.native is None:
            continue
        data = zero_bytes(kind)
        if refused(kind, data):
            continue
        value = kind.native.decode(data)
        for _ in range(20):
            before, behind = r.randbytes(r.randrange(5)), r.randbytes(r.randrange(5))
            found = kind.native.decode_window(before + data + behind, len(before), len(before) + len(data), 10_000, 1 << 20, 64)
            assert found == (value, len(before) + len(data))
        end = len(data)
        for arguments in ((0, end + 1), (end + 1, end), (-1, end), (0, 1 << 70), (0.0, end), (None, end)):
            assert kind.native.decode_window(data, *arguments, 1, 1, 1) is None
        assert kind.native.decode_window(data, 0, end, 10_000, 1 << 20, 0) is None
        assert kind.native.decode_window(data, 0, end) is None
        for wrong_data in (None, bytearray(data), memoryview(data), "x", 1, [data]):
            assert kind.native.decode(wrong_data) is None


def test_budgets_end_where_the_walk_says():
    r = random.Random(SEED)
    corpora = [(kind, found) for kind in types() if kind.native is not None for found in [accepted(kind, r)] if found]
    refusals = set()
    for _ in range(COUNT):
        kind, corpus = r.choice(corpora)
        data = r.choice(corpus)
        limits = sdp.Limits(elements=r.randrange(12), memory_bytes=r.randrange(1200), depth=r.randrange(1, 8))
        if kind.height > limits.depth:
            continue
        try:  # without what texts are charged for, which happens before an engine is asked
            _walk._Walk(data, 0, len(data), limits, False, False).top(kind, False)
            code = ""
        except sdp.DecodeError as error:
            code = error.code
        refusals.add(code)
        found = kind.native.decode_window(data, 0, len(data), limits.elements, limits.memory_bytes, limits.depth)
        assert (found is None) == bool(code), (kind.name, data.hex(), limits, code)
    assert refusals >= {"", "limit_elements", "limit_memory_bytes", "limit_depth"}


def test_alternatives_without_a_name_have_no_tag_of_another():
    kind = sdp._value.type_of(unions.Event)
    for tag in (0, *(part.tag for part in kind.alternatives), 256, -1, 1 << 70, "x", None, 200.0):
        value = unions.EventUnknown(tag=tag, payload=b"ab")
        assert kind.native.encode(value) is None, tag
        with pytest.raises(sdp.EncodeError):
            value.encode()
    assert kind.native.encode(unions.EventUnknown(tag=200, payload=b"ab")) == b"\xc8\x02\0\0\0ab"
    assert kind.native.encode(unions.EventUnknown(tag=200, payload=bytearray(b"ab"))) is None


def test_values_of_other_types_are_left_to_python():
    r = random.Random(SEED)
    every = [
        (kind, zero(kind)) for kind in types() if kind.kind != "union" and kind.fields and kind.native is not None and can_be_zero(kind)
    ]
    left = written = 0
    for _ in range(COUNT * 5):
        kind, value = r.choice(every)
        field = r.choice(kind.fields)
        before = getattr(value, field.attribute)
        setattr(value, field.attribute, wrong(before, r))
        data = kind.native.encode(value)
        if data is None:
            left += 1
        else:
            written += 1
            assert data == python_encode(kind, value), (kind.name, value)
        setattr(value, field.attribute, before)
        assert kind.native.encode(value) == python_encode(kind, value)
    assert left > COUNT
    assert written > COUNT // 20


def test_objects_that_are_no_values():
    for kind in types():
        if kind.native is not None:
            for value in (None, 1, object(), kind.cls, object.__new__(type("Empty", (), {})), *kind.alternatives):
                assert kind.native.encode(value) is None
    plugin = object.__new__(unions.Plugin)  # whose slots are empty
    with pytest.raises(sdp.EncodeError):
        plugin.encode()


def test_subclasses_and_other_sequences_are_written():
    class Own(unions.Plugin):
        pass

    assert Own(name="EQ", gain=1.5).encode() == unions.Plugin(name="EQ", gain=1.5).encode()
    assert unions.EventList((1, 2)).encode() == unions.EventList([1, 2]).encode() == unions.EventList(range(1, 3)).encode()


def test_numbers_keep_all_bits():
    r = random.Random(SEED)
    for _ in range(COUNT):
        bits = r.choice((r.randbytes(4), bytes([r.choice(LIKELY), r.choice(LIKELY), r.choice((0x80, 0xC0, 0, 1)), r.choice((0x7F, 0xFF))])))
        data = bits + r.choice((r.randbytes(8), bits + bytes(2) + b"\xf0\x7f"))
        value = scalars.Floats.decode(data)
        assert value.encode() == data


def test_texts_that_come_again_are_not_taken_for_others():
    """Each text differs from others of its length by one byte, and from shorter ones by its end."""
    words = ["abcdefghijklmnopqrstuvw"[:length] for length in range(20)]
    words += [word[:at] + mark + word[at + 1 :] for word in words for at in range(len(word)) for mark in ("X", "\0")]
    words += [word + "\0" for word in words]
    for _ in range(2):
        for word in words:
            assert unions.Plugin.decode(unions.Plugin(name=word, gain=0).encode()).name == word
    for bits in range(2000):
        number = struct.unpack("<d", struct.pack("<Q", bits * 0x0010_0200_4008_0101 & (1 << 62) - 1))[0]
        assert scalars.Floats.decode(scalars.Floats(single=0, double=number).encode()).double == number


def test_nothing_is_lost_or_kept():
    """Objects that refusals and values leave behind are freed, and those that live for ever keep their references."""
    r = random.Random(SEED)
    inputs = []
    for kind in types():
        if kind.native is not None:
            data = zero_bytes(kind)
            inputs += [(kind, damaged(data, r)) for _ in range(20)] + [(kind, data)]

    def round_of():
        for kind, data in inputs:
            value = kind.native.decode(data)
            kind.native.decode_window(data, 0, len(data), 3, 1000, 3)
            if value is not None:
                kind.native.encode(value)

    for _ in range(3):
        round_of()
    gc.collect()
    watched = [None, True, False, 0, 1.0, unions.Plugin, enums, uuid.UUID, sdp.Timestamp]
    counts = [sys.getrefcount(value) for value in watched]
    blocks = sys.getallocatedblocks()
    for _ in range(max(20, COUNT // 50)):
        round_of()
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 200
    assert all(abs(sys.getrefcount(value) - before) < 20 for value, before in zip(watched, counts, strict=True))


def test_finalizers_that_use_the_engine():
    """The collector may run code of Python while a value is read, which reads and writes values itself."""
    calls = 0
    plugin = unions.EventLoaded(unions.Plugin(name="EQ", gain=1.5)).encode()

    class Chatty:
        def __init__(self):
            self.itself = self

        def __del__(self):
            nonlocal calls
            calls += 1
            assert unions.Event.decode(plugin).encode() == plugin

    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(300):
            Chatty()
            assert unions.Event.decode(plugin).encode() == plugin
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert calls == 300


def test_values_that_can_be_in_no_cycle_are_not_tracked():
    assert not gc.is_tracked(unions.Plugin.decode(unions.Plugin(name="EQ", gain=1.5).encode()))
    assert gc.is_tracked(maps.ByText.decode(maps.ByText(m={}).encode()))


def test_another_interpreter_does_not_load_the_library():
    """Objects lie in memory as one version has them. pip keeps versions apart by tags; a folder on the path does not."""
    tried = 0
    for minor in range(11, 20):
        command = shutil.which(f"python3.{minor}")
        if command is None or minor == sys.version_info.minor:
            continue
        environment = os.environ | {"PYTHONPATH": os.path.dirname(serial_data_protocol_native.__file__)}
        found = subprocess.run([command, "-c", "import serial_data_protocol_native"], env=environment, capture_output=True, text=True)
        if "pyenv" not in found.stderr:  # which has a command for versions that it does not run
            tried += 1
            assert f"is for CPython 3.{sys.version_info.minor} alone" in found.stderr
    if not tried:
        pytest.skip("there is one interpreter alone")
