"""Reading JSON: what is accepted beside the canonical form, and what is refused where (json.md)."""

from conformance.reference.json_read import read_json
from conformance.reference.json_text import parse, quote
from conformance.reference.json_write import write_json
from conformance.reference.shape import Scalar

from .schemas import SpecCase, read_schema

KINDS = read_schema("""
enum Open: u8 { A = 1, @name(json = "bee") B = 2 }
@closed enum Shut: i64 { A = 1 }
struct Two { @name(json = "x-y") a: u8, b: ?bool }
@keep_unknown message Keep { a: u8, o: ?u8, @since(2) c: u16 = 7, @since(2) d: ?str }
message Drop { a: u8 }
union Event { N = 1, @name(json = "u") U(u8) = 2, I { x: bool } = 3, O(?u8) = 4, E(Event) = 5 }
@closed union Only { N = 1 }
struct Lists { l: []u8, m: []u16, n: [2]u8 }
struct Maps { s: map<str, u8>, i: map<i64, u8>, b: map<bool, u8>, e: map<Open, u8>, c: map<Shut, u8> }
struct Chain { next: ?Chain }
""")


def shape(name):
    """Give a type of the schema above, or a scalar."""
    return KINDS.type_named(name) if name in KINDS.shapes else Scalar(name)


class Accepted(SpecCase):
    """Texts, and the canonical text of what they mean."""

    def test_forms(self):
        for name, text, canonical in (
            ("u8", " \t\r\n255 ", "255"), ("u8", '"255"', "255"), ("u64", "18446744073709551615", '"18446744073709551615"'),
            ("i64", '"-9223372036854775808"', '"-9223372036854775808"'), ("bool", "true", "true"),
            ("f32", "1E+2", "100"), ("f32", "-0.0", "-0"), ("f64", "0.10", "0.1"),
            ("timestamp", '"2026-11-21T03:26:00.5Z"', None), ("timestamp", '"1970-01-01T00:00:00.000Z"', '"1970-01-01T00:00:00Z"'),
            ("timestamp", '"1677-09-21T00:12:43.145224192Z"', None), ("timestamp", '"2262-04-11T23:47:16.854775807Z"', None),
            ("timestamp", '"2000-02-29T23:59:59.000000001Z"', None),
            ("duration", '"0s"', None), ("duration", '"-1.5s"', None), ("duration", '"3600s"', None), ("duration", '"-0s"', '"0s"'),
            ("duration", '"1.500000000s"', '"1.5s"'), ("duration", '"-9223372036.854775808s"', None), ("duration", '"-0.000000001s"', None),
            ("uuid", '"00112233-4455-6677-8899-AABBCCDDEEFF"', '"00112233-4455-6677-8899-aabbccddeeff"'),
            ("Open", '"bee"', None), ("Open", '2', '"bee"'), ("Open", '"2"', '"bee"'), ("Open", "9", None), ("Shut", '"1"', '"A"'),
            ("Two", '{"b":null,"x-y":1}', '{"x-y":1,"b":null}'), ("Two", '{"x-y":1}', '{"x-y":1,"b":null}'),
            ("Keep", '{"a":1}', '{"a":1,"o":null,"c":7,"d":null}'),
            ("Keep", '{"$unknown":"qrs=","z":[{"a":1,"a":2}],"a":1,"z":0}', '{"a":1,"o":null,"c":7,"d":null,"$unknown":"qrs="}'),
            ("Keep", '{"a":1,"$unknown":""}', '{"a":1,"o":null,"c":7,"d":null}'),
            ("Drop", '{"$unknown":5,"a":1,"$unknown":6}', '{"a":1}'),
            ("Event", '{"N":null}', None), ("Event", '{"u":1}', None), ("Event", '{"I":{"x":true}}', None), ("Event", '{"O":null}', None),
            ("Event", '{"$unknown":{"payload":"AA==","tag":"9"}}', '{"$unknown":{"tag":9,"payload":"AA=="}}'),
            ("Lists", '{"n":[1,2],"m":[],"l":""}', '{"l":"","m":[],"n":[1,2]}'),
            ("Maps", '{"s":{"b":1,"a":2,"":3},"i":{"5":1,"-1":2},"b":{"true":1,"false":0},"e":{"bee":1,"1":2,"7":3},"c":{"1":4}}',
             '{"s":{"":3,"a":2,"b":1},"i":{"-1":2,"5":1},"b":{"false":0,"true":1},"e":{"A":2,"bee":1,"7":3},"c":{"A":4}}'),
        ):
            with self.subTest(name=name, text=text):
                value = read_json(shape(name), text.encode())
                self.assertEqual(write_json(shape(name), value).decode(), canonical or text)

    def test_strings(self):
        text = '"\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f/\x7f\u2028€😀"'
        self.assertEqual(quote(parse(text.encode()).content), text)
        self.assertEqual(parse(b'"\\ud83d\\ude00\\/\\u0041"').content, "😀/A")

    def test_deep_but_ignored(self):
        brackets = "[" * 9999 + "]" * 9999
        read_json(shape("Drop"), f'{{"z":{brackets},"a":1}}'.encode())
        self.refuses_json(shape("Drop"), f'{{"z":[{brackets}],"a":1}}', "", 5 + 9999)
        self.refuses_json(shape("Drop"), "[" * 1000000, "", 10000)


