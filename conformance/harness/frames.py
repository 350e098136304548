"""Frames of MXP: the cases under vectors/mxp/, and what every runner of frames must answer.

Nothing here computes a checksum. The trailers of the cases were made by none of the libraries that
the runners use.
"""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from .cases import Malformed, expand
from .runners import CONFORMANCE, rows
from .readings import ReadingCase, ReadingChecker, read_reading_case
from .frame_runner import FrameRunner
from .sessions import SessionCase, SessionChecker, read_session_case
from .traces import TraceCase, TraceChecker, players, read_trace

MODES = ("frame", "frames", "write")
MEMBERS = {"about", "spec", "mode", "bytes", "limit", "checksum", "prefix", "used", "frame", "frames", "result", "error", "offset"}
EVERY_CUT_BYTES_MAX = 600
"""Up to this length a case is cut at every byte, and damaged at every bit."""
RANDOM_CUTS = 8


@dataclass
class FrameCase:
    """One vector. ``name`` is its path under vectors/ without the ending."""

    name: str
    about: str
    spec: list
    mode: str
    result: str
    data: bytes | None = None
    limit: int | None = None
    checksum: str = "on"
    prefix: bool = False
    used: int | None = None
    frame: dict | None = None
    frames: list = field(default_factory=list)
    error: str | None = None
    offset: int | None = None

    @property
    def folder(self):
        """The first folder of its name: mxp."""
        return self.name.split("/")[0]


def read_case(name, text):
    """Read one case from the text of its file."""
    case = json.loads(text)
    if case["mode"] == "session":
        return read_session_case(name, case)
    if case["mode"] == "reading":
        return read_reading_case(name, case)
    if case["mode"] == "trace":
        return read_trace(name, case)
    if set(case) - MEMBERS or case["mode"] not in MODES or not case["spec"]:
        raise Malformed(f"{name}: its members are not those of a frame")
    if "bytes" in case:
        case["data"] = expand(case.pop("bytes"))
    for one in [case["frame"]] if "frame" in case else case.get("frames", []):
        one["payload"] = expand(one["payload"])
    return FrameCase(name=name, **case)


def read_cases():
    """Read every case of frames, in order of their names."""
    folder = CONFORMANCE / "vectors"
    files = sorted((folder / "mxp").rglob("*.json"))
    return [read_case(file.relative_to(folder).with_suffix("").as_posix(), file.read_text("utf-8")) for file in files]


def shown(frame):
    """Give the fields of an answer that has a frame."""
    return {key: value.hex() if key == "payload" else str(value) for key, value in frame.items()}


