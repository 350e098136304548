"""Message mode and streams (sections 10 and 11 of wire.md)."""

from conformance.reference.framing import Stream, decode_message
from conformance.reference.refusal import Limits, Refusal

from .schemas import SpecCase, read_schema

PACKAGE = read_schema("""
@id(1) struct One { x: bool }
@id(0x0203) message Two { x: u8, @since(2) y: u8 }
struct None_ { x: u8 }
@id(4) union Four { A = 1 }
""")
MAGIC = "53 44 50 32 "


class MessageMode(SpecCase):
    """The header's checks in their order."""

    def check(self, data, name, offset, path="", asked=None, **limits):
        shape = None if asked is None else PACKAGE.type_named(asked)
        self.refuses(name, offset, path, decode_message, shape, PACKAGE.by_id(), bytes.fromhex(data), Limits(**limits))

    def test_accepted(self):
        shape, value = decode_message(None, PACKAGE.by_id(), bytes.fromhex(MAGIC + "0302 01000000 05"))
        self.assertEqual((shape.name, value.fields), ("t.Two", {"x": 5, "y": 0}))
        limits = Limits(message_bytes=1)
        decode_message(PACKAGE.type_named("One"), {}, bytes.fromhex(MAGIC + "0100 01000000 01"), limits)

    def test_magic_and_version(self):
        self.check("", "truncated", 0)
        self.check("53 44", "truncated", 0)
        self.check("53 44 50", "truncated", 0)
        self.check("53 45", "magic_invalid", 0)
        self.check("54", "magic_invalid", 0)
        self.check("53 44 51 31", "magic_invalid", 0)
        self.check("53 44 50 31", "version_unsupported", 3)

    def test_short_header(self):
        self.check(MAGIC, "truncated", 4)
        self.check(MAGIC + "ff", "truncated", 4)
        self.check(MAGIC + "ff ff", "truncated", 6)
        self.check(MAGIC + "ff ff 00 00 00", "truncated", 6)

    def test_ids_and_lengths(self):
        self.check(MAGIC + "0200 ffffffff", "type_id_unknown", 4)
        self.check(MAGIC + "0400 ffffffff", "type_id_mismatch", 4, asked="One")
        self.check(MAGIC + "0100 ffffffff", "limit_message_bytes", 6)
        self.check(MAGIC + "0100 02000000 02", "payload_length", 6)
        self.check(MAGIC + "0100 02000000 02", "limit_message_bytes", 6, message_bytes=1)

    def test_payload(self):
        self.check(MAGIC + "0100 00000000", "truncated", 10, "x")
        self.check(MAGIC + "0100 00000000 01", "truncated", 10, "x")
        self.check(MAGIC + "0100 01000000 02", "bool_invalid", 10, "x")
        self.check(MAGIC + "0100 01000000 02 ff", "bool_invalid", 10, "x")
        self.check(MAGIC + "0100 02000000 01 ff", "trailing_bytes", 11)
        self.check(MAGIC + "0100 01000000 01 ff", "trailing_bytes", 11)
        self.check(MAGIC + "0302 00000000", "segment_partial", 10, "x")
        self.check(MAGIC + "0302 03000000 01 02 03 04", "trailing_bytes", 13)
        self.check(MAGIC + "0400 06000000 01 01000000 00", "union_length", 15)


class Streams(SpecCase):
    """Reading one message after another."""

    def read(self, data, asked=None, **limits):
        shape = None if asked is None else PACKAGE.type_named(asked)
        stream = Stream(shape, PACKAGE.by_id(), bytes.fromhex(data), Limits(**limits))
        found = []
        while True:
            try:
                one = stream.read()
            except Refusal as refusal:
                found.append((refusal.name, refusal.offset, refusal.path))
                if stream.ended is None:
                    continue
                self.refuses(*found[-1], stream.read)
                return found
            if one is None:
                self.assertIsNone(stream.read())
                return found
            found.append(one[0].name)

    def test_messages(self):
        one = MAGIC + "0100 01000000 01"
        self.assertEqual(self.read(""), [])
        self.assertEqual(self.read(one + MAGIC + "0302 00000000"), ["t.One", ("segment_partial", 10, "x")])
        self.assertEqual(self.read(one + MAGIC + "0400 05000000 01 00000000" + one), ["t.One", "t.Four", "t.One"])
        self.assertEqual(self.read(one + "53"), ["t.One", ("truncated", 0, "")])
        self.assertEqual(self.read(one + "00"), ["t.One", ("magic_invalid", 0, "")])
        self.assertEqual(self.read(one + MAGIC + "0100 01"), ["t.One", ("truncated", 6, "")])
        self.assertEqual(self.read(MAGIC + "0100 02000000 02"), [("truncated", 6, "")])
        self.assertEqual(self.read(MAGIC + "0100 02000000 02", message_bytes=1), [("limit_message_bytes", 6, "")])
        self.assertEqual(self.read(MAGIC + "0400 00000000", "One"), [("type_id_mismatch", 4, "")])

    def test_unknown_ids_are_skipped(self):
        unknown = ("type_id_unknown", 4, "")
        one = MAGIC + "0100 01000000 01"
        self.assertEqual(self.read(MAGIC + "0900 02000000 ff ff" + one, message_bytes=1), [unknown, "t.One"])
        self.assertEqual(self.read(MAGIC + "0900 00000000"), [unknown])
        self.assertEqual(self.read(MAGIC + "0900 ffffffff 00"), [("truncated", 6, "")])
        self.assertEqual(self.read((MAGIC + "0900 01000000 00") * 2 + one), [unknown, unknown, "t.One"])
