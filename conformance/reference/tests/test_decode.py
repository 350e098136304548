"""Decoding: every kind of type, and every refusal of a payload."""

from conformance.reference.decode import decode, decode_exact, decode_prefix
from conformance.reference.json_write import write_json
from conformance.reference.smallest import smallest
from conformance.reference.value import Record

from .schemas import SpecCase, read_schema

KINDS = read_schema("""
package k;
enum Open: i16 { Low = -2, High = 300 }
@closed enum Shut: u8 { A = 1, B = 2 }
struct Numbers { a: u8, b: u16, c: u32, d: u64, e: i8, f: i16, g: i32, h: i64, i: f32, j: f64, k: bool }
struct Others { t: timestamp, d: duration, u: uuid, o: Open, s: Shut }
struct Empty {}
struct One { v: u8 }
struct Text { s: @len(u16) @max(3) str, b: @max(2) bytes, l: @len(u8) @max(2) []u16, m: @len(u8) @max(1) map<u8, bool> }
struct Grid { g: [2][2]u16, e: [2]One, o: ?[]?u8 }
struct Maps { a: map<i8, u8>, b: map<bool, u8>, c: map<Shut, u8>, d: map<Open, Empty>, e: map<str, []bool> }
@closed union Choice { One(u16) = 1, Two = 2, Three { x: bool } = 3, Rest(Node) = 4 }
struct Node { next: ?Node, c: []Choice }
message Inner { x: u16, @since(2) y: u8, @since(3) z: ?u8 = 5 }
@keep_unknown message Keeper { x: u8 }
struct Around { i: Inner, k: Keeper, t: u8 }
message Outer { i: Inner, @since(2) k: Keeper }
union Event { I(Inner) = 1, S(str) = 2, L([]u32) = 3, U(Event) = 4, N = 5, E {} = 6 }
struct Chain { next: ?Chain }
struct Ones { a: [3]One, b: [2]u32 }
struct Holder { x: u8, e: [2]One }
struct Nested { a: []Holder }
""")


def shape(name):
    """Give a type of the schema above."""
    return KINDS.type_named(name)


