"""The checks of a case: what every runner must answer, and what it must make of the others' output."""

from .runners import Died

DECODES = {"bytes": "decode", "exact": "exact", "prefix": "prefix", "message": "message", "dispatch": "dispatch"}
WAYS = ("view", "alias", "reuse")
"""Other ways to decode in byte mode, where a language has them: they answer as decode does."""

PREFIX_BYTES_MAX = 4096
MEMORY_CONSTANT_BYTES = 65536


class Asker:
    """Asks a runner, each thing once: the same request is answered from memory."""

    def __init__(self, runner):
        self.runner = runner
        self.name = runner.name
        self.answers = {}
        self.unable = {}

    def has(self, op):
        """Say whether the runner has an operation; what it lacks is counted."""
        if op in self.runner.lacks:
            self.unable[op] = self.unable.get(op, 0) + 1
            return False
        return True

    def ask(self, op, schema, type_name, data=None, options=()):
        """Ask one thing. A runner that dies has answered with that."""
        key = (op, schema, type_name, data, options)
        if key not in self.answers:
            try:
                self.answers[key] = self.runner.ask(*key)
            except Died as error:
                self.answers[key] = {"result": "died", "message": str(error)}
        return self.answers[key]


def brief(answer):
    """Show an answer in a line of bearable length."""
    text = str(answer)
    return text if len(text) < 400 else text[:400] + "…"


