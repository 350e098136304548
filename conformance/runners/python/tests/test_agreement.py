"""Fast code against the code that names refusals: they accept the same bytes, texts and values.

The gate does the same each time; SDP_TEST_COUNT and SDP_TEST_SEED do more, and other damage.
"""

import importlib
import os
import pathlib
import random

import pytest
import schemas
import sdp
from sdp import _check, _codec, _json_fast, _json_read, _reader, _walk, _writer
from sdp._package import zero
from sdp._type import Type

FAULTS = (sdp.Error, AttributeError, KeyError, TypeError)
"""The errors of making or encoding a zero value of a type that has none."""

COUNT = int(os.environ.get("SDP_TEST_COUNT", "2000"))
LIKELY = (0, 1, 2, 3, 4, 0x20, 0x22, 0x5C, 0x7B, 0x7F, 0x80, 0xBF, 0xC3, 0xED, 0xF4, 0xFF)
TOKENS = (
    "0", "-0", "1.0", "1e2", "01", "1.", "-1", "-129", "256", "65536", "4294967296", "9007199254740993", "18446744073709551615", "16777217", "0.1",
    "1e400", "1e-46", "3.4028235677973366e38", "1.00000005960464477539062500", "null", "true", "[]", "{}", '"1"', '"-1"', '""', '"NaN"', '"Infinity"',
    '"NaN:7fc00000"', '"\\u0061"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\n"', '"AA=="', '"false"', " 1 ", "\n", "\u00a0", '"$unknown":', '"a":1,"a":2',
)  # fmt: skip


def types():
    """The types of all conformance schemas."""
    found = []
    folder = pathlib.Path(schemas.__file__).parent
    for path in sorted(folder.glob("*/*.py")):
        if path.stem != "__init__" and not path.stem.endswith("_services"):
            module = importlib.import_module(f"schemas.{path.parent.name}.{path.stem}")
            found += [kind for kind in module.package.types().values() if kind.is_aggregate()]
    return found


def zero_bytes(kind: Type):
    """Bytes of a value, where there is a zero value."""
    try:
        return _codec.encode(kind, zero(kind))
    except FAULTS:
        return bytes([1, 4, 0, 0, 0, 1, 0, 0, 0])


def damaged(data: bytes, r: random.Random):
    out = bytearray(data)
    for _ in range(r.randint(1, 4)):
        at = r.randint(0, len(out))
        kind = r.randrange(5)
        if kind == 0:
            del out[at : at + 1]
        elif kind == 1:
            out.insert(at, r.choice(LIKELY))
        elif kind == 2 and out:
            out[at % len(out)] ^= 1 << r.randrange(8)
        elif kind == 3 and out:
            out[at % len(out)] = r.choice(LIKELY)
        else:
            at = r.randint(0, len(out))
            out += out[at : at + 8]
    return bytes(out)


def damaged_text(text: str, r: random.Random):
    parts = list(text)
    for _ in range(r.randint(1, 3)):
        at = r.randint(0, len(parts))
        parts[at : at + r.randrange(3)] = r.choice(TOKENS) if r.randrange(2) else []
    return "".join(parts)


def refused(kind, data):
    """Whether the walk refuses bytes."""
    try:
        _walk.refuse(kind, data, 0, len(data), _codec.DEFAULTS, False, False)
    except sdp.DecodeError:
        return True
    return False


def fast(kind, data):
    """The value that the fast reader makes of bytes; None for a refusal."""
    read = kind.cache.get("read") or _reader.make(kind)
    try:
        value, at = read(data, 0, len(data), 1, [_codec.DEFAULTS.elements, _codec.DEFAULTS.memory_bytes, _codec.DEFAULTS.depth])
        return value if at == len(data) else None
    except _codec.NO:
        return None


@pytest.mark.parametrize("seed", [int(os.environ.get("SDP_TEST_SEED", "1"))])
def test_damaged_bytes_and_texts(seed):
    r = random.Random(seed)
    corpora = [(kind, [zero_bytes(kind), bytes(40)], ["{}"]) for kind in types()]
    values = texts = 0
    for _ in range(COUNT * 5):
        kind, corpus, jsons = r.choice(corpora)
        data = damaged(r.choice(corpus), r)
        value = fast(kind, data)
        assert (value is None) == refused(kind, data), (kind.name, data.hex())
        if value is not None:
            values += 1
            encoded = _codec.encode(kind, value)
            text = value.to_json()
            assert _codec.decode(kind, encoded, False, None) == value
            assert _json_read.from_json(kind, text) == _json_read.explained(kind, text)
            assert _codec.encode(kind, _json_read.explained(kind, text)) == encoded, (kind.name, data.hex())
            if len(corpus) < 30 and len(data) < 200:
                corpus.append(data)
                jsons.append(text)
        text = damaged_text(r.choice(jsons), r)
        try:
            quick = _json_fast.read(kind, text)
        except (*_codec.NO, RecursionError):
            continue
        texts += 1
        assert quick.to_json() == _json_read.explained(kind, text).to_json(), (kind.name, text)
    assert values > COUNT // 4
    assert texts > COUNT // 40


WRONG = (
    None,
    True,
    -1,
    256,
    1 << 64,
    1.5,
    float("nan"),
    "x",
    "\ud800",
    b"x",
    [],
    [1],
    (),
    {},
    {1: 2},
    {"a": 1},
    object(),
    77,
    "",
    memoryview(b"ab"),
)


def test_damaged_values():
    r = random.Random(7)
    every = [(kind, zero(kind)) for kind in types() if kind.kind != "union" and can_be_zero(kind)]
    refusals = 0
    for _ in range(COUNT):
        kind, value = r.choice(every)
        if not kind.fields:
            continue
        field = r.choice(kind.fields)
        before = getattr(value, field.attribute)
        setattr(value, field.attribute, wrong(before, r))
        out = []
        try:
            (kind.cache.get("write") or _writer.make(kind))(value, out.append, 1)
            accepted = True
        except _codec.NO:
            accepted = False
        try:
            _check.refuse(kind, value)
            assert accepted, (kind.name, value)
            _codec.decode(kind, b"".join(out), False, None)
        except sdp.EncodeError:
            refusals += 1
            assert not accepted, (kind.name, value)
        setattr(value, field.attribute, before)
    assert refusals > COUNT // 4


def can_be_zero(kind):
    try:
        _codec.encode(kind, zero(kind))
    except FAULTS:
        return False
    return True


def wrong(value, r):
    """Another value, or the same within a list."""
    if isinstance(value, list) and r.randrange(2):
        return [*value, r.choice(WRONG)]
    return r.choice(WRONG)