class Accepted(SpecCase):
    """Values of every kind."""

    def test_numbers(self):
        self.accepts(
            shape("Numbers"),
            "ff 0201 04030201 ff ff ff ff ff ff ff ff 80 fe ff 00 00 00 80 00 00 00 00 00 00 00 80 cd cc cc 3d"
            "9a 99 99 99 99 99 b9 3f 01",
            '{"a":255,"b":258,"c":16909060,"d":"18446744073709551615","e":-128,"f":-2,"g":-2147483648,'
            '"h":"-9223372036854775808","i":0.1,"j":0.1,"k":true}',
        )

    def test_others(self):
        self.accepts(
            shape("Others"),
            "ff ff ff ff ff ff ff ff 00 d2 49 6b 00 00 00 00 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff 2c 01 02",
            '{"t":"1969-12-31T23:59:59.999999999Z","d":"1.8s","u":"00112233-4455-6677-8899-aabbccddeeff","o":"High","s":"B"}',
        )
        self.assertEqual(0x6B49D200, 1_800_000_000)

    def test_open_enum_keeps_numbers(self):
        self.accepts(shape("Maps"), "00000000" * 3 + "01000000 ffff 00000000", '{"a":{},"b":{},"c":{},"d":{"-1":{}},"e":{}}')

    def test_lengths(self):
        self.accepts(
            shape("Text"), "03 00 e2 82 ac 02 00 00 00 00 ff 02 01 00 02 00 01 07 01",
            '{"s":"€","b":"AP8=","l":[1,2],"m":{"7":true}}',
        )

    def test_arrays_and_optionals(self):
        self.accepts(
            shape("Grid"), "01 00 02 00 03 00 04 00 05 06 01 02 00 00 00 00 01 09",
            '{"g":[[1,2],[3,4]],"e":[{"v":5},{"v":6}],"o":[null,9]}',
        )
        self.accepts(shape("Grid"), "00 00" * 5 + "00", '{"g":[[0,0],[0,0]],"e":[{"v":0},{"v":0}],"o":null}')

    def test_maps(self):
        self.accepts(
            shape("Maps"),
            "02000000 ff 01 00 02  02000000 00 01 01 02  02000000 01 05 02 06  02000000 feff 2c01"
            "02000000 00000000 00000000 01000000 61 01000000 01",
            '{"a":{"-1":1,"0":2},"b":{"false":1,"true":2},"c":{"A":5,"B":6},"d":{"Low":{},"High":{}},"e":{"":[],"a":[true]}}',
        )

    def test_unions(self):
        self.accepts(
            shape("Node"), "01 00 01000000 02 03000000 01 0700 03 01 04 00 00000000",
            '{"next":{"next":null,"c":[{"Two":null}]},"c":[{"One":7},{"Three":{"x":true}},{"Rest":{"next":null,"c":[]}}]}',
        )
        self.accepts(shape("Event"), "01 09000000 05000000 0100 02 01 03", '{"I":{"x":1,"y":2,"z":3}}')
        self.accepts(shape("Event"), "04 0a000000 04 05000000 05 00000000", '{"U":{"U":{"N":null}}}')
        self.accepts(shape("Event"), "06 00000000", '{"E":{}}')
        self.accepts(shape("Event"), "ff 00000000", '{"$unknown":{"tag":255,"payload":""}}')

    def test_messages(self):
        """A tail is dropped or kept, a missing segment takes its missing values [WIRE-7.4] [WIRE-7.5] [EVO-2.4]."""
        around = shape("Around")
        self.accepts(
            around, "04000000 0100 02 00 03000000 07 aa bb 09",
            '{"i":{"x":1,"y":2,"z":null},"k":{"x":7,"$unknown":"qrs="},"t":9}',
        )
        value = decode(around, bytes.fromhex("02000000 0100 01000000 07 09"))
        self.assertEqual(value.fields["i"], Record({"x": 1, "y": 0, "z": 5}))
        value = decode(around, bytes.fromhex("06000000 0100 02 00 ff ff 01000000 07 09"))
        self.assertEqual(value.fields["i"], Record({"x": 1, "y": 2, "z": None}))

    def test_missing_message_has_missing_values(self):
        value = decode(shape("Outer"), bytes.fromhex("02000000 0100"))
        self.assertEqual(write_json(shape("Outer"), value), b'{"i":{"x":1,"y":0,"z":5},"k":{"x":0}}')

    def test_prefix(self):
        value, used = decode_prefix(shape("Event"), bytes.fromhex("05 00000000 ff"))
        self.assertEqual((value.name, used), ("N", 5))
        value, used = decode_prefix(shape("Keeper"), bytes.fromhex("05 00 ff"))
        self.assertEqual((value.tail, used), (b"\x00\xff", 3))

    def test_smallest(self):
        for name, size in (
            ("Numbers", 43), ("Others", 35), ("Empty", 0), ("Text", 2 + 4 + 1 + 1), ("Grid", 11), ("Maps", 20),
            ("Choice", 1), ("Node", 5), ("Inner", 6), ("Around", 12), ("Event", 5), ("Chain", 1), ("Ones", 11),
        ):
            self.assertEqual(smallest(shape(name)), size, name)


