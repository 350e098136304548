"""Sessions of MXP: the cases that tell a session what happens, step by step, and what it must do then.

A case runs as it stands, and again with the delivered frames as bytes that are cut everywhere.
"""

from dataclasses import dataclass, field
from itertools import chain

from .cases import Malformed, expand
from .payloads import payload_bytes, show
from .session_words import EVENTS, GIVES_EVENTS, PAYLOADS, SILENT, TYPES, command, event_line

MEMBERS = {"about", "spec", "mode", "session", "peer", "steps", "each"}
STEP_MEMBERS = {"do", "result", "answer", "events", "frames", "lines", "whole", "hold"}
HEADER_BYTES = 32
TRAILER_BYTES = 8
CUT_BYTES_MAX = 300
"""Frames up to this length are cut at all their bytes; longer ones in the middle."""
CUT_STEP = 5
"""A case without variants is also run with one cut in each frame, so many bytes apart."""
PAYLOAD_BYTES = 16777216
OFFERS = {"checksum_off": 1, "batches": 2}
"""The bits of Hello's offers [MXP-6.7] [MXP-17.2]."""


@dataclass
class SessionCase:
    """One vector. ``name`` is its path under vectors/ without the ending."""

    name: str
    about: str
    spec: list
    steps: list
    mode: str = "session"
    session: dict | None = None
    peer: dict | None = None
    each: list = field(default_factory=lambda: [[]])
    opening: list = field(default_factory=list)

    @property
    def folder(self):
        """The first folder of its name: mxp."""
        return self.name.split("/")[0]

    @property
    def variants(self):
        """The steps of each run of the case."""
        return [self.opening + self.steps + more for more in self.each]


def offered(session):
    """Give the names of what a session with these words offers."""
    return [name for name in session.get("offer", "").split(",") if name]


def own_hello(session):
    """Give the Hello that a session with these words sends [MXP-6.1]."""
    types = [
        {"name": one["name"], "fingerprints": [int(fp, 16) for fp in one["fingerprints"]], "layout": int(one.get("hash", "0"), 16)}
        for one in session.get("type", ())
    ]
    return {
        "version": 1,
        "payload_bytes": session.get("payload", PAYLOAD_BYTES),
        "offers": sum(OFFERS[name] for name in offered(session)),
        "services": [{"name": name} for name in session.get("services", ())],
        "types": types,
    }


def opening_steps(session, peer):
    """Give the steps that make a session ready: Hello goes out, and the peer's comes."""
    theirs = {"version": 1, "payload_bytes": PAYLOAD_BYTES} | peer
    services = [one["name"] for one in theirs.get("services", ())]
    return [
        {"do": {"poll": {}}, "frames": [{"type": "Hello", "parts": [{"Hello": own_hello(session)}]}]},
        {"do": {"deliver": {"type": "Hello", "parts": [{"Hello": theirs}]}}, "events": [{"ready": {"services": services}}]},
    ]


def read_session_case(name, case):
    """Make a case of its tree."""
    if set(case) - MEMBERS or not case["spec"]:
        raise Malformed(f"{name}: its members are not those of a session")
    case["each"] = [one if isinstance(one, list) else [one] for one in case.get("each", [[]])]
    made = SessionCase(name=name, **case)
    if made.peer is not None:
        made.opening = opening_steps(made.session, made.peer)
    for step in [*made.opening, *made.steps, *chain(*made.each)]:
        if set(step) - STEP_MEMBERS or len(step["do"]) != 1:
            raise Malformed(f"{name}: {step} is no step")
        for one in step.get("events", ()):
            if set(one) - set(EVENTS):
                raise Malformed(f"{name}: {one} is no event")
        for one in [*step.get("frames", ()), *([step["do"]["deliver"]] if "deliver" in step["do"] else ())]:
            one["payload"] = payload_bytes(one.pop("parts", []))
    return made


