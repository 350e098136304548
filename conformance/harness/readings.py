"""Layout texts of two sides: the cases that say which read each other, and what a session then says of its methods [MXP-6.8]."""

from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

from conformance.reference.reading import Joint, JointReading, difference, is_text

from .cases import Malformed
from .payloads import payload_bytes
from .session_words import command, event_line

MEMBERS = {"about", "spec", "mode", "pairs"}
PAIR_MEMBERS = {"about", "here", "there", "inward", "outward"}
TEXTS_BYTES = 65536
"""Of all texts of Layouts at most [MXP-6.5]."""
HELLO = {"version": 1, "payload_bytes": 16777216}


@dataclass
class ReadingCase:
    """One vector. A pair has the texts of both sides, and the differences that keep this side from reading, and the other."""

    name: str
    about: str
    spec: list
    pairs: list
    mode: str = "reading"

    @property
    def folder(self):
        """The first folder of its name: mxp."""
        return self.name.split("/")[0]


def _text(side):
    """Give a layout text of its lines, or of so many structs of which each has the next, and the last the first."""
    if isinstance(side, dict):
        blocks = side["ring"]
        side = [line for n in range(blocks) for line in (f"{n} struct a.T", f" next opt #{(n + 1) % blocks}")]
    return "".join(line + "\n" for line in side)


def read_reading_case(name, case):
    """Make a case of its tree."""
    if set(case) - MEMBERS or not case["spec"] or not case["pairs"]:
        raise Malformed(f"{name}: its members are not those of a reading")
    for pair in case["pairs"]:
        if set(pair) - PAIR_MEMBERS:
            raise Malformed(f"{name}: {pair} is no pair")
        pair["here"], pair["there"] = (_text(pair[side]) for side in ("here", "there"))
    return ReadingCase(name=name, **case)


class OfReference(NamedTuple):
    """The reference's verdict on a pair: both differences, and the lines for a peer that sends its text as a joint one."""

    inward: str | None
    outward: str | None
    joint_lines: list


def _of_reference(here, there):
    joint = Joint()
    joint.add(here, TEXTS_BYTES)
    found = None
    if joint.text and is_text(there) and len(there) <= TEXTS_BYTES:
        found = JointReading(joint.text, there).differences("a.T")
    texts = found or ("a.T: layouts unknown",) * 2
    lines = [event_line("difference", {"served": 1, "method": method, "text": text}) for method, text in enumerate(texts, 1) if text is not None]
    return OfReference(*(difference("a.T", here, there, reads=reads) for reads in (True, False)), lines)


_known, _asking = {}, Lock()


def of_reference(here, there):
    """Ask the reference of two texts, once for the runners of all languages."""
    with _asking:
        if (here, there) not in _known:
            _known[here, there] = _of_reference(here, there)
        return _known[here, there]


class ReadingChecker:
    """Checks one case against the reference and one runner; ``failures`` says what is wrong."""

    def __init__(self, case, runner):
        self.case = case
        self.runner = runner
        self.failures = []
        self.checks = 0

    def run(self):
        """Compare all pairs."""
        for number, pair in enumerate(self.case.pairs, 1):
            by_reference = of_reference(pair["here"], pair["there"])
            for word, own in (("inward", by_reference.inward), ("outward", by_reference.outward)):
                self.expect(number, f"the reference's {word}", pair.get(word), own)
            wanted = [
                event_line("difference", {"served": 1, "method": method, "text": pair[word]})
                for method, word in ((1, "inward"), (2, "outward"))
                if word in pair
            ]
            self.expect(number, "differences", wanted, self.differences(pair))
            self.expect(number, "differences of a joint text", by_reference.joint_lines, self.differences(pair, joint=True))
        return self

    def expect(self, number, what, want, got):
        """Compare."""
        self.checks += 1
        if want != got:
            self.failures.append(f"pair {number}: {what}: want {want}, got {got}")

    def differences(self, pair, joint=False):
        """Give what a session says that serves a method whose requests are of the type, and one whose responses are, to a peer of 0.3 or to one that joins texts."""
        type_words = [{"name": "a.T", "fingerprints": ["0000000000000001"], "text": pair["here"]}]
        uses = ["a.T:a.S:1:ask:request", "a.T:a.S:2:tell:response"]
        hello = HELLO | {"types": [{"name": "a.T", "fingerprints": [2], "layout": int(joint)}]}
        text = {"joint": pair["there"]} if joint else {"layouts": [{"name": "a.T", "text": pair["there"]}]}
        layouts = {"tolerance": "Methods"} | text
        opening = command("new", {"now": 0, "role": "acceptor", "services": ["a.S"], "type": type_words, "use": uses})
        delivered = (command("deliver", {"type": "Hello", "payload": payload_bytes([part])}) for part in ({"Hello": hello}, {"Layouts": layouts}))
        return self.runner.ask_all([opening, *delivered, "session differences"])[-1][1]
