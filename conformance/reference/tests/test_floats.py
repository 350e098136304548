"""Decimal text of floats [JSON-2.4] to [JSON-2.7]."""

import random
import struct
import unittest

from conformance.reference.decimal_text import read_decimal, write_decimal
from conformance.reference.json_read import read_json
from conformance.reference.json_write import write_json
from conformance.reference.shape import Scalar


def bits(name, number):
    """Give the bits of a number."""
    size, integer, floating = {"f32": (4, "<I", "<f"), "f64": (8, "<Q", "<d")}[name]
    return struct.unpack(integer, struct.pack(floating, number))[0]


class Writing(unittest.TestCase):
    """The fewest digits, and where they are put."""

    def test_layout(self):
        for number, text in (
            (0.1, "0.1"), (5.0, "5"), (0.000001, "0.000001"), (1e-7, "1e-7"), (1e20, "100000000000000000000"),
            (1e21, "1e+21"), (1.5e-10, "1.5e-10"), (-0.0, "-0"), (0.0, "0"), (123.456, "123.456"), (-1.0, "-1"),
            (1.5e300, "1.5e+300"), (5e-324, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
            (2.2250738585072014e-308, "2.2250738585072014e-308"), (123456789012345680000.0, "123456789012345680000"),
            (9007199254740993.0, "9007199254740992"), (0.00001234, "0.00001234"), (1.234e-7, "1.234e-7"),
        ):
            self.assertEqual(write_decimal("f64", bits("f64", number)), text)
        for number, text in (
            (0.1, "0.1"), (16777216.0, "16777216"), (3.4028234663852886e38, "3.4028235e+38"), (1e-45, "1e-45"),
            (1.1754943508222875e-38, "1.1754944e-38"), (1e10, "10000000000"), (33554432.0, "33554432"), (0.3, "0.3"),
            (2097152.25, "2097152.2"), (2097152.75, "2097152.8"),
        ):
            self.assertEqual(write_decimal("f32", bits("f32", number)), text)

    def test_fewest_digits_of_f64_are_those_of_python(self):
        """Python's repr gives the fewest digits too, so the digits must agree."""
        chance = random.Random(1)
        for _ in range(1500):
            pattern = chance.getrandbits(63)
            number = struct.unpack("<d", pattern.to_bytes(8, "little"))[0]
            if number - number == 0:
                text = write_decimal("f64", pattern)
                self.assertEqual(float(text), number)
                self.assertEqual(_digits(text), _digits(repr(number)))

    def test_f32_reads_back(self):
        """One digit fewer never reads back; the text itself always does."""
        chance = random.Random(2)
        for _ in range(1500):
            pattern = chance.getrandbits(31)
            if pattern >= 0x7F800000:
                continue
            text = write_decimal("f32", pattern)
            self.assertEqual(read_decimal("f32", text), pattern)
            number = struct.unpack("<f", pattern.to_bytes(4, "little"))[0]
            shorter = len(_digits(text)) - 1
            if shorter:
                self.assertNotEqual(bits("f32", float(f"{number:.{shorter - 1}e}")), pattern)


def _digits(text):
    return text.split("e")[0].replace(".", "").strip("0")


class Reading(unittest.TestCase):
    """Rounding once."""

    def test_f64_as_python(self):
        chance = random.Random(3)
        for _ in range(1500):
            text = f"{chance.randrange(10 ** chance.randrange(1, 25))}.{chance.randrange(1000)}e{chance.randrange(-345, 300)}"
            expected = None if float(text) == float("inf") else bits("f64", float(text))
            self.assertEqual(read_decimal("f64", text), expected, text)

    def test_edges(self):
        for name, text, expected in (
            ("f32", "-0", 0x80000000), ("f32", "-0.0", 0x80000000), ("f32", "-1e-400", 0x80000000), ("f32", "0e999999999999", 0),
            ("f32", "340282356779733661637539395458142568448", None),
            ("f32", "340282356779733661637539395458142568447.9", 0x7F7FFFFF), ("f32", "1e39", None),
            ("f32", "1e99999999999999999999", None), ("f32", "1e-99999999999999999999", 0),
            ("f32", "0.7006492321624085354618e-45", 0), ("f32", "0.7006492321624085354619e-45", 1),
            ("f32", "16777217", 0x4B800000), ("f32", "16777219", 0x4B800002),
            ("f32", "16777217.0000000001", 0x4B800001),
            ("f64", "1.7976931348623159e308", None), ("f64", "4.9e-324", 1), ("f64", "2e-324", 0), ("f64", "1E2", 0x4059000000000000),
        ):
            self.assertEqual(read_decimal(name, text), expected, text)

    def test_double_rounding(self):
        """1 + 2^-24 + 2^-60 is over the middle of two f32; through an f64 it would be on it [JSON-2.7]."""
        text = "1.000000059604644775390625000000867361737988403547205962240695953369140625"
        self.assertEqual(read_decimal("f32", text), 0x3F800001)
        self.assertEqual(bits("f32", float(text)), 0x3F800000)


class Special(unittest.TestCase):
    """Infinities and NaNs [JSON-2.6]."""

    def test_both_ways(self):
        for name, pattern, text in (
            ("f32", 0x7F800000, '"Infinity"'), ("f32", 0xFF800000, '"-Infinity"'), ("f32", 0x7FC00000, '"NaN"'),
            ("f32", 0xFFC00000, '"NaN:ffc00000"'), ("f32", 0x7F800001, '"NaN:7f800001"'),
            ("f64", 0x7FF0000000000000, '"Infinity"'), ("f64", 0x7FF8000000000000, '"NaN"'),
            ("f64", 0x7FF0000000000001, '"NaN:7ff0000000000001"'),
        ):
            self.assertEqual(write_json(Scalar(name), pattern).decode(), text)
            self.assertEqual(read_json(Scalar(name), text.encode()), pattern)
        self.assertEqual(read_json(Scalar("f32"), b'"NaN:7fc00000"'), 0x7FC00000)
