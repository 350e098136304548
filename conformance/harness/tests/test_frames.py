"""Tests of the harness for frames: that it sees what it is there to see."""

import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

from conformance.harness.cases import Malformed
from conformance.harness.frames import FrameChecker, FrameRunner, read_case

OWN = "3150584d f1 00 0000 0100000000000000 0200000000000000 0100000000000000 2a 1122334455667788"
FRAME = '{"type": 241, "flags": 0, "id": 1, "trace": 2, "payload": "2a"}'
FIELDS = {"result": "accept", "type": "241", "flags": "0", "id": "1", "trace": "2", "payload": "2a"}
SIZE = 41


def case(mode, more):
    """Read a case of one mode."""
    return read_case("mxp/topic/case", f'{{"about": "A frame.", "spec": ["MXP-1.1"], "mode": "{mode}", {more}}}')


ACCEPTED = case("frame", f'"bytes": "{OWN}", "result": "accept", "frame": {FRAME}')
REFUSED = case("frame", '"bytes": "00", "result": "reject", "error": "frame_truncated", "offset": 1')
STREAM = case("frames", f'"bytes": "{OWN} 31", "frames": [{FRAME}], "result": "reject", "error": "frame_truncated", "offset": 1')
WRITTEN = case("write", '"frame": {"type": 0, "flags": 0, "id": 0, "trace": 0, "payload": ""}, "result": "reject", "error": "frame_type", "offset": 4')


def refused(error, offset):
    """Give a refusal."""
    return {"result": "reject", "error": error, "offset": offset}


class Fake:
    """A runner that knows one frame, and answers rightly but for what ``change`` gives."""

    def __init__(self, change=lambda line: None):
        self.change = change
        self.own = bytes.fromhex(OWN)

    def ask(self, line):
        return self.change(line) or getattr(self, line.split()[0])(line.split()[1:])

    def ask_each(self, lines):
        return [self.ask(line) for line in lines]

    def frame(self, words):
        data = bytes.fromhex(words[0].replace("-", ""))
        if len(data) < SIZE:
            return refused("frame_truncated", len(data))
        if data[:SIZE] != self.own:
            return refused("frame_checksum", 33)
        if len(data) > SIZE and "prefix=yes" not in words:
            return refused("frame_trailing", SIZE)
        return FIELDS | {"bytes": self.own.hex(), "used": SIZE}

    def frames(self, words):
        return {"result": "stream", "reads": [FIELDS, refused("frame_truncated", 1)]}

    def write(self, words):
        return refused("frame_type", 4) if "type=0" in words else {"result": "accept", "bytes": self.own.hex()}


def failures(of, change=lambda line: None):
    """Give what a run of one case finds wrong with a changed runner."""
    return FrameChecker(of, Fake(change)).run().failures


def only(part, answer):
    """Change the answers to requests that have a part."""
    return lambda line: answer if part in line else None


class Frames(unittest.TestCase):
    def test_right_answers_pass(self):
        for one in (ACCEPTED, REFUSED, STREAM, WRITTEN):
            self.assertEqual(failures(one), [])

    def test_wrong_answers_fail(self):
        own = bytes.fromhex(OWN).hex()
        flipped = "3050" + own[4:]
        for what, of, change in (
            ("another field", ACCEPTED, only(f"frame {own}", FIELDS | {"id": "2", "bytes": own, "used": SIZE})),
            ("other bytes", ACCEPTED, only("write", {"result": "accept", "bytes": "00"})),
            ("a prefix", ACCEPTED, lambda line: refused("frame_truncated", 9) if line == f"frame {own[:20]}" else None),
            ("one more byte", ACCEPTED, only(f"frame {own}00 ", FIELDS)),
            ("a flipped bit", ACCEPTED, only(f"frame {flipped}", FIELDS)),
            ("another offset", REFUSED, only("frame", refused("frame_truncated", 0))),
            ("another name", REFUSED, only("frame", refused("frame_magic", 1))),
            ("a frame less", STREAM, only("frames", {"result": "stream", "reads": [refused("frame_truncated", 1)]})),
            ("a frame more", STREAM, only("cuts=7", {"result": "stream", "reads": [FIELDS, FIELDS, refused("frame_truncated", 1)]})),
            ("another end", STREAM, only("cuts=7", {"result": "stream", "reads": [FIELDS, {"result": "end"}]})),
            ("what must not be written", WRITTEN, only("write", {"result": "accept", "bytes": "00"})),
            ("a dead runner", STREAM, only("frames", {"result": "died", "message": "it has ended"})),
        ):
            with self.subTest(what):
                self.assertNotEqual(failures(of, change), [])

    def test_a_runner_that_ends_answers_all_that_is_left(self):
        for lines in ("reject\terror=frame_magic", "session\tresult=ok\tlines=0"):
            program = Path(self.enterContext(TemporaryDirectory())) / "runner"
            program.write_text(f"#!/bin/sh\nread -r line\nprintf '{lines}\\n'\n", "utf-8")
            program.chmod(0o700)
            asked = ["frame 00"] * 40
            for answers in (FrameRunner("one", program).ask_each(asked), [one for one, _ in FrameRunner("one", program).ask_all(asked)]):
                self.assertEqual(len(answers), 40)
                self.assertEqual({one["result"] for one in answers[1:]}, {"died"})
                self.assertNotEqual(answers[0]["result"], "died")

    def test_members_that_are_not_known_are_refused(self):
        with self.assertRaises(Malformed):
            case("frame", '"bytes": "00", "result": "reject", "eror": "frame_truncated"')


if __name__ == "__main__":
    unittest.main()
