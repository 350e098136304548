"""Tests of the harness for sessions: that it sees what it is there to see."""

import json
import unittest

from conformance.harness.cases import Malformed
from conformance.harness.frames import read_case
from conformance.harness.sessions import SessionChecker

PING = "3150584d840000000200000000000000" + "00" * 16 + "1122334455667788"
PONG = "3150584d850000000200000000000000" + "00" * 16 + "1122334455667788"
NO_HASH = PONG[:-16] + "00" * 8
STEPS = [
    {"do": {"deliver": {"type": "Ping", "id": 2}}, "frames": [{"type": "Pong", "id": 2}]},
    {"do": {"cancel": {"id": 1}}, "events": [{"ended": {"id": 1, "status": 1, "name": "cancelled", "acted": 0}}]},
    {"do": {"call": {"service": 0, "method": 1, "value": ""}}, "result": "session_draining"},
    {"do": {"state": {}}, "answer": {"in": 0}},
]
ENDED = "ended\tid=1\tstatus=1\tname=63616e63656c6c6564\ttext=-\tdetails=-\tacted=0"


def case(steps=STEPS, **more):
    """Read a case of a session that serves nothing."""
    return read_case("mxp/session/case", json.dumps({"about": "A Ping.", "spec": ["MXP-10.3"], "mode": "session", "session": {"role": "opener"}, "steps": steps} | more))


class Fake:
    """A runner whose session answers Ping, whole or in pieces, and otherwise as STEPS has it, but for what ``change`` gives."""

    def __init__(self, change):
        self.change = change
        self.pieces = ""
        self.frames = []
        self.happened = []
        self.switches = 0

    def ask(self, line):
        return {"result": "accept", "bytes": PING}

    def ask_lines(self, line):
        changed = self.change(line)
        words = line.split()
        answer = changed if changed is not None else getattr(self, words[1])(words[2:])
        return {"result": "ok", "used": "1"} | answer[0], answer[1]

    def ask_all(self, lines):
        self.switches += 1
        return [self.ask_lines(line) for line in lines]

    def new(self, words):
        self.pieces, self.frames, self.happened = "", [], []
        return {}, []

    def deliver(self, words):
        self.frames.append(PONG)
        return {"used": "40"}, []

    def receive(self, words):
        piece = words[-1].removeprefix("bytes=").strip("-")
        self.pieces += piece
        if self.pieces == PING:
            self.deliver(words)
            self.pieces = ""
        happened, self.happened = self.happened, []
        return {"used": str(len(piece) // 2)}, happened

    def poll(self, words):
        frames, self.frames = self.frames, []
        return {}, frames

    def cancel(self, words):
        self.happened.append(ENDED)
        return {}, []

    def call(self, words):
        return {"result": "refused", "error": "session_draining"}, []

    def state(self, words):
        return {"in": "0"}, []


def failures(change=lambda line: None, of=None):
    """Give what a run of a case finds wrong with a changed runner."""
    return SessionChecker(of or case(), Fake(change)).run().failures


def only(part, *answer):
    """Change the answers to requests that have a part."""
    return lambda line: answer if part in line else None


class Sessions(unittest.TestCase):
    def test_a_step_is_asked_at_once(self):
        fake, of = Fake(lambda line: None), case([STEPS[1]] * 4)
        self.assertEqual(SessionChecker(of, fake).run().failures, [])
        self.assertEqual(fake.switches, 4)

    def test_right_answers_pass(self):
        self.assertEqual(failures(), [])

    def test_wrong_answers_fail(self):
        for what, change in (
            ("no session", only("session new", {"result": "error"}, [])),
            ("another event", only("bytes=-", {}, [ENDED.replace("acted=0", "acted=1")])),
            ("no event", only("bytes=-", {}, [])),
            ("an event more", only("deliver", {}, [ENDED])),
            ("no frame", only("poll", {}, [])),
            ("another frame", only("poll", {}, [PING])),
            ("another payload", only("poll", {}, [PONG[:48] + "0100000000000000" + "00" + PONG[-16:]])),
            ("no hash", only("poll", {}, [NO_HASH])),
            ("no refusal", only("call", {}, [])),
            ("another refusal", only("call", {"result": "refused", "error": "session_closed"}, [])),
            ("another number", only("state", {"in": "1"}, [])),
            ("no number", only("state", {}, [])),
            ("bytes left", only(f"bytes={PING[:20]}", {"used": "0"}, [])),
            ("nothing of pieces", lambda line: ({"used": "1"}, []) if "bytes=31" in line and PING not in line else None),
            ("a dead runner", only("poll", {"result": "died"}, [])),
        ):
            with self.subTest(what):
                self.assertNotEqual(failures(change), [])

    def test_a_variant_is_run_for_each(self):
        more = [{"do": {"state": {}}, "answer": {"in": 0}}, {"do": {"state": {}}, "answer": {"in": 7}}]
        self.assertIn("variant 1", failures(of=case(each=more))[0])

    def test_steps_that_make_no_sense_are_refused(self):
        for steps in (
            [{"do": {"state": {}}, "eventz": []}],
            [{"do": {"state": {}, "poll": {}}}],
            [{"do": {"state": {}}, "events": [{"begun": {}}]}],
            [{"do": {"deliver": {"type": "Drain", "parts": [{"Farewell": {"why": "x"}}]}}}],
        ):
            with self.subTest(steps), self.assertRaises(Malformed):
                case(steps)


if __name__ == "__main__":
    unittest.main()
