"""Traces of clients and servers: what a program does with its connections, step by step, as time and random draws are given.

A trace is played to the program of a language (README.md, Traces) whose clock, network and draws are the harness's.
"""

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from itertools import groupby
from threading import Timer

from .cases import Malformed, expand
from .payloads import decoded_start, payload_bytes, record_bytes, show
from .frame_runner import FrameRunner
from .runners import ROOT, rows
from .session_words import PAYLOADS, TYPES
from .sessions import HEADER_BYTES, TRAILER_BYTES, frame_header

SERVICE = "sim.Load"
MEMBERS = {"about", "spec", "mode", "client", "server", "draw", "room", "ignore", "needs", "steps", "each"}
STEP_MEMBERS = {"do", "says", "frames"}
FRAME_MEMBERS = {"link", "type", "id", "flags", "load", "loads", "name", "status", "refused", "deadline", "bytes", "messages", "last", "chunk", "parts", "times"}
PATIENCE_SECONDS = 30
"""Far more than a program takes for a step. One that takes longer does not come to rest."""

ROOM_BYTES = 1 << 30
LATE_US = 2000
"""How much later than said something may happen: clocks of event loops count milliseconds, and round up."""

HELLO = {"version": 1, "payload_bytes": 16777216, "offers": 3, "services": [{"name": SERVICE}]}
LOAD = ("id", "work", "reply", "chunks")
"""The numbers of 64 bits that begin each value: which request it is, how many microseconds its handler works, how many bytes answer it, and how many chunks."""


def load_bytes(load):
    """Give the value of a request or an answer."""
    if set(load) - {*LOAD, "bytes"}:
        raise Malformed(f"no load has {load}")
    return b"".join(load.get(name, 0).to_bytes(8, "little") for name in LOAD) + bytes(load.get("bytes", 0))


@dataclass
class TraceCase:
    """One trace. ``name`` is its path under vectors/ without the ending."""

    name: str
    about: str
    spec: list
    steps: list
    mode: str = "trace"
    client: dict | None = None
    server: dict | None = None
    draw: float = 0.5
    room: int = ROOM_BYTES
    ignore: list = field(default_factory=list)
    needs: list = field(default_factory=list)
    each: list = field(default_factory=lambda: [[]])

    @property
    def tells_closes(self):
        """Whether it says when connections are closed: where it does not, that is left to how long each side lingers."""
        return any(one.startswith("closed") for step in [*self.steps, *sum(self.each, [])] for one in step.get("says", ()))

    @property
    def folder(self):
        """The first folder of its name: mxp."""
        return self.name.split("/")[0]


def read_trace(name, case):
    """Make a case of its tree."""
    if set(case) - MEMBERS or not case["spec"] or ("client" in case) == ("server" in case):
        raise Malformed(f"{name}: its members are not those of a trace")
    case["each"] = [one if isinstance(one, list) else [one] for one in case.get("each", [[]])]
    made = TraceCase(name=name, **case)
    for step in [*made.steps, *(one for steps in made.each for one in steps)]:
        if set(step) - STEP_MEMBERS or len(step["do"]) != 1:
            raise Malformed(f"{name}: {step} is no step")
        for one in step.get("frames", ()):
            if set(one) - FRAME_MEMBERS or one["type"] not in TYPES:
                raise Malformed(f"{name}: {one} is no frame")
    return made


STARTS = {
    "Call": "CallStart", "Event": "CallStart", "Events": "CallStart", "StreamOpen": "StreamStart", "Response": "ResponseStart", "Error": "Failure",
    "Drain": "Farewell", "Credit": "Grant", "Ack": "Taken",
}
"""The record that a frame's payload begins with."""

METHODS = {"Call": 1, "Event": 2, "Events": 2, "StreamOpen": 3}
GRANT = {"messages": 1024, "bytes": 1 << 20}


