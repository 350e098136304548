"""Tests of the harness: that it sees what it is there to see."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from conformance.harness.__main__ import run_cases, verdict
from conformance.harness.cases import Malformed, read_case
from conformance.harness.checks import Asker, Checker
from conformance.harness.coverage import clauses
from conformance.harness.runners import Died, LineRunner

ACCEPTED = """{
  "about": "Two bools.", "spec": ["WIRE-4.3"], "schema": "scalars", "type": "Flags", "mode": "bytes",
  "bytes": "00 01", "result": "accept", "value": {"first":false,"second":true}
}"""
REFUSED = """{
  "about": "No bool.", "spec": ["WIRE-4.3"], "schema": "scalars", "type": "Flags", "mode": "bytes",
  "bytes": "00 02", "result": "reject", "error": "bool_invalid", "offset": 1, "path": "second"
}"""


def flags(op, schema, type_name, data, options):
    """Answer for the type of the cases above, rightly."""
    if op in ("json", "encode"):
        return {"result": "accept", "json": data.decode(), "bytes": "0001"}
    if op == "view":
        return {"result": "accept"} if data == b"\0\1" else flags("decode", schema, type_name, data, options)
    for at, name in enumerate(("first", "second")):
        if at == len(data):
            return {"result": "reject", "error": "truncated", "offset": at, "path": name}
        if data[at] > 1:
            return {"result": "reject", "error": "bool_invalid", "offset": at, "path": name}
    return {"result": "accept", "json": '{"first":false,"second":true}', "bytes": "0001", "allocated": 0, "factor": 3}


class Fake:
    """A runner that answers as ``flags`` does, but for what ``change`` gives."""

    def __init__(self, change=lambda *request: None, lacks=()):
        self.name = "fake"
        self.lacks = dict.fromkeys(lacks, "")
        self.change = change

    def ask(self, *request):
        return self.change(*request) or flags(*request)


def failures(text, change=lambda *request: None):
    """Give what a run of one case finds wrong with a changed runner."""
    case = read_case("valid/bool/case", text)
    return Checker(case, Asker(Fake(change)), Asker(Fake())).run().failures


def only(op, answer, size=2):
    """Change the answer to one operation on inputs of one size."""
    return lambda asked, schema, type_name, data, options: answer if asked == op and len(data) == size else None


class CheckTest(unittest.TestCase):
    def test_right_answers_pass(self):
        self.assertEqual([], failures(ACCEPTED))
        self.assertEqual([], failures(REFUSED))

    def test_each_wrong_answer_fails(self):
        right = flags("decode", "", "", b"\0\1", ())
        refusal = flags("decode", "", "", b"\0\2", ())
        for about, text, change in (
            ("value", ACCEPTED, only("decode", right | {"json": "{}"})),
            ("bytes", ACCEPTED, only("decode", right | {"bytes": "0000"})),
            ("refused", ACCEPTED, only("decode", refusal)),
            ("encode", ACCEPTED, only("encode", {"result": "accept", "bytes": "00"}, 29)),
            ("json", ACCEPTED, only("json", {"result": "accept", "json": "{ }"}, 29)),
            ("view", ACCEPTED, only("view", refusal)),
            ("alias", ACCEPTED, only("alias", right | {"json": "{}"})),
            ("reuse", ACCEPTED, only("reuse", right | {"bytes": "01"})),
            ("prefix accepted", ACCEPTED, only("decode", right, 1)),
            ("prefix refused elsewhere", ACCEPTED, only("decode", {"result": "reject", "error": "truncated", "offset": 0, "path": "second"}, 1)),
            ("accepted", REFUSED, only("decode", right)),
            ("name", REFUSED, only("decode", refusal | {"error": "truncated"})),
            ("offset", REFUSED, only("decode", refusal | {"offset": 0})),
            ("path", REFUSED, only("decode", refusal | {"path": "first"})),
            ("error", REFUSED, only("decode", {"result": "error", "message": "?"})),
        ):
            with self.subTest(about):
                self.assertNotEqual([], failures(text, change))

    def test_runner_that_reads_no_json_is_asked_for_the_rest(self):
        def ask(op, *request):
            asked.add(op)

        asked = set()
        lacks = ("json", "encode")
        read = read_case("valid/bool/case", ACCEPTED.replace('"bytes": "00 01"', '"json": "{}", "encoding": "00 01"').replace('"mode": "bytes"', '"mode": "json"'))
        for case in (read_case("valid/bool/case", ACCEPTED), read):
            asker = Asker(Fake(ask, lacks))
            checker = Checker(case, asker, Asker(Fake())).run()
            checker.feed({('{"first":false,"second":true}', "0001")})
            self.assertEqual([], checker.failures)
            self.assertGreater(checker.checks, 1)
            self.assertEqual(set(lacks), set(asker.unable))
        self.assertEqual({"decode", "view", "alias", "reuse"}, asked)

    def test_memory_over_the_bound_fails(self):
        right = flags("decode", "", "", b"\0\1", ())
        self.assertEqual([], failures(ACCEPTED, only("decode", right | {"allocated": 65536 + 6})))
        self.assertNotEqual([], failures(ACCEPTED, only("decode", right | {"allocated": 65536 + 7})))

    def test_runner_that_dies_fails_and_is_asked_on(self):
        def die(*request):
            raise Died("gone")

        self.assertNotEqual([], failures(REFUSED, die))

    def test_output_of_one_runner_is_fed_to_the_others(self):
        case = read_case("valid/bool/case", ACCEPTED)
        checker = Checker(case, Asker(Fake()), Asker(Fake()))
        checker.feed({('{"first":true,"second":true}', "0101")})
        self.assertNotEqual([], checker.failures)


class VerdictTest(unittest.TestCase):
    def verdict(self, change, known):
        case = read_case("invalid/bool/case", REFUSED)
        done = run_cases([case], [Asker(Fake(change))])
        with contextlib.redirect_stdout(io.StringIO()):
            return verdict("fake", done["fake"], known, 9)

    def test_known_failures_are_exact(self):
        wrong = only("decode", flags("decode", "", "", b"\0\1", ()))
        right = only("decode", None)
        self.assertEqual((1, 0), self.verdict(right, set()))
        self.assertEqual((0, 1), self.verdict(wrong, set()))
        self.assertEqual((1, 0), self.verdict(wrong, {"invalid/bool/case"}))
        self.assertEqual((0, 1), self.verdict(right, {"invalid/bool/case"}))
        self.assertEqual((0, 1), self.verdict(right, {"invalid/bool/gone"}))


class ReadTest(unittest.TestCase):
    def test_values_keep_the_text_of_their_numbers(self):
        text = ACCEPTED.replace('{"first":false,"second":true}', '{"a":[1e+21, -0, 0.1],"b":"\\u00e9\\u0001\\n"}')
        self.assertEqual('{"a":[1e+21,-0,0.1],"b":"é\\u0001\\n"}', read_case("valid/bool/case", text).value)

    def test_repeated_bytes_are_expanded(self):
        text = REFUSED.replace('"00 02"', '["00", {"repeat": "0102", "times": 3}, "ff"]')
        self.assertEqual(bytes.fromhex("00010201020102ff"), read_case("invalid/bool/case", text).data)

    def test_misspelt_members_are_no_case(self):
        with self.assertRaises(Malformed):
            read_case("invalid/bool/case", REFUSED.replace('"offset"', '"ofset"'))

    def test_clauses_end_where_the_next_begins(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "a.md").write_text(
                "# A\n\n- **[WIRE-1.1]** One MUST\n  go on.\n- **[WIRE-1.2]** Two.\n\nIt MUST not count.\n\n"
                "| clause | what |\n|---|---|\n| **[WIRE-2.1]** | it MUST |\n"
            )
            found = clauses(folder)
        self.assertEqual(["WIRE-1.1", "WIRE-1.2", "WIRE-2.1"], list(found))
        self.assertEqual([True, False, True], ["MUST" in text for text in found.values()])


class ProcessTest(unittest.TestCase):
    def test_runner_that_ends_is_started_again(self):
        runner = LineRunner("sh", ["sh", "-c", 'read line; printf "reject\\terror=truncated\\toffset=3\\tpath=a b\\n"'], {})
        for _ in range(2):
            self.assertEqual(
                {"result": "reject", "error": "truncated", "offset": 3, "path": "a b"},
                runner.ask("decode", "s", "T", b"", ()),
            )
            with self.assertRaises(Died):
                runner.ask("decode", "s", "T", b"", ())
        runner.close()

    def test_runner_that_ends_badly_fails(self):
        runner = LineRunner("sh", ["sh", "-c", "read line; printf 'ok\\n'; read line; exit 23"], {})
        self.assertEqual({"result": "ok"}, runner.ask("decode", "s", "T", b"", ()))
        with self.assertRaisesRegex(Died, "exit status 23"):
            runner.close()


if __name__ == "__main__":
    unittest.main()
