"""Schema files, layout text and fingerprints (language.md, evolution.md)."""

import unittest

from conformance.reference.fingerprint import fingerprint_texts
from conformance.reference.json_write import write_json
from conformance.reference.layout import read_layout, write_layout
from conformance.reference.missing import missing_value
from conformance.reference.value import Record

from .schemas import read_schema

KITCHEN = r'''
//! A file.
@allow(L001, "why") @x.file
package kitchen.sink; // dotted
import "more/parts.sdp";
import "more/other.sdp" as o;
reserved 9, 0x10..0x20;
/* a /* comment */
const N: u8 = 0b1_1;
const M: u16 = N;
const HALF: f32 = 0.5;
const TENTH: f32 = 0.1;
const NAME: str = "a\"\\\n\u{1F600}";
type Name = @len(u8) str;
type Names = []Name;
type Octet = u8;
/// Documented.
@closed @deprecated("no") enum Shut: Octet { reserved 7, "x"; A = 2, reserved y; B = N, @name(json = "see") C = o.FIVE, }
enum reserved: i32 { reserved = -1 }
@id(0x12) struct Use {
  @x.y(1, a = "b") a: Names, @max(M) b: ?Name, c: @len(u16) @max(5) Octet_list, d: Option<Box<[]Octet>>, e: [o.FIVE]u8,
  f: map<@max(3) string, ?@len(u8) []bool>, g: parts.Thing, h: o.Alias, i: map, bytes: Box<bytes>,
}
struct map { x: ?map<u8, u8> }
type Octet_list = bytes;
message Msg {
  union: u8,
  @since(2) a: u8 = M, @since(2) b: ?i64 = -5, @since(2) c: f32 = 1, @since(2) d: f64 = TENTH, @since(2) e: f64 = 0.1,
  @since(2) f: str = NAME, @since(2) g: Shut = B, @since(2) h: ?reserved = reserved.reserved, @since(2) i: timestamp = 1_000,
  @since(3) j: duration, @since(3) k: uuid = "00112233-4455-6677-8899-aabbccddeeff", @since(3) l: bool = true, @since(3) m: f32 = -0.0,
  @since(3) n: [2]Inner, @since(3) p: parts.Color = parts.Color.Red, @since(3) q: Shut = Shut.A,
}
struct Inner { a: str, m: Sub }
message Sub { a: reserved, @since(2) b: u8 = 4 }
@closed @id(3) union U { reserved 4..6; A = 1, reserved(Names) = 2, C { x: u8, stream: ?U } = 3, reserved 8; D { } = 10 }
service S { reserved 1; call a(Use) -> Use = 2; stream b(stream Use) -> stream U = 3; event c(U) = 4; }
'''

PARTS = """package lib.parts; struct Thing { c: Color } enum Color: u8 { Red = 1 }"""
OTHER = """
import "parts.sdp";
const FIVE: u8 = 0x5;
type Alias = ?parts.Thing;
"""
LAYOUT = """0 struct kitchen.sink.Use
 a list4 str1
 b opt str1<=3
 c bytes2<=5
 d opt bytes4
 e array 5 u8
 f map4 str4<=3 opt list1 bool
 g #1
 h opt #1
 i #3
 bytes bytes4
1 struct lib.parts.Thing
 c #2
2 enum lib.parts.Color u8
 Red 1
3 struct kitchen.sink.map
 x opt map4 u8 u8
"""