def peer_frame(given):
    """Give the frame that a step has the peer send."""
    kind = given["type"]
    parts = given.get("parts")
    if parts is None:
        start = {key: given[key] for key in ("name", "status", "refused", "last", "messages", "bytes") if key in given}
        if kind in METHODS:
            start = {"head": {"method": METHODS[kind]} | {key: given[key] for key in ("deadline",) if key in given}}
        if kind == "Hello":
            return {"type": kind, "payload": payload_bytes([{"Hello": HELLO | given.get("hello", {})}])}
        if kind == "StreamOpen":
            start["grant"] = GRANT
        parts = [{STARTS[kind]: start}] if kind in STARTS else []
    payload = payload_bytes(parts)
    if "load" in given:
        payload += load_bytes(given["load"])
    payload += b"".join(record_bytes(load_bytes(one)) for one in given.get("loads", ()))
    payload += bytes(given.get("zeros", 0))
    return {key: given[key] for key in ("type", "flags", "id") if key in given} | {"payload": payload}


class Program:
    """A client or a server with a clock of its own: it does what lines say, and time goes on for it where a line says so."""

    def __init__(self, row):
        self.folder = tempfile.mkdtemp(prefix="mxp")
        environment = os.environ | {"MXP_NETWORK": self.folder}
        command = row.get("command")
        if not command:
            command = [str(ROOT / row["program"]), *row.get("arguments", ())]
            if row.get("kernel"):
                environment["LD_PRELOAD"] = str(ROOT / row["kernel"])
        self.child = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.time = 0
        self.lines = []

    def send(self, line):
        """Give it a line, which it follows when time goes on."""
        self.lines.append(line)

    def advance(self, to, stops):
        """Let time go on to another, or, if it stops, until something is said; give what is said, with its times."""
        lines, self.lines = [*self.lines, f"advance {to} {'stop' if stops else 'run'}"], []
        timer = Timer(PATIENCE_SECONDS, self.child.kill)
        timer.start()
        said = []
        try:
            self.child.stdin.write("".join(f"{line}\n" for line in lines).encode("ascii"))
            self.child.stdin.flush()
            for line in self.child.stdout:
                words = line.decode("ascii").split()
                if words[0] == "now":
                    self.time = int(words[1])
                    return said
                said.append((int(words[0]), words[1:]))
        except BrokenPipeError:
            pass
        finally:
            timer.cancel()
        self.child.wait()
        raise ProgramEnded(f"it ended, or never came to rest: exit status {self.child.returncode}")

    def close(self):
        """End it."""
        self.child.kill()
        self.child.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)


class ProgramEnded(Exception):
    """A program that ended before its trace."""


class Link:
    """A connection of the program, as its peer sees it."""

    def __init__(self, number):
        self.number = number
        self.left = b""
        self.has_hello = False
        self.has_greeted = False

    def frames(self, data):
        """Give the frames that have come whole."""
        self.left += data
        found = []
        while len(self.left) >= HEADER_BYTES:
            end = HEADER_BYTES + int.from_bytes(self.left[24:32], "little") + TRAILER_BYTES
            if len(self.left) < end:
                break
            found.append(self.left[:end - TRAILER_BYTES])
            self.left = self.left[end:]
        return found


NAMES = {number: name for name, number in TYPES.items()}


