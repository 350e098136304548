"""Encoding: every refusal of a value, in wire order (section 9 of wire.md)."""

from unittest import mock

from conformance.reference import encode as encoding
from conformance.reference import framing
from conformance.reference.decode import decode
from conformance.reference.encode import encode, encode_into
from conformance.reference.json_write import write_json
from conformance.reference.value import Chosen, Record, Unknown

from .schemas import DEMO, SpecCase, read_schema

KINDS = read_schema("""
@closed enum Shut: u8 { A = 1 }
struct Bounds { s: @len(u8) @max(2) str, b: @len(u8) bytes, l: @max(1) []u16, m: @max(1) map<u8, u8> }
struct Times { t: timestamp, d: duration }
@closed union Only { A = 1, B(Shut) = 2 }
union Open { A = 1, B(str) = 2, C(Open) = 3 }
struct Holder { x: Shut, c: ?Only, o: []Open, m: map<Shut, Shut> }
struct Chain { next: ?Chain }
message Inner { s: str }
struct Outer { i: Inner, u: ?Open }
struct Pair { a: [2]u8 }
@id(1) message Whole { s: str }
""")


def record(**fields):
    """Make a record of these fields."""
    return Record(fields)


def bounds(**given):
    """Make a value of Bounds with everything empty but what is given."""
    return Record({"s": b"", "b": b"", "l": [], "m": {}} | given)


def holder(**given):
    """Make a valid value of Holder but for what is given."""
    return Record({"x": 1, "c": None, "o": [], "m": {}} | given)


class Refused(SpecCase):
    """Values that have no encoding, and mostly no JSON."""

    def check(self, name, value, error, path, in_json=True):
        shape = KINDS.type_named(name)
        self.refuses(error, -1, path, encode, shape, value)
        if in_json:
            self.refuses(error, -1, path, write_json, shape, value)

    def test_bounds(self):
        self.check("Bounds", bounds(s=b"abc"), "limit_max", "s", False)
        self.check("Bounds", bounds(s=b"a" * 300), "limit_max", "s", False)
        self.check("Bounds", bounds(b=bytes(256)), "value_too_large", "b", False)
        self.check("Bounds", bounds(l=[1, 2]), "limit_max", "l", False)
        self.check("Bounds", bounds(m={1: 1, 2: 2}), "limit_max", "m", False)
        value = bounds(s=b"abc", b=bytes(256), l=[1, 2], m={2: 2, 1: 1})
        self.assertTrue(write_json(KINDS.type_named("Bounds"), value).endswith(b'"l":[1,2],"m":{"1":1,"2":2}}'))

    def test_invalid(self):
        self.check("Times", record(t=1 << 63, d=0), "value_invalid", "t")
        self.check("Times", record(t=0, d=-(1 << 63) - 1), "value_invalid", "d")
        self.check("Holder", holder(x=2), "value_invalid", "x")
        self.check("Holder", holder(m={1: 2}), "value_invalid", "m[0].value")
        self.check("Holder", holder(m={2: 2}), "value_invalid", "m[0].key")
        self.check("Holder", holder(o=[Chosen("A"), None]), "value_invalid", "o[1]")
        self.check("Holder", holder(o=[Unknown(0, b"")]), "value_invalid", "o[0]")
        self.check("Holder", holder(o=[Unknown(2, b"")]), "value_invalid", "o[0]")
        self.check("Holder", holder(c=Unknown(9, b"")), "value_invalid", "c")
        self.check("Holder", holder(c=Chosen("B", 7), o=[None]), "value_invalid", "c.B")
        self.check("Pair", record(a=[1]), "value_invalid", "a")
        self.check("Pair", record(a=[1, 2, 3]), "value_invalid", "a")

    def test_depth(self):
        def chain(levels):
            value = None
            for _ in range(levels):
                value = record(next=value)
            return value

        self.assertEqual(encode(KINDS.type_named("Chain"), chain(64)), b"\x01" * 63 + b"\x00")
        self.check("Chain", chain(65), "limit_depth", ".".join(["next"] * 64))
        deep = None
        for _ in range(64):
            deep = Chosen("C", deep)
        self.check("Open", deep, "limit_depth", ".".join(["C"] * 64))

    def test_lengths_that_no_u32_holds(self):
        """The bound itself is lowered, since four gigabytes are too much for a test [WIRE-9.3]."""
        with mock.patch.object(encoding, "LONGEST", 6):
            self.check("Outer", record(i=record(s=b"abc"), u=None), "value_too_large", "i", False)
            self.check("Outer", record(i=record(s=b""), u=Chosen("B", b"abc")), "value_too_large", "u", False)
            self.check("Outer", record(i=record(s=b"abc"), u=Unknown(2, b"")), "value_too_large", "i", False)
            encode(KINDS.type_named("Outer"), record(i=record(s=b"ab"), u=Chosen("B", b"ab")))
        with mock.patch.object(framing, "LONGEST", 6):
            self.refuses(
                "value_too_large", -1, "", framing.encode_message, KINDS.type_named("Whole"), record(s=b"abc")
            )

    def test_buffer(self):
        shape = KINDS.type_named("Whole")
        self.assertEqual(encode_into(shape, record(s=b"a"), 5), b"\x01\x00\x00\x00a")
        self.refuses("buffer_too_small", -1, "", encode_into, shape, record(s=b"a"), 4)
        self.refuses("value_invalid", -1, "a", encode_into, KINDS.type_named("Pair"), record(a=[]), 0)

    def test_utf8(self):
        """Encoding trusts, JSON does not [WIRE-9.7] [JSON-7.2]."""
        shape = KINDS.type_named("Whole")
        self.assertEqual(encode(shape, record(s=b"\xff")), b"\x01\x00\x00\x00\xff")
        self.refuses("utf8_invalid", -1, "s", write_json, shape, record(s=b"\xff"))

    def test_maps_are_sorted(self):
        levels = DEMO.type_named("Levels")
        value = record(m={b"b": 1, b"\xc3\xa4": 2, b"": 3, b"ba": 4})
        self.assertEqual(
            encode(levels, value).hex(" "), "04 00 00 00 00 03 00 01 62 01 00 02 62 61 04 00 02 c3 a4 02 00"
        )
        self.assertEqual(decode(levels, encode(levels, value)), value)