def parse_answer(line):
    """Give the words of an answer's first line."""
    first, *words = line.split("\t")
    answer = {"of": first, "result": first} | dict(word.partition("=")[::2] for word in words)
    return answer if answer.get("lines", "").isdecimal() else answer | {"lines": "0"}


class SessionChecker:
    """Checks one case against one runner; ``failures`` says what is wrong."""

    def __init__(self, case, runner):
        self.case = case
        self.runner = runner
        self.failures = []
        self.checks = 0
        self.where = ""
        self.hashed = True
        self.frames_written = {}

    def run(self):
        """Run the case as it stands, then with the frames that it delivers cut, up to what goes wrong."""
        for number, steps in enumerate(self.case.variants):
            for how, cut in self.ways(steps):
                self.where = f"{f'variant {number} ' if number else ''}{how}"
                self.play(steps, cut)
                if self.failures:
                    return self
        return self

    def ways(self, steps):
        """Give the ways to cut the frames that are delivered, where each is read as soon as it is there."""
        yield "", None
        frames = [step["do"]["deliver"] for step in steps if "deliver" in step["do"]]
        if not frames or any("used" in step.get("answer", {}) for step in steps if "deliver" in step["do"]):
            return
        longest = max(len(one["payload"]) for one in frames) + HEADER_BYTES + TRAILER_BYTES
        yield "cut in the middle", lambda data: [data[:len(data) // 2], data[len(data) // 2:]]
        if longest > CUT_BYTES_MAX:
            return
        yield "cut at every byte", lambda data: [data[i:i + 1] for i in range(len(data))]
        if len(self.case.each) == 1:
            for at in sorted({1, *range(HEADER_BYTES - 1, longest, CUT_STEP), HEADER_BYTES, longest - 1}):
                yield f"cut at {at}", lambda data, at=at: [data[:at], data[at:]] if at < len(data) else [data]

    def fail(self, what):
        """Note what is wrong."""
        self.failures.append(f"{self.where}: {what}")

    def expect(self, what, want, got):
        """Compare."""
        self.checks += 1
        if want != got:
            self.fail(f"{what}: want {str(want)[:600]}, got {str(got)[:600]}")

    def play(self, steps, cut):
        """Run steps, up to the first that goes wrong."""
        self.hashed = True
        where, self.where = self.where, f"new {self.where}"
        if self.case.session is not None:
            self.expect("result", "ok", self.ask(command("new", {"now": 0} | self.case.session))[0]["result"])
        for number, step in enumerate(steps, 1 - len(self.case.opening)):
            if self.failures:
                return
            self.where = f"step {number} {next(iter(step['do']))} {where}".rstrip()
            self.step(step, cut)

    def ask(self, line):
        """Ask one thing; give the words of the answer and its further lines."""
        return self.runner.ask_lines(line)

    def step(self, step, cut):
        """Do one thing, and compare what is answered, what happens and what is sent."""
        (verb, words), = step["do"].items()
        result = step.get("result", "ok")
        is_silent = verb in SILENT or verb.startswith("directory") or bool(step.get("hold"))
        more = [] if is_silent or verb in GIVES_EVENTS else ["session receive bytes=-"]
        more += [] if is_silent or verb == "poll" else ["session poll"]
        if verb == "deliver":
            answer, lines, left = self.deliver(words, cut, more)
        else:
            (answer, lines), *left = self.runner.ask_all([command(verb, words), *more])
        self.expect("result", result, answer["result"] if answer["result"] != "refused" else answer.get("error"))
        for key, value in step.get("answer", {}).items():
            self.expect(key, str(value), answer.get(key))
        if verb == "poll":
            self.frames(step.get("frames", []), lines)
        elif verb in ("stats", "differences", "uncompared") or verb.startswith("directory"):
            self.lines(step, verb, lines)
        if is_silent:
            if step.get("hold") and verb in GIVES_EVENTS:
                self.events(step.get("events", []), lines)
            return
        if verb not in GIVES_EVENTS:
            lines = ([] if verb == "poll" else lines) + left[0][1]
        self.events(step.get("events", []), lines)
        if verb != "poll":
            self.frames(step.get("frames", []), left[-1][1])

    def deliver(self, frame, cut, more):
        """Deliver a frame, whole by its fields or cut as bytes, and ask more behind it; give the last answer, all events, and the answers to what is more."""
        if frame["type"] == "Hello" and frame.get("checksum") != "off" and "checksum_off" in offered(self.case.session):
            self.hashed = self.hashed and not offers_no_hash(frame["payload"])
        line = command("deliver", frame)
        if cut is None:
            (answer, events), *left = self.runner.ask_all([line, *more])
            return answer, events, left
        words = line.removeprefix("session deliver ").split(" ")
        pieces = cut(self.written(" ".join(word for word in words if not word.startswith("now="))))
        now = [word for word in words if word.startswith("now=")]
        events = []
        answers = self.runner.ask_all([*(" ".join(["session receive", *now, f"bytes={piece.hex()}"]) for piece in pieces), *more])
        for piece, (answer, lines) in zip(pieces, answers):
            self.expect("used of a piece", str(len(piece)), answer.get("used"))
            events += lines
        return answer, events, answers[len(pieces):]

    def written(self, words):
        """Give the bytes of a frame, which the runner writes once for all ways to cut them."""
        if words not in self.frames_written:
            self.frames_written[words] = bytes.fromhex(self.runner.ask(f"write {words}")["bytes"])
        return self.frames_written[words]

    def events(self, wanted, lines):
        """Compare events, word for word."""
        self.expect("events", [event_line(*one.popitem()) for one in map(dict, wanted)], lines)

    def lines(self, step, verb, lines):
        """Compare further lines: of stats those that the case names, where they are not the whole text."""
        wanted = step.get("lines", [])
        if verb != "stats":
            wanted = [event_line(*one.popitem()) for one in map(dict, wanted)]
        elif not step.get("whole"):
            lines = [line for line in lines if line in wanted]
            wanted = sorted(wanted, key=lambda line: lines.index(line) if line in lines else -1)
        self.expect("lines", wanted, lines)

    def frames(self, wanted, lines):
        """Compare frames, with what their trailers have to be [MXP-6.7]."""
        got = [bytes.fromhex(line) for line in lines]
        for frame in got:
            number = int.from_bytes(frame[-TRAILER_BYTES:], "little")
            self.expect("whether the trailer is a hash", self.hashed or frame[4] == TYPES["Hello"], number != 0)
        want = [frame_header(one) + one["payload"] for one in wanted]
        got = [one[:-TRAILER_BYTES] for one in got]
        self.checks += 1
        if want != got:
            self.fail(f"frames: want {shown(want)}, got {shown(got)}")


def frame_header(frame):
    """Give the header of a frame [MXP-1.2]."""
    numbers = (TYPES[frame["type"]], frame.get("flags", 0), 0, frame.get("id", 0), frame.get("trace", 0), len(frame["payload"]))
    return expand("3150584d") + b"".join(n.to_bytes(size, "little") for n, size in zip(numbers, (1, 1, 2, 8, 8, 8)))


def offers_no_hash(hello):
    """Say whether the payload of a Hello offers that trailers may be 0: it begins with a u16 and a u32, then come the offers [MXP-6.7]."""
    return bool(hello[6:7] and hello[6] & 1)


def shown(frames):
    """Show frames without their trailers."""
    names = {number: name for name, number in TYPES.items()}
    texts = []
    for one in frames:
        name = names.get(one[4], one[4])
        words = f"flags={one[5]} id={int.from_bytes(one[8:16], 'little')} trace={int.from_bytes(one[16:24], 'little')}"
        texts.append(f"{name} {words} {show(one[HEADER_BYTES:], PAYLOADS.get(name, ()))}"[:600])
    return "[" + "; ".join(texts) + "]"