def frame_words(frame, wanted):
    """Give of a frame what a trace may say of it: the members of the wanted one, or all that are easy to tell."""
    kind, payload = NAMES.get(frame[4], frame[4]), frame[HEADER_BYTES:]
    start, value = decoded_start(STARTS[kind], payload) if kind in STARTS else ({}, payload)
    head = start.get("head", {})
    loads = [int.from_bytes(one[:8], "little") for one in (records(value) if kind in ("Events", "StreamChunks") else [value])]
    words = {
        "type": kind, "id": int.from_bytes(frame[8:16], "little"), "flags": frame[5], "deadline": head.get("deadline"),
        "load": loads[0] if loads else None, "loads": loads, "bytes": start.get("bytes", len(value)), "messages": start.get("grant", start).get("messages"),
        "name": start.get("name"), "status": start.get("status"), "refused": start.get("refused"), "last": start.get("last"), "chunk": start.get("chunk"),
    }
    if wanted is None:
        return f"{kind} id={words['id']} flags={words['flags']} {show(payload, PAYLOADS.get(kind, ()))}"[:200]
    want = {"id": 0, "flags": 0} | {key: one for key, one in wanted.items() if key not in ("link", "times")}
    if want["id"] == "any":
        words["id"] = "any"
    if "parts" in want:
        words["parts"], want["parts"] = payload.hex(), payload_bytes(want["parts"]).hex()
    return want == {key: words[key] for key in want}


def records(data):
    """Give the values of a batch [MXP-17.3]."""
    while data:
        end = 2 + int.from_bytes(data[:2], "little")
        yield data[2:end]
        data = data[end:]


def said_word(words):
    """Give what a program says as a trace has it."""
    kind, *rest = words
    if kind == "ended":
        what, number, name, acted, got, status = rest
        end = f" {got}" if what == "stream" and name == "ok" else ""
        fail = "" if name == "ok" else f" {status}{' acted' if acted == '1' else ''}"
        return f"ended {what} {number} {name}{fail}{end}"
    if kind in ("closed", "begun"):
        return " ".join(words[:-1])
    return " ".join(words[:2] if kind in ("left", "held", "lost") else words[:3])