class Checker:
    """Checks one case against one runner; ``failures`` says what is wrong, ``outputs`` what the runner made.

    A quick check asks what the case gives, in every way, and not for its value or its prefixes.
    """

    def __init__(self, case, asker, reference, quick=False):
        self.case = case
        self.asker = asker
        self.reference = reference
        self.quick = quick
        self.failures = []
        self.checks = 0
        self.outputs = set()
        self.options = tuple(case.limits.items())

    def run(self):
        """Make every check of the case that the runner can answer."""
        case = self.case
        if case.written_by is not None:
            by = case.written_by
            self.encodes(by["value"], case.data, by["schema"], by["type"])
        if case.mode in DECODES:
            self.decodes(DECODES[case.mode])
        else:
            getattr(self, case.mode)()
        return self

    def ask(self, op, data=None, options=(), schema=None, type_name=None):
        """Ask this case's runner."""
        if schema is None:
            schema, type_name = self.case.schema, self.case.type
        if op in ("dispatch", "stream"):
            type_name = None
        answer = self.asker.ask(op, schema, type_name, data, options)
        if "allocated" in answer:
            self.bounded(op, answer, len(data))
        return answer

    def bounded(self, what, answer, size):
        """A decode keeps within the memory that the generator promises for its type [WIRE-8.7]."""
        self.checks += 1
        most = answer["factor"] * size + MEMORY_CONSTANT_BYTES
        if answer["allocated"] > most:
            self.failures.append(f"{what}: {answer['allocated']} bytes allocated for {size}, the bound is {most}")

    def expect(self, what, answer, **members):
        """Compare what an answer has with what it must have."""
        self.checks += 1
        wrong = {key: answer.get(key) for key, value in members.items() if answer.get(key) != value}
        if wrong:
            wanted = {key: members[key] for key in wrong}
            self.failures.append(f"{what}: want {brief(wanted)}, got {brief(answer)}")
        return not wrong

    def refused(self, what, answer):
        """Expect the refusal of the case."""
        case = self.case
        return self.expect(what, answer, result="reject", error=case.error, offset=case.offset, path=case.path)

    def decodes(self, op):
        """Check a case whose input is bytes."""
        case = self.case
        answer = self.ask(op, case.data, self.options)
        if case.mode in ("bytes", "exact"):
            for way in WAYS:
                if case.mode == "bytes" and not case.limits and self.asker.has(way):
                    self.same(way, answer)
        if case.result == "reject":
            self.refused(op, answer)
            return
        if case.value_refusal is not None:
            self.expect(op, answer, result="accept", json_refusal=case.value_refusal, bytes_refusal=case.value_refusal)
            return
        written = case.reencoded
        if written is None:
            written = case.data if case.used is None else case.data[:case.used]
        members = {"json": case.value, "bytes": written.hex()}
        if case.mode == "dispatch":
            members["type"] = case.type
        if case.used is not None:
            members["used"] = case.used
        if self.expect(op, answer, result="accept", **members):
            self.outputs.add((answer["json"], answer["bytes"]))
        if self.quick:
            return
        framed = case.mode in ("message", "dispatch")
        self.encodes(case.value, written, case.schema, case.type, "encode_message" if framed else "encode")
        if self.asker.has("json"):
            self.expect("json", self.ask("json", case.value.encode("utf-8")), result="accept", json=case.value)
        self.prefixes(op)

    def same(self, way, answer):
        """Another way to decode answers as decode does; a view has no JSON and no bytes to show."""
        other = self.ask(way, self.case.data)
        self.expect(way, other, **{key: answer[key] for key in answer.keys() - {"allocated", "factor"} if key in other or way != "view"})

    def encodes(self, value, data, schema, type_name, op="encode"):
        """A value gives the bytes."""
        if not self.asker.has(op):
            return
        answer = self.ask(op, value.encode("utf-8"), schema=schema, type_name=type_name)
        self.expect(f"{op} {schema}.{type_name}", answer, result="accept", bytes=data.hex())

    def prefixes(self, op):
        """Every proper prefix is refused, as the reference refuses it, but for those that the case names [WIRE-14.3]."""
        case = self.case
        data = case.data if case.used is None or case.accepted_prefixes else case.data[:case.used]
        if len(data) > PREFIX_BYTES_MAX or op == "prefix" and case.reencoded is not None:
            return
        for size in range(len(data)):
            answer = self.ask(op, data[:size], self.options)
            if size in case.accepted_prefixes:
                self.expect(f"prefix of {size}", answer, result="accept")
                continue
            type_name = None if op == "dispatch" else case.type
            wanted = self.reference.ask(op, case.schema, type_name, data[:size], self.options)
            self.expect(
                f"prefix of {size}", answer,
                result="reject", error=wanted.get("error"), offset=wanted.get("offset"), path=wanted.get("path"),
            )

    def stream(self):
        """Check the reads of a stream; a refusal that ends it is reported again."""
        wanted = [
            {"json" if key == "value" else key: value for key, value in one.items()} for one in self.case.reads
        ]
        if wanted[-1]["result"] == "reject":
            wanted.append(wanted[-1])
        answer = self.ask("stream", self.case.data, self.options)
        self.checks += 1
        reads = answer.get("reads", [])
        got = [{key: one.get(key) for key in want} for want, one in zip(wanted, reads)]
        if answer["result"] != "stream" or len(reads) != len(wanted) or got != wanted:
            self.failures.append(f"stream: want {brief(wanted)}, got {brief(answer)}")

    def json(self):
        """Check a case whose input is a JSON text."""
        case = self.case
        if case.result == "accept":
            self.reads_json()
            self.expect("decode", self.ask("decode", case.encoding), result="accept", json=case.value, bytes=case.encoding.hex())
        elif self.asker.has("json"):
            self.refused("json", self.ask("json", case.text))

    def reads_json(self):
        """Check that a text, and the canonical text of the same value, give the value and its bytes."""
        case = self.case
        if self.asker.has("json") and self.expect("json", self.ask("json", case.text), result="accept", json=case.value):
            self.outputs.add((case.value, case.encoding.hex()))
        if self.quick:
            return
        self.encodes(case.text.decode("utf-8"), case.encoding, case.schema, case.type)
        self.encodes(case.value, case.encoding, case.schema, case.type)

    def encode(self, op="encode"):
        """Check a case that encodes a value."""
        case = self.case
        options = ()
        if case.size is not None:
            op, options = "encode_into", (("size", case.size),)
        if not self.asker.has(op):
            return
        answer = self.ask(op, case.text, options)
        if case.result == "reject":
            self.refused(op, answer)
        else:
            self.expect(op, answer, result="accept", bytes=case.encoding.hex())

    def encode_message(self):
        """Check a case that encodes a value in message mode."""
        self.encode("encode_message")

    def layout(self):
        """Check a layout text."""
        self.expect("layout", self.ask("layout"), result="accept", layout=self.case.layout)

    def fingerprints(self):
        """Check the fingerprints of the segments, and the cumulative ones."""
        case = self.case
        self.expect("fingerprints", self.ask("fingerprints"), result="accept", segments=case.segments, cumulative=case.cumulative)

    def feed(self, outputs):
        """Check that what another runner made means the same here."""
        op = DECODES.get(self.case.mode, "decode")
        framed = op in ("message", "dispatch")
        for value, data in sorted(outputs):
            answer = self.ask(op if framed or op == "exact" else "decode", bytes.fromhex(data))
            self.expect("decode of another's bytes", answer, result="accept", json=value, bytes=data)
            back = "encode_message" if framed else "encode"
            if self.asker.has(back):
                self.expect("encode of another's JSON", self.ask(back, value.encode("utf-8")), result="accept", bytes=data)
