"""Schemas that the tests use, and a way to read a schema from its text."""

import tempfile
import unittest
from pathlib import Path

from conformance.reference.decode import decode
from conformance.reference.encode import encode
from conformance.reference.json_read import read_json
from conformance.reference.json_write import write_json
from conformance.reference.refusal import Limits, Refusal
from conformance.reference.schema import load_schema


def read_schema(text, name="t.sdp", others=()):
    """Read a schema from its text; ``others`` are (path, text) of files beside it."""
    with tempfile.TemporaryDirectory() as folder:
        for path, content in ((name, text), *others):
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")
        return load_schema(Path(folder, name))


DEMO = read_schema("""
package demo;
enum Kind: u8 { Effect = 0, Instrument = 1 }
struct Plugin { name: @len(u8) str, gain: f32, on: bool, note: ?str }
@id(7) message Registry { plugins: []Plugin, @since(2) total: u32, @since(2) host: str = "x" }
union HostEvent { Loaded(Plugin) = 1, Changed { id: u32, value: f32 } = 2, Stopped = 3 }
struct Levels { m: map<@len(u8) str, i16> }
""")
"""The schema of the examples in wire.md, section 15."""


class SpecCase(unittest.TestCase):
    """Assertions about refusals, which name the refusal, the offset and the path."""

    def refuses(self, name, offset, path, call, *arguments):
        """Assert that a call is refused in exactly this way."""
        with self.assertRaises(Refusal) as caught:
            call(*arguments)
        refusal = caught.exception
        self.assertEqual((refusal.name, refusal.offset, refusal.path), (name, offset, path))

    def refuses_bytes(self, shape, data, name, offset, path, read=decode, **limits):
        """Assert how bytes, given in hexadecimal, are refused."""
        self.refuses(name, offset, path, read, shape, bytes.fromhex(data), Limits(**limits))

    def accepts(self, shape, data, text, **limits):
        """Assert that bytes are the encoding of the value that a JSON text spells, in all four directions."""
        value = decode(shape, bytes.fromhex(data), Limits(**limits))
        self.assertEqual(write_json(shape, value).decode("utf-8"), text)
        self.assertEqual(encode(shape, value).hex(" "), bytes.fromhex(data).hex(" "))
        self.assertEqual(read_json(shape, text.encode("utf-8")), value)

    def refuses_json(self, shape, text, path, offset=None):
        """Assert how a JSON text is refused; the offset only SHOULD be as it is [JSON-6.4]."""
        data = text if isinstance(text, bytes) else text.encode("utf-8")
        with self.assertRaises(Refusal) as caught:
            read_json(shape, data)
        refusal = caught.exception
        self.assertEqual((refusal.name, refusal.path), ("json_invalid", path), text)
        if offset is not None:
            self.assertEqual(refusal.offset, offset, text)