class TraceChecker:
    """Plays one trace to one program; ``failures`` says what is wrong."""

    def __init__(self, case, player):
        self.case = case
        self.player = player
        self.failures = []
        self.checks = 0

    def run(self):
        """Play the trace with each of its ends."""
        for number, more in enumerate(self.case.each):
            self.where = f"end {number} " if len(self.case.each) > 1 else ""
            self.program = self.player.program()
            self.links = {}
            self.numbers = {}
            self.closed = set()
            try:
                self.play([*self.case.steps, *more])
            except ProgramEnded as error:
                self.fail(str(error))
            self.player.leave(self.program, bool(self.failures))
            if self.failures:
                break
        return self

    def fail(self, what):
        """Note what is wrong."""
        self.failures.append(f"{self.where}{what}")

    def expect(self, what, want, got):
        """Compare."""
        self.checks += 1
        if want != got:
            self.fail(f"{what}: want {str(want)[:900]}, got {str(got)[:900]}")

    def play(self, steps):
        """Play steps, up to the first that goes wrong."""
        self.draw(self.case.draw)
        client, server = self.case.client, self.case.server
        if client is not None:
            self.program.send(words_line("client", client))
        if server is not None:
            self.program.send(words_line("serve", {"server": 1} | server))
        where = self.where
        if "begin" not in steps[0]["do"]:
            steps = [{"do": {"begin": {}}, "says": [] if client is None else ["dial 1 1"]}, *steps]
        for number, step in enumerate(steps):
            (verb, given), = self.placed(step["do"]).items()
            self.where = f"{where}step {number} {verb}: "
            self.step(verb, given, step)
            if self.failures:
                return

    def placed(self, tree):
        """Give a tree in which the texts "address 2" and the like are what the program connects to."""
        if isinstance(tree, dict):
            return {key: self.placed(one) for key, one in tree.items()}
        if isinstance(tree, list):
            return [self.placed(one) for one in tree]
        if isinstance(tree, str) and tree.startswith("address "):
            return self.player.row["address"].format(folder=self.program.folder, number=tree.removeprefix("address "))
        return tree

    def draw(self, part):
        """Make all random draws the same."""
        self.program.send(f"draw part={round(part * 1_000_000)}")

    def step(self, verb, given, step):
        """Do one thing, and compare what comes of it."""
        begun = self.program.time
        events = []
        if verb == "wait":
            while self.program.time < begun + given:
                events += self.heard(self.program.advance(begun + given, True))
        elif verb == "next":
            least, most = given if isinstance(given, list) else (given, given + LATE_US)
            while not events and self.program.time <= begun + most:
                events = self.heard(self.program.advance(begun + most + 1, True))
            self.expect("when something happens", True, least <= self.program.time - begun <= most)
        else:
            self.do(verb, given)
        self.compare(step, [*events, *self.rest()])

    def rest(self):
        """Let the program do what it can while no time passes."""
        events = []
        while True:
            events += self.heard(self.program.advance(self.program.time, False))
            if not self.program.lines:
                return events

    def do(self, verb, given):
        """Tell the program what happens."""
        send = self.program.send
        if verb == "draw":
            self.draw(given)
        elif verb == "connect":
            link, room = (given, ROOM_BYTES) if isinstance(given, int) else (given["link"], given["room"])
            send(f"connect {link} 1")
            self.open(link, link, room)
        elif verb == "hello":
            link, hello = (given, {}) if isinstance(given, int) else (given.get("link", 1), {key: one for key, one in given.items() if key != "link"})
            self.give(link, self.bytes_of(link, {"type": "Hello", "hello": hello}))
        elif verb == "frame":
            self.give(given.get("link", 1), self.bytes_of(given.get("link", 1), given) * given.get("times", 1))
        elif verb == "frames":
            for link, several in groupby(given, lambda one: one.get("link", 1)):
                self.give(link, b"".join(self.bytes_of(link, one) for one in several))
        elif verb == "bytes":
            self.give(given.get("link", 1), expand([given["bytes"]]))
        elif verb in ("eof", "cut"):
            send(f"{verb} {self.links[given].number}")
            if verb == "cut":
                self.closed.add(str(given))
        elif verb == "room":
            send(f"room {self.links[given.get('link', 1)].number} {given['bytes']}")
        elif verb == "reachable":
            send(f"reachable {given['is']} {given.get('address', 1)}")
        elif verb != "begin":
            send(words_line(verb, given))

    def open(self, link, number, room=ROOM_BYTES):
        """Note a new connection, which the program has a number for, and to whose peer so much goes of what is written."""
        self.links[link] = Link(number)
        self.numbers[number] = link
        self.program.send(f"room {number} {room}")

    def bytes_of(self, link, given):
        """Give the bytes of a frame of the peer's; before its Hello, and of that, the trailer is a hash [MXP-6.7]."""
        frame = peer_frame(given)
        state = self.links[link]
        if not state.has_greeted:
            state.has_greeted = frame["type"] == "Hello"
            return self.player.hashed(frame)
        return frame_header(frame) + frame["payload"] + bytes(TRAILER_BYTES)

    def give(self, link, data):
        """Give the program bytes of its peer's."""
        self.program.send(f"deliver {self.links[link].number} {data.hex()}")

    def heard(self, lines):
        """Give what counts of what a program says, as pairs of a kind and a text, or a connection and a frame of it."""
        events = []
        for _, address, number in sorted((time, int(words[2]), int(words[1])) for time, words in lines if words[0] == "dial"):
            self.open(len(self.links) + 1, number, self.case.room)
            events.append(("said", f"dial {len(self.links)} {address}"))
        for _, words in lines:
            kind = words[0]
            if kind in ("bytes", "closed"):
                words = [kind, str(self.numbers[int(words[1])]), *words[2:]]
            if kind == "bytes":
                link = int(words[1])
                events += [(link, frame) for frame in self.links[link].frames(bytes.fromhex(words[2])) if self.counts(link, frame)]
            elif kind in ("begun", "done", "ended") and kind in self.case.ignore:
                pass
            elif kind in ("begun", "done"):
                events.append(("handled", said_word(words)))
            elif kind == "closed" and (words[1] in self.closed or not self.case.tells_closes):
                pass
            elif kind not in ("fin", "dial", "took"):
                events.append(("said", said_word(words)))
                if kind == "closed":
                    self.closed.add(words[1])
        return events

    def counts(self, link, frame):
        """Say whether a frame is compared: the first of a connection has to be Hello, and others may be ignored."""
        state, kind = self.links[link], NAMES.get(frame[4])
        if not state.has_hello:
            state.has_hello = True
            self.expect(f"the first frame of connection {link}", "Hello", kind)
            return False
        if kind == "Ping" and kind in self.case.ignore:
            self.give(link, self.bytes_of(link, {"type": "Pong", "id": int.from_bytes(frame[8:16], "little")}))
        return kind not in self.case.ignore

    def compare(self, step, events):
        """Compare what a program says, and the frames that it sends."""
        wanted = step.get("says", [])
        handlers = [one for one in wanted if one.split()[0] in ("begun", "done")]
        self.expect("what handlers do", handlers, [text for kind, text in events if kind == "handled"])
        self.expect("what it says", sorted(one for one in wanted if one not in handlers), sorted(text for kind, text in events if kind == "said"))
        self.frames(step.get("frames", []), [one for one in events if isinstance(one[0], int)])

    def frames(self, wanted, got):
        """Compare frames, those of each connection in their order."""
        if any(one.get("link") == "any" for one in wanted):
            got = sorted((("any", frame) for _, frame in got), key=lambda one: one[1][HEADER_BYTES:])
        for link in sorted({one.get("link", 1) for one in wanted} | {link for link, _ in got}):
            want = [one for one in wanted if one.get("link", 1) == link for _ in range(one.get("times", 1))]
            sent = [frame for at, frame in got if at == link]
            self.checks += 1
            if len(want) != len(sent) or not all(frame_words(frame, one) for frame, one in zip(sent, want)):
                shown = "; ".join(frame_words(one, None) for one in sent)
                self.fail(f"frames of connection {link}: want {want}, got [{shown}]")


