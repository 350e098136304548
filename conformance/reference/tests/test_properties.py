"""The laws that must hold for all bytes: one value, one encoding (section 14 of wire.md), and JSON without loss."""

import random
import unittest

from conformance.reference.decode import decode, decode_exact, decode_prefix
from conformance.reference.encode import encode
from conformance.reference.json_read import read_json
from conformance.reference.json_write import write_json
from conformance.reference.layout import read_layout, write_layout
from conformance.reference.refusal import Refusal

from .test_decode import KINDS

SEEDS = {
    "Numbers": "ff 0201 04030201 ffffffffffffffff 80 feff 00000080 0000000000000080 cdcccc3d 9a9999999999b93f 01",
    "Others": "ffffffffffffffff 00d2496b00000000 00112233445566778899aabbccddeeff 2c01 02",
    "Text": "0300 e282ac 02000000 00ff 02 0100 0200 01 07 01",
    "Grid": "0100 0200 0300 0400 05 06 01 02000000 00 01 09",
    "Maps": "02000000 ff01 0002 02000000 0001 0102 02000000 0105 0206 02000000 feff 2c01 02000000 00000000 00000000 01000000 61 01000000 01",
    "Node": "01 00 01000000 02 03000000 01 0700 03 01 04 00 00000000",
    "Around": "04000000 0100 02 00 03000000 07 aabb 09",
    "Outer": "04000000 0100 02 00 02000000 05ff",
    "Event": "04 0e000000 04 09000000 02 04000000 00000000",
    "Nested": "02000000 01 0a0b 02 0c0d",
}

class Properties(unittest.TestCase):
    """Damaged encodings of every kind of type."""

    def test_damaged(self):
        chance = random.Random(4)
        accepted = 0
        for name, seed in SEEDS.items():
            shape = KINDS.type_named(name)
            twin = read_layout(write_layout(shape))[0]
            for _ in range(400):
                data = bytearray.fromhex(seed)
                for _ in range(chance.randrange(3)):
                    data[chance.randrange(len(data))] = chance.choice((0, 1, 2, 3, 5, 255, chance.randrange(256)))
                if chance.randrange(4) == 0:
                    del data[chance.randrange(len(data)):]
                accepted += self.check(shape, twin, bytes(data))
        self.assertGreater(accepted, 1000)

    def check(self, shape, twin, data):
        """Check one slice; ``twin`` is the same type, read from its layout text."""
        outcome = self.outcome(decode, shape, data)
        exact = self.outcome(decode_exact, shape, data)
        if isinstance(outcome, Refusal):
            self.assertIsInstance(exact, Refusal)
            self.assertEqual(str(self.outcome(decode, twin, data)), str(outcome))
            self.assertLessEqual(outcome.offset, len(data))
            return 0
        text = write_json(shape, outcome)
        self.assertEqual(read_json(shape, text), outcome)
        again = encode(shape, outcome)
        self.assertEqual(encode(shape, decode(shape, again)), again)
        if not isinstance(exact, Refusal):
            self.assertEqual(again, data)
            self.assertEqual(exact, outcome)
            self.assertEqual(decode_prefix(shape, data), (outcome, len(data)))
        return 1

    @staticmethod
    def outcome(read, shape, data):
        try:
            return read(shape, data)
        except Refusal as refusal:
            return refusal

    def test_proper_prefixes(self):
        """A top-level message alone may be cut, at the end of a segment or in its tail [WIRE-14.3]."""
        for name, seed in SEEDS.items():
            shape = KINDS.type_named(name)
            data = bytes.fromhex(seed)
            decode(shape, data)
            for size in range(len(data)):
                cut = self.outcome(decode, shape, data[:size])
                expected = name == "Outer" and size == 8
                self.assertEqual(not isinstance(cut, Refusal), expected, (name, size))
