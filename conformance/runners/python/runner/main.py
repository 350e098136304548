"""Answers conformance requests with the Python code that ``sdp gen`` made. conformance/README.md describes the lines.

It knows no schema: it finds the code of one by the name of its folder. Each request is answered by the engine in Python and by the
native one, and both have to say the same.
"""

import importlib
import pathlib
import re
import sys
import tracemalloc

import schemas
import sdp

LIMITS = ("message_bytes", "elements", "depth", "memory_bytes")
MODULES = {}


def module_of(schema):
    """The module that was made of a schema."""
    if schema not in MODULES:
        for path in pathlib.Path(schemas.__file__).parent.joinpath(schema).glob("*.py"):
            text = path.read_text(encoding="utf-8")
            if f" from {schema}.sdp." in text.partition("\n")[0] and "\npackage = " in text:
                MODULES[schema] = importlib.import_module(f"schemas.{schema}.{path.stem}")
        if schema not in MODULES:
            raise LookupError(f"no schema is called {schema}")
    return MODULES[schema]


def class_of(schema, name):
    """The class of a type of a schema."""
    package = module_of(schema).package
    found = package.class_of(f"{package.name}.{name}")
    if found is None:
        raise LookupError(f"no type is called {schema}.{name}")
    return found


def rejected(error):
    return f"reject\terror={error.code}\toffset={error.offset}\tpath={error.path}"


def part(key, make):
    """A part of an answer, or the refusal in its place."""
    try:
        return f"\t{key}={make()}"
    except sdp.Error as error:
        return f"\t{key}_refusal={error.code} {error.path}"


def accepted(value, encode):
    return "accept" + part("json", value.to_json) + part("bytes", lambda: encode().hex())


def framed(value):
    return (
        accepted(value, value.encode_message) + f"\ttype={type(value)._union._name if isinstance(value, sdp.Union) else type(value)._name}"
    )


def measured(cls, make):
    """An answer, with the most memory that its decode held at a time, and the factor that the generated code states."""
    tracemalloc.start()
    try:
        answered = make()
    except sdp.Error as error:
        answered = rejected(error)
    finally:
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    factor = re.search(r"at most (\d+)·n bytes", cls.__doc__)
    text = answered if isinstance(answered, str) else accepted(answered, answered.encode)
    return text + (f"\tallocated={held}\tfactor={factor[1]}" if factor else "")


def packages():
    """The packages that requests have used, with those that they import."""
    waiting = [module.package for module in MODULES.values()]
    for package in waiting:
        waiting.extend(package._imports)
    return waiting


class Engine:
    """An engine, which sets itself as that of all types."""

    def __init__(self, name):
        self.name = name
        self.functions = {}

    def __enter__(self):
        for package in packages():
            for kind in package.types().values():
                functions = self.functions.setdefault(id(kind), kind.native)
                kind.native = functions if self.name == "native" else None

    def __exit__(self, *error):
        for package in packages():
            for kind in package.types().values():
                kind.native = self.functions[id(kind)]


ENGINES = (Engine("python"), Engine("native"))


def taken(value):
    """Says whether the native engine writes a value itself, where it is the engine."""
    kind = sdp._value.type_of(type(value))
    return kind.native is None or kind.native.encode(value) is not None


def decode(cls, data, limits, **options):
    try:
        value = cls.decode(data, limits=limits, **options)  # which also makes the reader of the type
    except sdp.Error as error:
        del error
        return measured(cls, lambda: cls.decode(data, limits=limits, **options))
    again = cls.decode(value.encode(), limits=limits) if limits == sdp.Limits() and not too_deep(value) else value
    if again != value:
        raise AssertionError(f"{again} is not {value}")
    if not too_deep(value) and not taken(value):
        raise AssertionError(f"the native engine does not write {value}")
    return measured(cls, lambda: cls.decode(data, limits=limits, **options))


def too_deep(value):
    try:
        value.encode()
    except sdp.Error:
        return True
    return False


