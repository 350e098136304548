"""The requests of a harness (README.md)."""

import json
import tempfile
import unittest
from pathlib import Path

from conformance.reference.service import Service

from .test_examples import EVENT_LAYOUT

SCHEMA = """
@id(7) message Registry { n: u8, @since(2) host: str = "x" }
union Event { A(u8) = 1 }
struct Chain { next: ?Chain }
"""


class Requests(unittest.TestCase):
    """One request and answer of each kind."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.schema = Path(folder.name, "demo.sdp")
        self.schema.write_text(SCHEMA, encoding="utf-8")
        self.service = Service()

    def ask(self, name, operation, **more):
        request = {"schema": str(self.schema), "op": operation} | ({"type": name} if name else {}) | more
        return json.loads(self.service.answer_line(json.dumps(request)))

    def test_decoding(self):
        registry = {"result": "accept", "json": '{"n":5,"host":"x"}', "bytes": "050100000078"}
        self.assertEqual(self.ask("Registry", "decode", bytes="05"), registry)
        self.assertEqual(
            self.ask("Registry", "decode_exact", bytes="05"),
            {"result": "reject", "error": "segment_partial", "offset": 1, "path": ""},
        )
        self.assertEqual(
            self.ask("Event", "decode_prefix", bytes="010100000009ff"),
            {"result": "accept", "json": '{"A":9}', "bytes": "010100000009", "used": 6},
        )
        message = registry | {"type": "demo.Registry", "bytes": "53445032070006000000050100000078"}
        self.assertEqual(self.ask(None, "decode_message", bytes="5344503207000100000005"), message)
        self.assertEqual(
            self.ask("Chain", "decode", bytes="0100", limits={"depth": 1}),
            {"result": "reject", "error": "limit_depth", "offset": 1, "path": "next"},
        )

    def test_deeper_than_values_may_be(self):
        answer = self.ask("Chain", "decode", bytes="01" * 64 + "00", limits={"depth": 99})
        self.assertEqual((answer["result"], answer["json"], answer["bytes"]), ("accept", None, None))
        self.assertEqual(answer["bytes_refusal"]["error"], "limit_depth")

    def test_streams(self):
        answer = self.ask(None, "decode_stream", bytes="53445032080000000000" "5344503207000100000005")
        self.assertEqual([one["result"] for one in answer["reads"]], ["reject", "accept", "end"])
        answer = self.ask("Registry", "decode_stream", bytes="53445032080000000000")
        self.assertEqual([one["error"] for one in answer["reads"]], ["type_id_mismatch"])

    def test_encoding(self):
        self.assertEqual(self.ask("Event", "encode", json='{"A": 9}'), {"result": "accept", "bytes": "010100000009"})
        self.assertEqual(self.ask("Event", "encode", json='{"A": 9}', size=5)["error"], "buffer_too_small")
        self.assertEqual(
            self.ask("Registry", "encode_message", json='{"n":5,"host":""}')["bytes"], "534450320700050000000500000000"
        )
        self.assertEqual(self.ask("Event", "json", json=' {"A":"9"}')["json"], '{"A":9}')
        self.assertEqual(
            self.ask("Event", "json", json_hex="ff"), {"result": "reject", "error": "json_invalid", "offset": 0, "path": ""}
        )

    def test_descriptions(self):
        self.assertEqual(self.ask("Registry", "layout")["layout"], "0 message demo.Registry\n n u8\n@2\n host str4\n")
        self.assertEqual(self.ask("Registry", "fingerprints")["texts"], ["segment 1\nu8\n", "segment 2\nstr4\n"])
        self.assertEqual(self.ask("Registry", "smallest")["smallest"], 5)
        self.assertEqual([one["kind"] for one in self.ask(None, "types")["types"]], ["message", "union", "struct"])
        answer = json.loads(self.service.answer_line(json.dumps(
            {"layout": EVENT_LAYOUT, "op": "decode", "bytes": "0300000000", "tag": 4}
        )))
        self.assertEqual((answer["json"], answer["tag"]), ('{"Stopped":null}', 4))

    def test_errors(self):
        self.assertEqual(self.ask("Nothing", "decode", bytes="")["result"], "error")
        self.assertEqual(json.loads(self.service.answer_line("["))["result"], "error")
