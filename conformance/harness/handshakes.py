"""Two releases of random schemas that meet, in any two languages: no method is refused that `sdp breaking` calls safe for the bytes [MXP-6.8]."""

import json
import subprocess
from collections import Counter
from itertools import product

from conformance.reference.reading import Joint, JointReading

from .frames import FrameRunner
from .runners import ROOT, rows
from .session_words import command, event_line

NAME = "handshakes"
SERVICE = "s.S"
RELEASES = ("old", "new")
MEETINGS = (("old", "new"), ("new", "old"))
"""A client's release and a server's."""
TEXTS_BYTES = 65536
"""Bytes of a joint text, at most [MXP-6.5]."""
TEXT_MAX = 300
"""The most characters that are told of a difference from the reference."""
WITNESSED = ("yes kept", "yes clashing", "no refused")
"""The cases that have to occur, or a run shows nothing: types that are read, also where fingerprints clash, and types that are not."""


def make_pairs(seed, count):
    """Give pairs of releases as conformance/handshakes makes them."""
    made = subprocess.run(
        ["go", "run", "./conformance/handshakes", "-seed", str(seed), "-count", str(count)], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    return [json.loads(line) for line in made.stdout.splitlines()]


def clash(ours, theirs):
    """Say whether two types are incompatible [MXP-6.5]: their hashes differ if the texts do."""
    return ours["text"] != theirs["text"]


class Release:
    """A side of one release, with what it says and knows: its types by their names, and each type's methods."""

    def __init__(self, words):
        self.text = words["text"]
        self.words = {"type": words["types"], "use": words["uses"]}
        self.types = {one["name"]: one for one in words["types"]}
        self.uses = []
        for use in words["uses"]:
            name, _, number, _, what = use.split(":")
            self.uses.append((name, int(number), what))
        self.methods = {(number, what): name for name, number, what in self.uses}

    def joint(self, names):
        """Give the joint layout text of types."""
        joint = Joint()
        for name in names:
            joint.add(self.types[name]["text"], TEXTS_BYTES - len(joint.text))
        return joint.text

    def refused(self, other):
        """Give the methods that the reference refuses where this release meets another, each with its difference: by whether it is served, and its number."""
        clashing = [name for name, ours in self.types.items() if name in other.types and clash(ours, other.types[name])]
        if not clashing:
            return {}
        reading = JointReading(self.joint(clashing), other.joint(name for name in other.types if name in clashing))
        differences = {name: reading.differences(name) for name in clashing}
        found = {}
        for wanted, name in product(("request", "response"), clashing):
            inward, outward = differences[name]
            served, asked = (inward, outward) if wanted == "request" else (outward, inward)
            for number in (number for of, number, what in self.uses if (of, what) == (name, wanted)):
                for is_served, text in ((1, served), (0, asked)):
                    if text is not None:
                        found.setdefault((is_served, number), text)
        return found


class Pair:
    """Two releases, and what must become of their methods."""

    def __init__(self, words):
        self.name = f"pair {words['number']} ({', '.join(words['edits'])})"
        self.releases = {one: Release(words[one]) for one in RELEASES}
        self.verdicts = {one["name"]: one for one in words["verdicts"]}
        self.refused = {one: self.releases[one].refused(self.releases[other]) for one, other in MEETINGS}

    def reads(self, what, number, reader):
        """Give the verdict on one side's reading of a method's requests or responses. Types of two names are not compared."""
        names = {release.methods.get((number, what)) for release in self.releases.values()}
        name = names.pop()
        return self.verdicts[name][f"{reader}_reads"] if not names and name in self.verdicts else "yes"

    def methods(self):
        """Give the numbers of the methods that both releases have."""
        numbers = ({number for _, number, _ in release.uses} for release in self.releases.values())
        return sorted(set.intersection(*numbers))

    def clashes(self, what, number):
        """Say whether the two releases' types of a method's requests or responses are incompatible."""
        old, new = (self.releases[one].types.get(self.releases[one].methods.get((number, what))) for one in RELEASES)
        return old is not None and new is not None and old["name"] == new["name"] and clash(old, new)


def judge(pair, counts):
    """Hold what the reference refuses against the verdicts; give what is wrong."""
    wrong = []
    for (client, server), number in product(MEETINGS, pair.methods()):
        is_refused = (0, number) in pair.refused[client]
        if is_refused != ((1, number) in pair.refused[server]):
            wrong.append(f"method {number} of the {server} release is refused on one side alone")
        verdicts = pair.reads("request", number, server), pair.reads("response", number, client)
        verdict = next((one for one in ("no", "open") if one in verdicts), "yes")
        counts[f"{verdict} {'refused' if is_refused else 'kept'}"] += 1
        counts["yes clashing"] += verdict == "yes" and any(pair.clashes(what, number) for what in ("request", "response"))
        if is_refused and verdict == "yes":
            wrong.append(f"method {number} of the {server} release is refused, and its bytes are read")
        if not is_refused and verdict == "no":
            wrong.append(f"method {number} of the {server} release is not refused, and its bytes are not read")
    return wrong


class Side:
    """A session of one language and release."""

    def __init__(self, runner, role, pair, release):
        self.name = f"{runner.name}, {role}"
        self.runner = runner
        self.refused = pair.refused[release]
        self.methods = pair.methods()
        self.frames = []
        self.happens(command("new", {"now": 0, "role": role, "services": [SERVICE]} | pair.releases[release].words))

    def happens(self, line):
        """Tell the session of something, and note what it then has to say."""
        self.frames += self.runner.ask_all([line, "session poll"])[1][1]

    def pass_to(self, other):
        """Give the other side what this one has to say; say whether that was anything."""
        frames, self.frames = self.frames, []
        if frames:
            other.happens(f"session receive bytes={''.join(frames)}")
        return bool(frames)

    def problems(self):
        """Give what differs from the reference: the methods that are refused, and what becomes of a call of one that is and of one that is not."""
        calls = []
        for is_refused, result in ((True, "refused"), (False, "ok")):
            number = next((number for number in self.methods if ((0, number) in self.refused) is is_refused), None)
            if number is not None:
                calls.append((number, is_refused, result))
        told = (command("call", {"service": 0, "method": number, "value": ""}) for number, _, _ in calls)
        (_, lines), *answers = self.runner.ask_all(["session differences", *told])
        wanted = [event_line("difference", {"served": served, "method": number, "text": text}) for (served, number), text in self.refused.items()]
        if lines != wanted:
            yield f"{self.name}: want {str(wanted)[:TEXT_MAX]}, got {str(lines)[:TEXT_MAX]}"
        for (number, is_refused, result), (answer, _) in zip(calls, answers):
            if answer["result"] != result or (is_refused and answer["error"] != "session_schema"):
                yield f"{self.name}: a call of method {number}: {answer}"


def meet(pair, opener, acceptor, is_swapped):
    """Let two sessions say all that they have to say; give what is wrong."""
    releases = reversed(RELEASES) if is_swapped else RELEASES
    one, other = (Side(*words[:2], pair, words[2]) for words in zip((opener, acceptor), ("opener", "acceptor"), releases))
    while any([one.pass_to(other), other.pass_to(one)]):
        pass
    return [*one.problems(), *other.problems()]


def run(names, seed, count, show):
    """Let the releases of all pairs meet, each in every pair of languages; print what is wrong, and give the numbers of pairs that are right and wrong."""
    listed = [row for row in rows("frames") if not names or row["name"] in names]
    sides = [[FrameRunner(row["name"], row["program"]) for row in listed] for _ in ("opener", "acceptor")]
    counts, failed, pairs = Counter(), 0, [Pair(words) for words in make_pairs(seed, count)]
    for i, pair in enumerate(pairs):
        wrong = judge(pair, counts)
        for j, (opener, acceptor) in enumerate(product(*sides)):
            wrong += meet(pair, opener, acceptor, (i + j) % 2 == 1)
        if wrong:
            failed += 1
            if failed <= show:
                print(f"FAIL {NAME}, seed {seed}: {pair.name}", *wrong[:4], *(release.text for release in pair.releases.values()), sep="\n")
    for runner in (one for side in sides for one in side):
        runner.close()
    missing = [one for one in WITNESSED if not counts[one]]
    if missing:
        print(f"FAIL {NAME}: there was no method that is {', '.join(missing)}")
    methods = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
    print(f"{NAME}: {len(pairs) - failed} pairs of releases passed, {failed} failed; methods: {methods}")
    return len(pairs) - failed, failed + len(missing)
