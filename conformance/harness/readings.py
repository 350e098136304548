"""Layout texts of two sides: the cases that say which read each other, and what a session then says of its methods [MXP-6.8]."""

from dataclasses import dataclass

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
            for reads, word in ((True, "inward"), (False, "outward")):
                self.expect(number, f"the reference's {word}", pair.get(word), difference("a.T", pair["here"], pair["there"], reads=reads))
            wanted = [
                event_line("difference", {"served": 1, "method": method, "text": pair[word]})
                for method, word in ((1, "inward"), (2, "outward"))
                if word in pair
            ]
            self.expect(number, "differences", wanted, self.differences(pair))
            self.expect(number, "differences of a joint text", self.joint_lines(pair), self.differences(pair, joint=True))
        return self

    def joint_lines(self, pair):
        """Give the lines for a peer that sends its text as a joint one, by the reference."""
        joint = Joint()
        joint.add(pair["here"], TEXTS_BYTES)
        found = None
        if joint.text and is_text(pair["there"]) and len(pair["there"]) <= TEXTS_BYTES:
            found = JointReading(joint.text, pair["there"]).differences("a.T")
        texts = found or ("a.T: layouts unknown",) * 2
        return [event_line("difference", {"served": 1, "method": method, "text": text}) for method, text in enumerate(texts, 1) if text is not None]

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
        self.runner.ask_lines(command("new", {"now": 0, "role": "acceptor", "services": ["a.S"], "type": type_words, "use": uses}))
        for part in ({"Hello": hello}, {"Layouts": layouts}):
            self.runner.ask_lines(command("deliver", {"type": "Hello", "payload": payload_bytes([part])}))
        return self.runner.ask_lines("session differences")[1]
