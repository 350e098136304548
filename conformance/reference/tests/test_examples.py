"""The worked examples of wire.md (section 15), json.md (section 8) and evolution.md (sections 5 and 6)."""

from conformance.reference.decode import decode
from conformance.reference.encode import encode
from conformance.reference.fingerprint import fingerprint_texts, fingerprints
from conformance.reference.framing import decode_message, encode_message
from conformance.reference.json_write import write_json
from conformance.reference.layout import read_layout, write_layout

from .schemas import DEMO, SpecCase, read_schema

PLUGIN = "02 45 51 00 00 c0 3f 01 00"
REGISTRY = f"01 00 00 00 {PLUGIN} 07 00 00 00 01 00 00 00 78"
REGISTRY_JSON = '{"plugins":[{"name":"EQ","gain":1.5,"on":true,"note":null}],"total":7,"host":"x"}'

REGISTRY_LAYOUT = """0 message demo.Registry
 plugins list4 #1
@2
 total u32
 host str4
1 struct demo.Plugin
 name str1
 gain f32
 on bool
 note opt str4
"""
EVENT_LAYOUT = """0 union demo.HostEvent
 Loaded 1 #1
 Changed 2 #2
 Stopped 3
1 struct demo.Plugin
 name str1
 gain f32
 on bool
 note opt str4
2 struct demo.HostEvent.Changed
 id u32
 value f32
"""


class Examples(SpecCase):
    """Everything that the specification shows."""

    def setUp(self):
        self.plugin, self.registry, self.event, self.levels = (
            DEMO.type_named(name) for name in ("Plugin", "Registry", "HostEvent", "Levels")
        )

    def test_values(self):
        self.accepts(self.plugin, PLUGIN, '{"name":"EQ","gain":1.5,"on":true,"note":null}')
        self.accepts(self.registry, REGISTRY, REGISTRY_JSON)
        self.accepts(
            self.event, f"01 09 00 00 00 {PLUGIN}", '{"Loaded":{"name":"EQ","gain":1.5,"on":true,"note":null}}'
        )
        self.accepts(self.event, "02 08 00 00 00 09 00 00 00 00 00 00 bf", '{"Changed":{"id":9,"value":-0.5}}')
        self.accepts(self.event, "03 00 00 00 00", '{"Stopped":null}')
        self.accepts(self.event, "09 02 00 00 00 aa bb", '{"$unknown":{"tag":9,"payload":"qrs="}}')
        self.accepts(self.levels, "02 00 00 00 01 61 ff ff 01 62 2c 01", '{"m":{"a":-1,"b":300}}')

    def test_cut_to_segment_1(self):
        value = decode(self.registry, bytes.fromhex(f"01 00 00 00 {PLUGIN}"))
        self.assertEqual(write_json(self.registry, value).decode(), REGISTRY_JSON.replace(":7", ":0"))
        self.assertEqual(encode(self.registry, value).hex(" "), REGISTRY.replace(" 07 00 00 00", " 00 00 00 00"))

    def test_message_mode(self):
        data = bytes.fromhex("53 44 50 32 07 00 16 00 00 00" + REGISTRY)
        shape, value = decode_message(None, DEMO.by_id(), data)
        self.assertIs(shape, self.registry)
        self.assertEqual(encode_message(shape, value), data)

    def test_refusals(self):
        for shape, data, name, offset, path in (
            (self.plugin, "02 45 51 00 00 c0", "truncated", 3, "gain"),
            (self.plugin, "03 45 51", "length_exceeds_input", 0, "name"),
            (self.plugin, "02 45 ff 00 00 c0 3f 01 00", "utf8_invalid", 2, "name"),
            (self.plugin, "02 45 51 00 00 c0 3f 02", "bool_invalid", 7, "on"),
            (self.plugin, "02 45 51 00 00 c0 3f 01 00 00", "trailing_bytes", 9, ""),
            (self.registry, "", "segment_partial", 0, "plugins"),
            (self.registry, "02 00 00 00 02 45 51 00 00 c0 3f 01 00", "count_exceeds_input", 0, "plugins"),
            (self.registry, "00 00 00 00 07 00", "segment_partial", 4, "total"),
            (self.event, "00", "union_unknown", 0, ""),
            (self.event, "02 06 00 00 00 09 00 00 00 00 00", "union_length", 9, "Changed.value"),
            (self.event, "03 01 00 00 00 00", "union_length", 5, ""),
            (self.levels, "02 00 00 00 01 62 00 00 01 61 00 00", "map_order", 8, "m[1].key"),
        ):
            with self.subTest(data=data):
                self.refuses_bytes(shape, data, name, offset, path)
        self.refuses("truncated", 4, "", decode_message, self.registry, {}, bytes.fromhex("53 44 50 32 07"))

    def test_layout_text(self):
        for shape, text in ((self.registry, REGISTRY_LAYOUT), (self.event, EVENT_LAYOUT)):
            self.assertEqual(write_layout(shape), text)
            self.assertEqual(write_layout(read_layout(text)[0]), text)

    def test_decoding_by_layout_text(self):
        """A layout text is enough to decode; the default of a missing field is not in it."""
        root = read_layout(REGISTRY_LAYOUT)[0]
        self.accepts(root, REGISTRY, REGISTRY_JSON)
        value = decode(root, bytes(4))
        self.assertEqual(write_json(root, value), b'{"plugins":[],"total":0,"host":""}')
        self.assertTrue(read_layout(EVENT_LAYOUT)[0].by_name("Changed").inline)

    def test_fingerprints(self):
        self.assertEqual(
            fingerprints(self.registry),
            (["a146b53f3593cd3b", "9172088e5a7bda6b"], ["a146b53f3593cd3b", "a9d00f62aac49788"]),
        )
        self.assertEqual(fingerprints(self.event), (["a9bb22394deb73b8"], ["a9bb22394deb73b8"]))
        tree = read_schema("""
            enum Open: u8 { A = 0 }
            @closed enum Shut: u8 { B = 1, A = 0 }
            struct Leaf { x: u8 }
            struct Pair { a: Leaf, b: Leaf }
            struct Tree { value: i16, children: []Tree, pair: ?Pair, shut: Shut, open: Open }
        """).type_named("Tree")
        self.assertEqual(
            fingerprint_texts(tree),
            ["segment 1\ni16\nlist4 ^0\nopt struct { struct { u8 } ; ^2 }\nenum u8 closed { 0 1 }\nu8\n"],
        )
        self.assertEqual(fingerprints(tree)[0], ["efbb54bdcf65f72c"])

    def test_fingerprints_of_inline_alternatives_and_roots(self):
        scene = read_schema("""
            struct Leaf { x: u8 }
            @closed union Shape { Dot(Leaf) = 1, Line { a: Leaf, b: Leaf } = 2, None = 3, Group([]Shape) = 4 }
            message Scene { main: Shape, next: ?Scene, leaf: Leaf }
        """)
        for name, text, fingerprint in (
            ("Shape", "union closed\n1 struct { u8 }\n2 struct { ^1 ; ^1 }\n3\n4 list4 ^0\n", "87a4c747ed772323"),
            (
                "Scene",
                "segment 1\nunion closed { 1 struct { u8 } ; 2 struct { ^2 ; ^2 } ; 3 ; 4 list4 ^1 }\nopt message\n^2\n",
                "c3e4ac9ec17b1ef6",
            ),
        ):
            shape = scene.type_named(name)
            self.assertEqual((fingerprint_texts(shape), fingerprints(shape)[0]), ([text], [fingerprint]))
