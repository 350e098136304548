"""Runners: processes that answer requests about bytes and JSON texts.

Two protocols are spoken: the lines of conformance/README.md, and the JSON objects of the reference. Both
become the same answers, so that the checks do not know whom they ask.
"""

import json
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

CONFORMANCE = Path(__file__).resolve().parents[1]
ROOT = CONFORMANCE.parent
ANSWER_SECONDS_MAX = 120
LOOK_SECONDS = 1
"""How often a child that is waited for is looked at."""

REFERENCE_OPS = {
    "decode": "decode", "exact": "decode_exact", "prefix": "decode_prefix", "message": "decode_message",
    "dispatch": "decode_message", "stream": "decode_stream", "json": "json", "encode": "encode", "encode_into": "encode",
    "encode_message": "encode_message", "layout": "layout", "fingerprints": "fingerprints",
}


class Died(Exception):
    """A runner that ended, or did not answer in time."""


class Process:
    """A child that gets lines and gives lines. One that hangs is ended; the next request starts it again."""

    def __init__(self, command):
        self.command = command
        self.child = None
        self.asked = None

    def _start(self):
        self.asked = None
        self.child = subprocess.Popen(self.command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        threading.Thread(target=self._watch, args=(self.child,), daemon=True).start()

    def _watch(self, child):
        """Kill a child that takes too long for an answer, as long as it is the one that is asked."""
        while self.child is child:
            asked = self.asked
            if asked is not None and time.monotonic() - asked > ANSWER_SECONDS_MAX:
                child.kill()
            time.sleep(LOOK_SECONDS)

    def send(self, *lines):
        """Send lines, whose answers have to fit into a pipe."""
        if self.child is None:
            self._start()
        try:
            self.child.stdin.write(b"".join(line.encode("utf-8") + b"\n" for line in lines))
            self.child.stdin.flush()
        except BrokenPipeError:
            self._end("it has ended")

    def line(self):
        """Wait for one line."""
        self.asked = time.monotonic()
        line = self.child.stdout.readline()
        self.asked = None
        if not line.endswith(b"\n"):
            self._end("it gave no answer")
        return line[:-1].decode("utf-8")

    def _end(self, why):
        child, self.child = self.child, None
        child.kill()
        child.communicate()
        raise Died(f"{why}, exit status {child.returncode}")

    def close(self):
        """End the child, and fail where it does not end well: a sanitizer reports leaks only then."""
        if self.child is not None:
            child, self.child = self.child, None
            child.stdin.close()
            child.wait()
            child.stdout.close()
            if child.returncode != 0:
                raise Died(f"{self.command[0]} ended with exit status {child.returncode}")


def fields_of(line):
    """Give the fields of a line that a runner answers."""
    result, *fields = line.split("\t")
    answer = {"result": result}
    for one in fields:
        key, _, value = one.partition("=")
        answer[key] = value
    for key in ("offset", "used", "allocated", "factor"):
        if key in answer:
            answer[key] = int(answer[key])
    for key in ("json_refusal", "bytes_refusal"):
        if key in answer:
            error, _, path = answer[key].partition(" ")
            answer[key] = {"error": error, "path": path}
    for key in ("segments", "cumulative"):
        if key in answer:
            answer[key] = answer[key].split(",")
    if "layout" in answer:
        answer["layout"] = bytes.fromhex(answer["layout"]).decode("utf-8")
    return answer


class LineRunner:
    """A runner of a language, which speaks the lines of README.md."""

    def __init__(self, name, command, lacks):
        self.name = name
        self.lacks = lacks
        self.process = Process(command)

    def ask(self, op, schema, type_name, data, options):
        """Ask one thing; ``data`` is bytes or None, ``options`` are limits and sizes."""
        target = schema if type_name is None else f"{schema}.{type_name}"
        words = [op, target]
        if data is not None:
            words.append(data.hex() or "-")
        words += [f"{key}={value}" for key, value in options]
        self.process.send(" ".join(words))
        answer = fields_of(self.process.line())
        if answer["result"] == "stream":
            return {"result": "stream", "reads": [fields_of(self.process.line()) for _ in range(int(answer["reads"]))]}
        return answer

    def close(self):
        """End the runner."""
        self.process.close()


class ReferenceRunner:
    """The Python reference, which speaks JSON objects."""

    def __init__(self, name):
        self.name = name
        self.lacks = {"view": "", "alias": "", "reuse": ""}
        self.process = Process([sys.executable, str(CONFORMANCE / "reference" / "__main__.py"), "serve"])

    def ask(self, op, schema, type_name, data, options):
        """Ask one thing, as LineRunner does."""
        request = {"op": REFERENCE_OPS[op], "schema": str(CONFORMANCE / "schemas" / f"{schema}.sdp")}
        if type_name is not None:
            request["type"] = type_name
        if data is not None:
            request["json_hex" if op in ("json", "encode", "encode_into", "encode_message") else "bytes"] = data.hex()
        limits = dict(options)
        if "size" in limits:
            request["size"] = limits.pop("size")
        if limits:
            request["limits"] = limits
        self.process.send(json.dumps(request))
        answer = json.loads(self.process.line())
        if answer["result"] == "stream":
            return {"result": "stream", "reads": _repeat_last([_short(one) for one in answer["reads"]])}
        return _short(answer)

    def close(self):
        """End the reference."""
        self.process.close()


def _repeat_last(reads):
    """Add the read after a refusal that ends a stream: the reference reports that it has ended, and is not asked again [WIRE-11.5]."""
    return reads if reads[-1]["result"] == "end" else [*reads, reads[-1]]


def _short(answer):
    """Bring an answer of the reference into the form of a runner's: types without packages, refusals without offsets."""
    answer = {key: value for key, value in answer.items() if value is not None}
    if "type" in answer:
        answer["type"] = answer["type"].rpartition(".")[2]
    for key in ("json_refusal", "bytes_refusal"):
        if key in answer:
            answer[key] = {"error": answer[key]["error"], "path": answer[key]["path"]}
    return answer


def rows(table):
    """Give the rows of a table of runners.toml."""
    return tomllib.loads((CONFORMANCE / "runners.toml").read_text("utf-8"))[table]


def load_runners(names, program=None):
    """Make the runners of runners.toml that are asked for, the reference first; without names all.

    Another build of the one runner that is named can be asked by its command.
    """
    listed = rows("runner")
    unknown = set(names) - {row["name"] for row in listed}
    if unknown:
        raise SystemExit(f"no runner is called {', '.join(sorted(unknown))}")
    made = []
    for row in listed:
        if row["name"] == "reference":
            made.append(ReferenceRunner(row["name"]))
        elif not names or row["name"] in names:
            command = program or [str(ROOT / row["program"]), *row.get("arguments", ())]
            made.append(LineRunner(row["name"], command, row.get("lacks", {})))
    return made