class Refused(SpecCase):
    """Refusals of a payload."""

    def check(self, rows, **limits):
        for name, data, error, offset, path in rows:
            with self.subTest(name=name, data=data):
                self.refuses_bytes(shape(name), data, error, offset, path, **limits)

    def test_items(self):
        self.check((
            ("Numbers", "", "truncated", 0, "a"),
            ("Numbers", "00 00", "truncated", 1, "b"),
            ("Others", "00" * 31, "truncated", 16, "u"),
            ("Others", "00" * 34 + "03", "enum_unknown", 34, "s"),
            ("Grid", "00" * 7, "truncated", 6, "g[1][1]"),
            ("Grid", "00" * 9, "truncated", 9, "e[1].v"),
            ("Grid", "00" * 10 + "02", "presence_invalid", 10, "o"),
            ("Grid", "00" * 10 + "01 02000000 00 02", "presence_invalid", 16, "o[1]"),
            ("Node", "00 02000000 02 05", "union_unknown", 6, "c[1]"),
            ("Node", "00 01000000 00", "union_unknown", 5, "c[0]"),
            ("Node", "00 02000000 03 00 03", "truncated", 8, "c[1].Three.x"),
            ("Node", "00 01000000 04 02", "presence_invalid", 6, "c[0].Rest.next"),
        ))

    def test_lengths_in_order(self):
        self.check((
            ("Text", "01", "truncated", 0, "s"),
            ("Text", "04 00", "limit_max", 0, "s"),
            ("Text", "03 00 ff ff", "length_exceeds_input", 0, "s"),
            ("Text", "03 00 ff ff ff", "utf8_invalid", 2, "s"),
            ("Text", "02 00 61 c3", "utf8_invalid", 3, "s"),
            ("Text", "03 00 ed a0 80", "utf8_invalid", 2, "s"),
            ("Text", "02 00 c0 80", "utf8_invalid", 2, "s"),
            ("Text", "00 00 03 00 00 00", "limit_max", 2, "b"),
            ("Text", "00 00 00 00 00 00 03", "limit_max", 6, "l"),
            ("Text", "00 00 00 00 00 00 02 00 00 00", "count_exceeds_input", 6, "l"),
            ("Text", "00 00 00 00 00 00 00 01 07", "count_exceeds_input", 7, "m"),
        ))

    def test_map_order(self):
        self.check((
            ("Maps", "02000000 00 01 ff 02", "map_order", 6, "a[1].key"),
            ("Maps", "02000000 00 01 00 02", "map_order", 6, "a[1].key"),
            ("Maps", "00000000 02000000 01 00 00", "count_exceeds_input", 4, "b"),
            ("Maps", "00000000 02000000 01 00 02 00", "bool_invalid", 10, "b[1].key"),
            ("Maps", "00000000" * 2 + "02000000 02 00 01 00", "map_order", 14, "c[1].key"),
            ("Maps", "00000000" * 2 + "02000000 02 00 00 00", "enum_unknown", 14, "c[1].key"),
            ("Maps", "00000000" * 4 + "02000000 01000000 61 00000000 00000000 05000000", "map_order", 29, "e[1].key"),
            ("Maps", "00000000" * 4 + "01000000 00000000 02000000 00 02", "bool_invalid", 29, "e[0].value[1]"),
        ))

    def test_windows(self):
        """Which of truncated, segment_partial and union_length an item gets [WIRE-3.3]."""
        self.check((
            ("Around", "02000000 01", "length_exceeds_input", 0, "i"),
            ("Around", "01000000 01 00 00 00 00 00", "segment_partial", 4, "i.x"),
            ("Around", "04000000 0100 02 01 00 00 00 00", "segment_partial", 8, "i.z"),
            ("Around", "04000000 0100 02 02 00 00 00 00", "presence_invalid", 7, "i.z"),
            ("Around", "02000000 0100 00000000 09", "segment_partial", 10, "k.x"),
            ("Around", "02000000 0100 01000000 09", "truncated", 11, "t"),
            ("Event", "01 04000000 02000000 00 00", "length_exceeds_input", 5, "I"),
            ("Event", "01 05000000 01000000 00", "segment_partial", 9, "I.x"),
            ("Event", "01 03000000 00 00 00", "union_length", 5, "I"),
            ("Event", "01 07000000 02000000 0000 ff", "union_length", 11, ""),
            ("Event", "02 03000000 00 00 00", "union_length", 5, "S"),
            ("Event", "02 04000000 01000000 61", "length_exceeds_input", 5, "S"),
            ("Event", "03 08000000 02000000 00000000", "count_exceeds_input", 5, "L"),
            ("Event", "04 00000000 05", "union_length", 5, "U"),
            ("Event", "04 01000000 05", "union_length", 6, "U"),
            ("Event", "04 05000000 05 01000000 00", "length_exceeds_input", 6, "U"),
            ("Event", "00 ff", "union_unknown", 0, ""),
            ("Event", "07 01", "truncated", 1, ""),
            ("Event", "07 02000000 00", "length_exceeds_input", 1, ""),
            ("Event", "05 00000000 00", "trailing_bytes", 5, ""),
        ))

    def test_depth(self):
        """Each Chain is one level; the refusal comes before any byte of the deeper one [WIRE-8.1] [WIRE-12.2]."""
        decode(shape("Chain"), bytes.fromhex("01" * 63 + "00"))
        self.check((("Chain", "01" * 64, "limit_depth", 64, ".".join(["next"] * 64)),))
        self.check((
            ("Chain", "01 01", "limit_depth", 2, "next.next"),
            ("Around", "02000000 0100", "truncated", 6, "k"),
            ("Event", "04 06000000 04 02000000 04", "length_exceeds_input", 6, "U"),
            ("Event", "04 05000000 04 00000000", "limit_depth", 10, "U.U"),
            ("Node", "01 00 01000000 04", "limit_depth", 6, "next.c[0]"),
            ("Node", "00 01000000 04", "limit_depth", 6, "c[0].Rest"),
        ), depth=2)
        self.check((
            ("Around", "ff", "limit_depth", 0, "i"),
            ("Event", "06 00000000", "limit_depth", 5, "E"),
            ("Event", "06 01000000", "length_exceeds_input", 1, ""),
        ), depth=1)
        self.check((("Chain", "", "limit_depth", 0, ""), ("Keeper", "", "limit_depth", 0, "")), depth=0)

    def test_elements(self):
        self.check((("Maps", "02000000 00 01 01 02 01000000 02 02", "limit_elements", 8, "b"),), elements=2)
        self.check((("Ones", "", "limit_elements", 0, "a"),), elements=2)
        self.check((("Ones", "01 02 03", "truncated", 3, "b[0]"),), elements=3)
        self.check((("Grid", "", "limit_elements", 0, "g"),), elements=1)
        self.check((("Grid", "00" * 8, "limit_elements", 8, "e"),), elements=3)
        self.check((("Grid", "00" * 10 + "01 01000000", "count_exceeds_input", 11, "o"),), elements=4)
        self.check((("Grid", "00" * 10 + "01 01000000 05", "limit_elements", 11, "o"),), elements=4)
        self.check((("Nested", "02000000 01 0a 0b 02 0c 0d", "limit_elements", 8, "a[1].e"),), elements=5)
        self.check((("Nested", "02000000 01 0a 0b 02 0c 0d 03", "trailing_bytes", 10, ""),), elements=6)
        self.accepts(shape("Text"), "00 00 02 00 00 00 00 00 00 00", '{"s":"","b":"AAA=","l":[],"m":{}}', elements=0)

    def test_memory(self):
        self.check((
            ("Text", "03 00 61 61 61", "limit_memory_bytes", 0, "s"),
            ("Event", "09 03000000 00 00 00", "limit_memory_bytes", 1, ""),
            ("Text", "01 00 61 02 00 00 00 00 00", "limit_memory_bytes", 3, "b"),
        ), memory_bytes=2)

    def test_message_bytes(self):
        self.check((("Event", "00 00 00", "limit_message_bytes", 0, ""),), message_bytes=2)
        for read in (decode_exact, decode_prefix):
            self.refuses_bytes(shape("Event"), "000000", "limit_message_bytes", 0, "", read, message_bytes=2)

    def test_exact(self):
        """decode_exact refuses tails and missing segments, at every level [WIRE-7.7] [WIRE-7.8] [WIRE-7.9]."""
        for name, data, error, offset, path in (
            ("Keeper", "01 02", "trailing_bytes", 1, ""),
            ("Around", "05000000 0100 02 00 ff 01000000 00", "trailing_bytes", 8, "i"),
            ("Around", "02000000 0100", "segment_partial", 6, "i"),
            ("Around", "03000000 0100 02 00 00", "segment_partial", 7, "i"),
            ("Around", "04000000 0100 02 00 02000000 00 ff", "trailing_bytes", 13, "k"),
            ("Outer", "04000000 0100 02 00", "segment_partial", 8, ""),
            ("Event", "01 06000000 02000000 0100", "segment_partial", 11, "I"),
        ):
            with self.subTest(data=data):
                self.refuses_bytes(shape(name), data, error, offset, path, decode_exact)
        decode_exact(shape("Event"), bytes.fromhex("09 01000000 00"))
        decode_exact(shape("Outer"), bytes.fromhex("04000000 0100 02 00 01000000 05"))