class IllFormed(SpecCase):
    """Texts that are not JSON: the empty path, whatever else is wrong [JSON-1.3]."""

    def test_texts(self):
        for text, offset in (
            (b"", 0), (b" ", 1), (b"\xef\xbb\xbf1", 0), (b"1 2", 2), (b"nul", 3), (b"nulk", 3), (b"01", 1), (b"-", 1), (b"-a", 1),
            (b"1.", 2), (b"1.e5", 2), (b"1e", 2), (b"1e+", 3), (b"+1", 0), (b".5", 0), (b"NaN", 0), (b"[1,]", 3), (b"[1", 2),
            (b"[,1]", 1), (b'{"a"}', 4), (b'{"a":1,}', 7), (b"{a:1}", 1), (b'{"a":1', 6), (b"[}", 1), (b'"a', 2), (b'"\x01"', 1),
            (b'"\\x"', 2), (b'"\\', 2), (b'"\\u12g4"', 5), (b'"\\ud800"', 1), (b'"\\ud800\\u0041"', 1), (b'"\\udc00"', 1),
            (b'"\\ud83d', 7), (b'"\\ud83d\\', 8), (b'"\\ud83d\\u', 9), (b'"\\ud83d\\ude0', 12), (b'"\\ud83d\\u12g4"', 11), (b'"\\ud83d\\x"', 1),
            (b'"\\ud83d\xff"', 1), (b'"\\ud83d" x', 1), (b'"\xff"', 1), (b'"a\xed\xa0\x80"', 2), (b"1\x00", 1), (b"'a'", 0), (b"// 1", 0), (b'{"x-y":1,"x-y":2,"q"', 20),
            (b"\xc2\xa01", 0), (b"1\xc2\xa0", 1),
        ):
            with self.subTest(text=text):
                self.refuses_json(shape("Two"), text, "", offset)