class Schemas(unittest.TestCase):
    """One schema with everything in it, and the rules of names."""

    @classmethod
    def setUpClass(cls):
        cls.package = read_schema(KITCHEN, "t.sdp", (("more/parts.sdp", PARTS), ("more/other.sdp", OTHER)))

    def test_layout(self):
        use = self.package.type_named("Use")
        self.assertEqual(write_layout(use), LAYOUT)
        self.assertEqual(write_layout(read_layout(LAYOUT)[0]), LAYOUT)
        self.assertEqual(self.package.by_id(), {0x12: use, 3: self.package.type_named("U")})

    def test_union_and_enum(self):
        text = """0 union kitchen.sink.U closed
 A 1
 reserved 2 list4 str1
 C 3 #1
 D 10 #2
1 struct kitchen.sink.U.C
 x u8
 stream opt #0
2 struct kitchen.sink.U.D
"""
        union = self.package.type_named("U")
        self.assertEqual(write_layout(union), text)
        self.assertEqual(write_layout(read_layout(text)[0]), text)
        self.assertEqual(
            fingerprint_texts(union), ["union closed\n1\n2 list4 str1\n3 struct { u8 ; opt ^0 }\n10 struct {  }\n"]
        )
        shut = self.package.type_named("Shut")
        self.assertEqual((shut.members, shut.base, shut.json), ({"A": 2, "B": 3, "C": 5}, "u8", {"C": "see"}))
        self.assertEqual(self.package.type_named("reserved").members, {"reserved": -1})

    def test_defaults(self):
        message = self.package.type_named("Msg")
        inner = Record({"a": b"", "m": Record({"a": 0, "b": 4})})
        self.assertEqual({one.name: missing_value(one) for one in message.fields}, {
            "union": 0, "a": 3, "b": -5, "c": 0x3F800000, "d": 0x3FB99999A0000000, "e": 0x3FB999999999999A,
            "f": 'a"\\\n😀'.encode(), "g": 3, "h": -1, "i": 1000, "j": 0, "k": bytes.fromhex("00112233445566778899aabbccddeeff"),
            "l": True, "m": 0x80000000, "n": [inner, inner], "p": 1, "q": 2,
        })
        self.assertTrue(write_json(message, Record({one.name: missing_value(one) for one in message.fields})))
        self.assertEqual(len(message.segments()), 3)
        self.assertIn("@2\n a u8\n", write_layout(message))

    def test_fingerprints_of_messages(self):
        """A message is opaque where it is used, and its own name has position 0 in each of its texts [EVO-6.5]."""
        package = read_schema("""
            struct P { x: u8 }
            message M { a: P, b: ?M, @since(2) c: P, @since(2) d: [2]P, @since(2) u: []U, @since(2) v: ?C, @since(3) w: ?C }
            union U { A(P) = 1 }
            @closed union C { B(P) = 2, A { c: ?C } = 1, N = 3 }
        """)
        self.assertEqual(fingerprint_texts(package.type_named("M")), [
            "segment 1\nstruct { u8 }\nopt message\n",
            "segment 2\nstruct { u8 }\narray 2 ^1\nlist4 union\nopt union closed { 1 struct { opt ^2 } ; 2 ^1 ; 3 }\n",
            "segment 3\nopt union closed { 1 struct { opt ^1 } ; 2 struct { u8 } ; 3 }\n",
        ])

    def test_legacy(self):
        package = read_schema("""
            /// A plugin.
            struct Plugin { a: string, b: Option<Option<u8>>, c: ?Option<[]Plugin>, d: Box<timestamp>, }
            struct timestamp { x: f64 } // declared, not the built-in
        """, "9 old-file.sdp")
        self.assertEqual((package.name, package.legacy), ("_9_old_file", True))
        self.assertEqual({number: one.name for number, one in package.by_id().items()}, {
            1: "_9_old_file.Plugin", 2: "_9_old_file.timestamp",
        })
        self.assertEqual(write_layout(package.type_named("Plugin")), """0 struct _9_old_file.Plugin
 a str4
 b opt u8
 c opt list4 #0
 d #1
1 struct _9_old_file.timestamp
 x f64
""")

    def test_what_is_not_legacy(self):
        for text in (
            "package p; struct A {}", "struct A { x: timestamp }", "struct A { x: [2]u8 }", "struct A { x: @len(u8) str }",
            "@id(7) struct A {}", "struct A { @max(1) x: str }", "struct A {} message B {}", "reserved 5; struct A {}",
            "struct A { x: map<u8, u8> }", "const N: u8 = 1; struct A {}", "struct A { x: ?bytes }",
        ):
            package = read_schema(text)
            self.assertFalse(package.legacy, text)
            self.assertNotIn(1, package.by_id())