def flipped(data, bit):
    """Give bytes with another bit."""
    damaged = bytearray(data)
    damaged[bit // 8] ^= 1 << bit % 8
    return bytes(damaged)


class FrameChecker:
    """Checks one case against one runner; ``failures`` says what is wrong."""

    def __init__(self, case, runner):
        self.case = case
        self.runner = runner
        self.failures = []
        self.checks = 0
        self.options = (" checksum=off" if case.checksum == "off" else "") + ("" if case.limit is None else f" limit={case.limit}")
        self.random = random.Random(case.name)

    def run(self):
        """Make every check of the case."""
        getattr(self, self.case.mode)()
        return self

    def expect(self, what, answer, **members):
        """Compare what an answer has with what it must have."""
        self.checks += 1
        wrong = {key: value for key, value in members.items() if answer.get(key) != value}
        if wrong:
            self.failures.append(f"{what}: want {str(wrong)[:300]}, got {str(answer)[:300]}")

    def refusal(self):
        """Give the refusal of the case."""
        return {"result": "reject", "error": self.case.error, "offset": self.case.offset}

    def line(self, data, more=""):
        """Give the request for the frame that some bytes are."""
        return f"frame {data.hex() or '-'}{self.options}{more}"

    def ask(self, data, more=""):
        """Ask for the frame that some bytes are."""
        return self.runner.ask(self.line(data, more))

    def frame(self):
        """Check bytes that are one frame, or that are refused."""
        case = self.case
        answer = self.ask(case.data, " prefix=yes" if case.prefix else "")
        if case.result == "reject":
            self.expect("frame", answer, **self.refusal())
            return
        own = case.data[:case.used]
        members = shown(case.frame) | {"result": "accept", "bytes": own.hex()}
        self.expect("frame", answer, used=len(own), **members)
        self.expect("prefix", self.ask(own + b"\x00", " prefix=yes"), used=len(own), **members)
        self.expect("one more byte", self.ask(own + b"\x00"), result="reject", error="frame_trailing", offset=len(own))
        self.writes(own)
        if len(own) <= EVERY_CUT_BYTES_MAX:
            for size, cut in enumerate(self.runner.ask_each([self.line(own[:size]) for size in range(len(own))])):
                self.expect(f"prefix of {size}", cut, result="reject", error="frame_truncated", offset=size)
            for bit, damaged in enumerate(self.runner.ask_each([self.line(flipped(own, bit)) for bit in range(len(own) * 8 if case.checksum == "on" else 0)])):
                self.expect(f"bit {bit}", damaged, result="reject")

    def writes(self, data):
        """A frame gives the bytes, in every way to write it."""
        case = self.case
        words = " ".join(f"{key}={value or '-' if key == 'payload' else value}" for key, value in shown(case.frame).items())
        answer = self.runner.ask(f"write {words}{self.options}")
        if data is None:
            self.expect("write", answer, **self.refusal())
        else:
            self.expect("write", answer, result="accept", bytes=data.hex())

    def write(self):
        """Check a frame that is refused before it is written."""
        self.writes(None)

    def frames(self):
        """Check a stream, cut in many ways."""
        case, data = self.case, self.case.data
        last = self.refusal() if case.result == "reject" else {"result": "end"}
        wanted = [shown(one) | {"result": "accept"} for one in case.frames] + [last]
        size = len(data)
        cuts = [[], list(range(size)) if size <= EVERY_CUT_BYTES_MAX else [size // 2]]
        cuts += [[at] for at in range(size if size <= EVERY_CUT_BYTES_MAX else 0)]
        cuts += [sorted(self.random.choices(range(size + 1), k=self.random.randint(1, 9))) for _ in range(RANDOM_CUTS)]
        for one in cuts:
            words = f" cuts={','.join(map(str, one))}" if one else ""
            answer = self.runner.ask(f"frames {data.hex() or '-'}{words}{self.options}")
            self.checks += 1
            got = [{key: read.get(key) for key in want} for want, read in zip(wanted, answer.get("reads", []))]
            if got != wanted or len(answer["reads"]) != len(wanted):
                self.failures.append(f"cut at {one}: want {str(wanted)[:300]}, got {str(answer)[:300]}")


CHECKERS = {FrameCase: FrameChecker, SessionCase: SessionChecker, ReadingCase: ReadingChecker}


def run_cases(cases, names, first=False, program=None, command=None):
    """Run every case with every runner of frames that is named, or with all, side by side; give the checkers by runner.

    Where the first failure is enough, no trace is played behind it. A program in place of the one runner's needs a command that plays traces.
    """

    def run(row):
        runner = FrameRunner(row["name"], program or row["program"])
        checkers = [CHECKERS[type(case)](case, runner).run() for case in others]
        runner.close()
        return checkers

    def play(case, player):
        if first and player.has_failed:
            return None
        return TraceChecker(case, player).run()

    traces = [case for case in cases if isinstance(case, TraceCase)]
    others = [case for case in cases if not isinstance(case, TraceCase)]
    named = [row for row in rows("frames") if not names or row["name"] in names]
    with ThreadPoolExecutor() as pool:
        done = dict(zip((row["name"] for row in named), pool.map(run, named)))
    for player in players(names, command, program) if traces else []:
        with ThreadPoolExecutor(2) as pool:
            done[player.name] += filter(None, pool.map(lambda case: play(case, player), filter(player.plays, traces)))
        player.close()
    return done
