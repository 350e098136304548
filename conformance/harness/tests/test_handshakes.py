"""Tests of the releases that meet: that the harness sees what it is there to see."""

import unittest
from collections import Counter

from conformance.harness.handshakes import Pair, Side, judge, meet

OLD = "0 union s.U\n A 1\n"
MORE = "0 union s.U\n A 1\n B 2\n"
OTHER = "0 union s.U\n A 2\n"
DIFFERENCE = "s.U.A: here tag 1, there tag 2"


def release(text):
    """Give a release with a method whose requests are of one type. Its fingerprints tell nothing: the hashes are compared."""
    types = [{"name": "s.U", "fingerprints": ["01"], "text": text}]
    return {"text": "", "types": types, "uses": ["s.U:s.S:1:ask:request"]}


def pair(new, reads):
    """Give a pair of releases."""
    verdicts = [{"name": "s.U", "old_reads": reads, "new_reads": reads}]
    return Pair({"number": 0, "edits": ["one"], "old": release(OLD), "new": release(new), "verdicts": verdicts})


class Fake:
    """A runner of sessions that says of methods what it is told to say."""

    name = "fake"

    def __init__(self, lines=(), call="ok", error=None):
        self.lines = list(lines)
        self.call = {"result": call, "error": error}

    def ask_lines(self, line):
        """Answer."""
        if line == "session differences":
            return {"result": "ok"}, self.lines
        return (self.call if line.startswith("session call") else {"result": "ok"}), []

    def ask_all(self, lines):
        """Answer all."""
        return [self.ask_lines(line) for line in lines]


def line(served, text=DIFFERENCE):
    """Give the line of a method that is refused."""
    return f"difference\tserved={served}\tmethod=1\ttext={text.encode().hex()}"


class Judging(unittest.TestCase):
    """A refusal of the reference is held against the verdicts."""

    def test_an_alternative_more_is_kept_and_counted(self):
        counts = Counter()
        self.assertEqual(judge(pair(MORE, "yes"), counts), [])
        self.assertEqual((counts["yes kept"], counts["yes clashing"]), (2, 2))

    def test_what_is_not_read_is_refused(self):
        counts = Counter()
        self.assertEqual(judge(pair(OTHER, "no"), counts), [])
        self.assertEqual(counts["no refused"], 2)

    def test_a_refusal_of_what_is_read_is_wrong(self):
        self.assertIn("method 1 of the new release is refused, and its bytes are read", judge(pair(OTHER, "yes"), Counter()))

    def test_what_is_not_read_and_kept_is_wrong(self):
        self.assertIn("method 1 of the old release is not refused, and its bytes are not read", judge(pair(OLD, "no"), Counter()))

    def test_a_refusal_of_one_side_is_wrong(self):
        one = pair(OTHER, "no")
        del one.refused["new"][1, 1]
        self.assertIn("method 1 of the new release is refused on one side alone", judge(one, Counter()))


class Meeting(unittest.TestCase):
    """An answer of a session is held against the reference."""

    def test_a_session_that_agrees_is_right(self):
        right = Side(Fake([line(1), line(0)], "refused", "session_schema"), "opener", pair(OTHER, "no"), "old")
        self.assertEqual(list(right.problems()), [])

    def test_a_difference_that_is_told_otherwise_is_seen(self):
        for lines in ([], [line(1)], [line(0), line(1)], [line(1, "s.U.A"), line(0)]):
            side = Side(Fake(lines, "refused", "session_schema"), "opener", pair(OTHER, "no"), "old")
            self.assertEqual(len(list(side.problems())), 1)

    def test_a_call_that_is_not_refused_is_seen(self):
        for fake in (Fake([line(1), line(0)]), Fake([line(1), line(0)], "refused", "session_not_ready")):
            self.assertEqual(len(list(Side(fake, "opener", pair(OTHER, "no"), "old").problems())), 1)

    def test_a_call_that_is_refused_and_should_not_is_seen_on_both_sides(self):
        fake = Fake([], "refused", "session_schema")
        self.assertEqual(len(meet(pair(MORE, "yes"), fake, fake, True)), 2)


if __name__ == "__main__":
    unittest.main()
