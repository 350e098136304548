"""Tests of the player of traces: what it reads, what it gives, and what it finds wrong."""

import sys
import textwrap
import unittest

from conformance.harness.cases import Malformed
from conformance.harness.coverage import _unshared
from conformance.harness.sessions import TRAILER_BYTES, frame_header
from conformance.harness.traces import Player, TraceChecker, frame_words, peer_frame, read_trace, said_word

PROGRAM = """
import sys
now, room = 0, 0
said = []
for line in sys.stdin:
    verb, *words = line.split()
    if verb == "client":
        said += [f"{now} dial 7 1"]
    elif verb == "room":
        said += [f"{now} bytes {words[0]} {HELLO}"]
    elif verb == "call":
        said += [f"{now} bytes 7 {CALL}"]
    elif verb == "cancel":
        sys.exit(3)
    elif verb == "advance":
        if words[1] == "stop" and said:
            pass
        elif now < 5000 <= int(words[0]):
            now = 5000
            said += [f"{now} ended call 1 busy 0 0 14"]
            if words[1] == "run":
                now = int(words[0])
        else:
            now = int(words[0])
        print(*said, f"now {now} 0", sep="\\n", flush=True)
        said = []
"""


def frame(given):
    """Give the bytes of a frame, in hexadecimal."""
    made = peer_frame(given)
    return (frame_header(made) + made["payload"] + bytes(TRAILER_BYTES)).hex()


def played(steps, **more):
    """Play steps to a program that dials, calls, and fails after 5 ms; give what is wrong."""
    text = textwrap.dedent(PROGRAM).replace("{HELLO}", frame({"type": "Hello"})).replace("{CALL}", frame({"type": "Call", "id": 1, "load": {"id": 4}, "deadline": 9}))
    case = read_trace("a", {"about": "", "spec": ["MXP-14.1"], "mode": "trace", "client": {}, "steps": steps} | more)
    # The command is asked in place of the language's own program, which is not there.
    player = Player({"name": "fake", "program": "nowhere", "arguments": ["network"], "kernel": "nowhere.so", "command": [sys.executable, "-c", text]})
    return TraceChecker(case, player).run().failures


CALL = {"do": {"call": {"id": 1}}, "frames": [{"type": "Call", "id": 1, "load": 4, "deadline": 9}]}
END = {"do": {"next": 4000}, "says": ["ended call 1 busy 14"]}


class Traces(unittest.TestCase):
    def test_a_program_that_does_what_is_wanted_passes(self):
        self.assertEqual(played([CALL, END]), [])
        self.assertEqual(played([CALL, {"do": {"wait": 4999}}, {"do": {"wait": 1}, "says": END["says"]}]), [])

    def test_what_differs_is_found(self):
        for steps in (
            [{"do": {"begin": {}}}],
            [CALL | {"frames": [CALL["frames"][0] | {"load": 5}]}],
            [CALL | {"frames": [CALL["frames"][0] | {"deadline": 8}]}],
            [CALL | {"frames": []}],
            [CALL | {"frames": [*CALL["frames"], *CALL["frames"]]}],
            [CALL | {"says": ["ended call 1 ok"]}],
            [CALL, END | {"says": []}],
            [CALL, END | {"do": {"next": 2000}}],
            [CALL, END | {"do": {"next": 6000}}],
            [CALL, {"do": {"wait": 5000}}],
            [CALL, {"do": {"cancel": {"id": 1}}}],
        ):
            self.assertNotEqual(played(steps), [], steps)

    def test_what_is_ignored_is_not_compared(self):
        self.assertEqual(played([CALL | {"frames": []}, END], ignore=["Call"]), [])

    def test_what_is_no_trace_is_refused(self):
        good = {"about": "", "spec": ["MXP-14.1"], "mode": "trace", "client": {}, "steps": [CALL]}
        read_trace("a", dict(good))
        for wrong in ({"spec": []}, {"server": {}}, {"more": 1}, {"steps": [{"do": {}}]}, {"steps": [CALL | {"sees": []}]}, {"steps": [CALL | {"frames": [{"type": "Cal"}]}]}):
            with self.assertRaises(Malformed, msg=wrong):
                read_trace("a", good | wrong)

    def test_frames_are_compared_by_what_is_named(self):
        made = peer_frame({"type": "Error", "id": 3, "name": "busy", "status": 14, "refused": True})
        data = frame_header(made) + made["payload"]
        for wanted, is_right in (({"id": 3}, True), ({"id": 1}, False), ({"id": "any"}, True), ({"id": 3, "name": "busy", "status": 14, "refused": True}, True), ({"id": 3, "status": 2}, False), ({"id": 3, "flags": 4}, False)):
            self.assertEqual(frame_words(data, {"type": "Error"} | wanted), is_right, wanted)

    def test_what_is_said_has_one_form(self):
        for said, word in (
            ("ended call 1 ok 1 40 0", "ended call 1 ok"), ("ended stream 1 ok 1 5 0", "ended stream 1 ok 5"), ("ended event 2 session_lost 1 0 14", "ended event 2 session_lost 14 acted"),
            ("closed 3 0", "closed 3"), ("begun call 4 100", "begun call 4"), ("held 7", "held 7"), ("shut 1 ok 1", "shut 1 ok"),
        ):
            self.assertEqual(said_word(said.split()), word)

    def test_a_clause_of_all_languages_needs_a_case_of_all(self):
        texts = {"MXP-14.1": "", "MXP-14.2": "", "MXP-18.4": "", "MXP-18.5": ""}
        shared = {"sections": ["MXP-14"], "clauses": ["MXP-18.4"], "apart": {"MXP-14.2": "why"}}
        self.assertEqual(list(_unshared(shared, texts, {"MXP-14.1", "MXP-18.4"})), [])
        for played_, more in ((["MXP-14.1"], {}), (["MXP-18.4"], {}), (["MXP-14.1", "MXP-14.2", "MXP-18.4"], {}), (["MXP-14.1", "MXP-18.4"], {"clauses": ["MXP-18.4", "MXP-18.9"]})):
            self.assertEqual(len(list(_unshared(shared | more, texts, set(played_)))), 1)


if __name__ == "__main__":
    unittest.main()