class Refused(SpecCase):
    """Texts that are JSON but no value of the type."""

    def test_scalars(self):
        for name, *texts in (
            ("bool", "1", '"true"', "null"),
            ("u8", "256", "-1", "-0", "1.0", "1e1", '"01"', '"+1"', '""', '" 1"', "true", "null", '"-0"', '"１"'),
            ("i64", "9223372036854775808", '"-9223372036854775809"', "9" * 5000),
            ("f32", "1e39", '"1"', '"nan"', '"NaN:7F800001"', '"NaN:7f800000"', '"NaN:7ff8000000000000"', "null", '"infinity"'),
            ("f64", "1e309", '"NaN:7fc00000"', '"+Infinity"', "true"),
            ("timestamp", '"2026-11-21T03:26:00"', '"2026-11-21t03:26:00Z"', '"2026-11-21T03:26:00+00:00"', '"2026-11-21T24:00:00Z"',
             '"2026-11-21T23:59:60Z"', '"2026-02-29T00:00:00Z"', '"2026-11-21T03:26:00.Z"', '"2026-11-21T03:26:00.0000000000Z"',
             '"0000-01-01T00:00:00Z"', '"2262-04-11T23:47:16.854775808Z"', '"1677-09-21T00:12:43.145224191Z"', "0", '"2026-13-01T00:00:00Z"',
             '"2026-11-21T03:26:00,5Z"', '"2026-11-21 03:26:00Z"', '"2026-11-21T03:26Z"', '"2026-11-21T03:26:00Z\\n"'),
            ("duration", '"1"', '"01s"', '"+1s"', '".5s"', '"1.s"', '"1.0000000000s"', '"9223372036.854775808s"', '"s"', "1", '"1e3s"',
             '"' + "9" * 6000 + 's"'),
            ("uuid", '"00112233445566778899aabbccddeeff"', '"{00112233-4455-6677-8899-aabbccddeeff}"', '"0"', "0"),
            ("Open", '"C"', '"B"', "256", "1.0", "null", '"a"'), ("Shut", "2", '"2"', '"B"'),
        ):
            for text in texts:
                with self.subTest(name=name, text=text):
                    self.refuses_json(shape(name), text, "", 0)

    def test_structures(self):
        for name, text, path, offset in (
            ("Two", "[]", "", 0), ("Two", "null", "", 0), ("Two", "{}", "a", 0), ("Two", '{"a":1}', "", 1), ("Two", '{"x-y":"a"}', "a", 7),
            ("Two", '{"x-y":1,"b":true,"x-y":2}', "a", 18), ("Two", '{"x-y":1,"c":0}', "", 9), ("Two", '{"x-y":1,"$unknown":""}', "", 9),
            ("Two", '{"c":0,"x-y":300}', "", 1), ("Two", '{"x-y":300,"c":0}', "a", 7),
            ("Keep", "{}", "a", 0), ("Keep", '{"a":1,"c":null}', "c", 11), ("Keep", '{"a":1,"$unknown":"qrs"}', "", 18),
            ("Keep", '{"a":1,"$unknown":null}', "", 18), ("Keep", '{"$unknown":"","a":1,"$unknown":""}', "", 21),
            ("Keep", '{"a":1,"a":1}', "a", 7), ("Drop", '{"z":0}', "a", 0),
            ("Event", "{}", "", 0), ("Event", "[]", "", 0), ("Event", '{"U":1}', "", 1), ("Event", '{"N":0}', "N", 5), ("Event", '{"u":300}', "U", 5),
            ("Event", '{"u":1,"N":null}', "", 7), ("Event", '{"u":300,"N":null}', "U", 5), ("Event", '{"I":{}}', "I.x", 5),
            ("Event", '{"I":{"x":1}}', "I.x", 10), ("Event", '{"I":{"x":true,"y":0}}', "I", 15),
            ("Event", '{"$unknown":{"tag":9}}', "", 12), ("Event", '{"$unknown":{"tag":9,"payload":"A"}}', "", 31),
            ("Event", '{"$unknown":{"tag":0,"payload":""}}', "", 19), ("Event", '{"$unknown":{"tag":2,"payload":""}}', "", 19),
            ("Event", '{"$unknown":{"tag":256,"payload":""}}', "", 19), ("Event", '{"$unknown":{"tag":9,"tag":9}}', "", 21),
            ("Event", '{"$unknown":{"tag":9,"payload":"","x":0}}', "", 34), ("Event", '{"$unknown":null}', "", 12),
            ("Event", '{"E":{"$unknown":{}}}', "E", 17), ("Only", '{"$unknown":{"tag":9,"payload":""}}', "", 1),
            ("Lists", '{"l":[1]}', "l", 5), ("Lists", '{"l":"AA"}', "l", 5), ("Lists", '{"l":"AB=="}', "l", 5), ("Lists", '{"l":"AA==\\n"}', "l", 5),
            ("Lists", '{"l":"_-=="}', "l", 5), ("Lists", '{"m":[1,null]}', "m[1]", 8), ("Lists", '{"n":[1]}', "n", 5),
            ("Lists", '{"n":[1,2,"x"]}', "n[2]", 10), ("Lists", '{"n":"AAA="}', "n", 5), ("Lists", '{"l":"","m":[]}', "n", 0), ("Lists", "{}", "l", 0),
            ("Maps", '{"s":{"a":1,"\\u0061":2}}', "s[1].key", 12), ("Maps", '{"i":{"01":1}}', "i[0].key", 6), ("Maps", '{"b":{"True":1}}', "b[0].key", 6),
            ("Maps", '{"e":{"bee":1,"2":2}}', "e[1].key", 14), ("Maps", '{"e":{"B":1}}', "e[0].key", 6), ("Maps", '{"c":{"2":1}}', "c[0].key", 6),
            ("Maps", '{"s":{"b":1,"a":300}}', "s[1].value", 16), ("Maps", '{"s":[]}', "s", 5),
        ):
            with self.subTest(name=name, text=text):
                self.refuses_json(shape(name), text, path, offset)

    def test_depth(self):
        read_json(shape("Chain"), ('{"next":' * 63 + "{}" + "}" * 63).encode())
        self.refuses_json(shape("Chain"), '{"next":' * 64 + "{}" + "}" * 64, ".".join(["next"] * 64), 64 * 8)
        self.refuses_json(shape("Event"), '{"E":' * 64 + '{"N":null}' + "}" * 64, ".".join(["E"] * 64), 64 * 5)