def prefix(cls, data, limits):
    value, used = cls.decode_prefix(data, limits=limits)
    return accepted(value, value.encode) + f"\tused={used}"


def encode_into(cls, data, size):
    buffer = bytearray(size)
    used = cls.from_json(data).encode_into(buffer)
    return f"accept\tbytes={buffer[:used].hex()}"


def from_json(cls, data):
    value = cls.from_json(data)
    return accepted(value, value.encode)


def fingerprints(cls):
    def listed(numbers):
        return ",".join(f"{number:016x}" for number in numbers)

    segments, cumulative = cls._package.fingerprints(cls)
    return f"accept\tsegments={listed(segments)}\tcumulative={listed(cumulative)}"


def stream(module, data, limits):
    """Reads until the clean end, or until a refusal comes for the second time."""
    reader = sdp.read_messages([data[i : i + 3] for i in range(0, len(data), 3)], module, limits=limits)
    answers, refused = [], 0
    while refused < 2:
        try:
            answers.append(framed(next(reader)))
        except StopIteration:
            answers.append("end")
            break
        except sdp.Error as error:
            answers.append(rejected(error))
            refused = 0 if error.code == "type_id_unknown" else refused + 1
    return "\n".join([f"stream\treads={len(answers)}", *answers])


OPERATIONS = {
    "decode": lambda r: decode(r.cls, r.data, r.limits),
    "exact": lambda r: decode(r.cls, r.data, r.limits, exact=True),
    "prefix": lambda r: prefix(r.cls, r.data, r.limits),
    "message": lambda r: framed(r.cls.decode_message(r.data, limits=r.limits)),
    "dispatch": lambda r: framed(sdp.decode_message(r.data, r.module, limits=r.limits)),
    "stream": lambda r: stream(r.module, r.data, r.limits),
    "json": lambda r: from_json(r.cls, r.data),
    "encode": lambda r: f"accept\tbytes={r.cls.from_json(r.data).encode().hex()}",
    "encode_message": lambda r: f"accept\tbytes={r.cls.from_json(r.data).encode_message().hex()}",
    "encode_into": lambda r: encode_into(r.cls, r.data, r.size),
    "layout": lambda r: f"accept\tlayout={r.cls.layout().encode().hex()}",
    "fingerprints": lambda r: fingerprints(r.cls),
}


class Request:
    """A line: OPERATION SCHEMA[.TYPE] [HEX] [LIMIT=NUMBER…]."""

    def __init__(self, line):
        self.op, target, *rest = line.split()
        schema, _, name = target.partition(".")
        self.module = module_of(schema)
        self.cls = class_of(schema, name) if name else None
        self.data, self.size, limits = b"", 0, {}
        for word in rest:
            key, equals, number = word.partition("=")
            if not equals:
                self.data = b"" if word == "-" else bytes.fromhex(word)
            elif key == "size":
                self.size = int(number)
            elif key in LIMITS:
                limits[key] = int(number)
            else:
                raise LookupError(f"no limit is called {key}")
        self.limits = sdp.Limits(**limits)


def answer(line):
    """The answer to a line, with the memory of the engine that takes more."""
    try:
        request = Request(line)
        python, native = (answer_by(engine, request) for engine in ENGINES)
        if ALLOCATED.sub("", python) != ALLOCATED.sub("", native):
            return f"error\tmessage=the engine in Python says {python}, and the native one {native}".replace("\n", " ")
        return max(python, native, key=allocated)
    except Exception as error:
        return f"error\tmessage={type(error).__name__} {error}".replace("\n", " ")


ALLOCATED = re.compile(r"\tallocated=(\d+)")


def allocated(text):
    found = ALLOCATED.search(text)
    return int(found[1]) if found else 0


def answer_by(engine, request):
    with engine:
        try:
            return OPERATIONS[request.op](request)
        except sdp.Error as error:
            return rejected(error)


def main():
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8", newline="\n")  # also on Windows, which has others
    for line in sys.stdin:
        if line.strip():
            sys.stdout.write(answer(line) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