def words_line(verb, words):
    """Write a line for a program."""
    return " ".join([verb, *(f"{key}={value}" for key, value in words.items())])


class Player:
    """Plays traces to the program of a language."""

    written = {}
    """The bytes of frames whose trailer is a hash: a runner of frames writes them once for all languages."""

    def __init__(self, row):
        self.row = row
        self.name = row["name"]
        self.lacks = row.get("lacks", {})
        self.idle = []
        self.has_failed = False

    def program(self):
        """Give a program that knows of nothing yet: a new one, or where that takes long to start, one that begins anew."""
        if not self.idle:
            return Program(self.row)
        program = self.idle.pop()
        program.time = 0
        program.send("anew")
        return program

    def leave(self, program, has_failed):
        """Let go of a program."""
        self.has_failed = self.has_failed or has_failed
        if self.row.get("anew") and not has_failed:
            self.idle.append(program)
        else:
            program.close()

    def close(self):
        """End the programs that are left."""
        for program in self.idle:
            program.close()

    def plays(self, case):
        """Say whether the language has what a trace needs."""
        return not set(case.needs) & set(self.lacks)

    def hashed(self, frame):
        """Give the bytes of a frame with its trailer."""
        line = " ".join(["write", f"type={TYPES[frame['type']]}", *(f"{key}={frame.get(key, 0)}" for key in ("flags", "id")), f"payload={frame['payload'].hex() or '-'}"])
        if line not in self.written:
            runner = FrameRunner(self.name, self.row.get("frames") or rows("frames")[0]["program"])
            self.written[line] = bytes.fromhex(runner.ask(line)["bytes"])
            runner.close()
        return self.written[line]


def players(names, command=None, frames=None):
    """Make the players of the languages that are asked for; without names of all.

    A command in place of the one language's program has its arguments and, where it needs one, its kernel; that of frames writes its hashes.
    """
    return [Player(row | {"command": command, "frames": frames}) for row in rows("traces") if not names or row["name"] in names]
