"""Requests of a harness: one JSON object in, one out. README.md describes them."""

import json

from .decode import decode, decode_exact, decode_prefix
from .encode import encode, encode_into
from .fingerprint import fingerprint_texts, fingerprints
from .framing import Stream, decode_message, encode_message
from .json_read import read_json
from .json_write import write_json
from .layout import read_layout, write_layout
from .refusal import Limits, Refusal
from .schema import load_schema
from .shape import AGGREGATES, Enum, Message, Struct
from .smallest import smallest


class Types:
    """The types of a request: by name, and by type id."""

    def __init__(self, request):
        if "layout" in request:
            shapes = read_layout(request["layout"])
            self.root = shapes[0]
            self.by_name = {one.name: one for one in shapes}.__getitem__
            self.by_id = {}
            self.own = shapes
        else:
            package = load_schema(request["schema"], request.get("include", ()))
            self.root = None
            self.by_name = package.type_named
            self.by_id = package.by_id()
            self.own = list(package.shapes.values())

    def get(self, name):
        """Give the type of this name; without a name the root of a layout text, or None."""
        return self.root if name is None else self.by_name(name)


def rejected(refusal):
    """Describe a refusal; an offset of -1 says that it has none."""
    return {"result": "reject", "error": refusal.name, "offset": refusal.offset, "path": refusal.path}


def accepted(shape, value, rewrite=encode):
    """Describe a value by its canonical JSON and its encoding.

    A decode whose depth limit is over 64 accepts what neither of them takes; then the refusal stands in
    the place of the text.
    """
    answer = {"result": "accept"}
    for key, make in (("json", lambda: write_json(shape, value).decode("utf-8")), ("bytes", lambda: rewrite(shape, value).hex())):
        try:
            answer[key] = make()
        except Refusal as refusal:
            answer[key] = None
            answer[key + "_refusal"] = rejected(refusal)
    return answer


def _text(request):
    return bytes.fromhex(request["json_hex"]) if "json_hex" in request else request["json"].encode("utf-8")


def _decode(types, request, limits, read):
    shape = types.get(request.get("type"))
    return accepted(shape, read(shape, bytes.fromhex(request["bytes"]), limits))


def _prefix(types, request, limits):
    shape = types.get(request.get("type"))
    value, used = decode_prefix(shape, bytes.fromhex(request["bytes"]), limits)
    return accepted(shape, value) | {"used": used}


def _framed(shape, value):
    return accepted(shape, value, encode_message) | {"type": shape.name}


def _message(types, request, limits):
    asked = types.get(request.get("type"))
    return _framed(*decode_message(asked, types.by_id, bytes.fromhex(request["bytes"]), limits))


def _stream(types, request, limits):
    """Read until the clean end, or until a refusal that ends the stream."""
    stream = Stream(types.get(request.get("type")), types.by_id, bytes.fromhex(request["bytes"]), limits)
    reads = []
    while stream.ended is None:
        try:
            found = stream.read()
        except Refusal as refusal:
            reads.append(rejected(refusal))
            continue
        if found is None:
            reads.append({"result": "end"})
            break
        reads.append(_framed(*found))
    return {"result": "stream", "reads": reads}


def _encode(types, request, limits):
    shape = types.get(request.get("type"))
    value = read_json(shape, _text(request))
    data = encode_into(shape, value, request["size"]) if "size" in request else encode(shape, value)
    return {"result": "accept", "bytes": data.hex()}


def _encode_message(types, request, limits):
    shape = types.get(request.get("type"))
    return {"result": "accept", "bytes": encode_message(shape, read_json(shape, _text(request))).hex()}


def _json(types, request, limits):
    shape = types.get(request.get("type"))
    return accepted(shape, read_json(shape, _text(request)))


def _layout(types, request, limits):
    return {"result": "accept", "layout": write_layout(types.get(request.get("type")))}


def _fingerprints(types, request, limits):
    shape = types.get(request.get("type"))
    segments, cumulative = fingerprints(shape)
    return {"result": "accept", "segments": segments, "cumulative": cumulative, "texts": fingerprint_texts(shape)}


def _smallest(types, request, limits):
    return {"result": "accept", "smallest": smallest(types.get(request.get("type")))}


def _types(types, request, limits):
    """List the types of a package in order of declaration."""
    rows = []
    for one in types.own:
        kind = "struct" if isinstance(one, Struct) else "message" if isinstance(one, Message) else "union"
        row = {"name": one.name, "kind": "enum" if isinstance(one, Enum) else kind}
        if isinstance(one, AGGREGATES):
            row["id"] = one.id
        rows.append(row)
    return {"result": "accept", "types": rows}


_OPERATIONS = {
    "decode": lambda types, request, limits: _decode(types, request, limits, decode),
    "decode_exact": lambda types, request, limits: _decode(types, request, limits, decode_exact),
    "decode_prefix": _prefix,
    "decode_message": _message,
    "decode_stream": _stream,
    "encode": _encode,
    "encode_message": _encode_message,
    "json": _json,
    "layout": _layout,
    "fingerprints": _fingerprints,
    "smallest": _smallest,
    "types": _types,
}


class Service:
    """Answers requests; each schema, and each layout text, is read once."""

    def __init__(self):
        self._types = {}

    def types(self, request):
        """Give the types of a request."""
        key = request.get("layout") or (request["schema"], *request.get("include", ()))
        if key not in self._types:
            self._types[key] = Types(request)
        return self._types[key]

    def answer(self, request):
        """Answer one request, given as the object of its line."""
        limits = Limits(**request.get("limits", {}))
        try:
            answer = _OPERATIONS[request["op"]](self.types(request), request, limits)
        except Refusal as refusal:
            answer = rejected(refusal)
        return answer

    def answer_line(self, line):
        """Answer one line; a request that makes no sense is answered by an error, which is no refusal."""
        request = {}
        try:
            request = json.loads(line)
            answer = self.answer(request)
        except Exception as error:
            answer = {"result": "error", "message": f"{type(error).__name__}: {error}"}
        if isinstance(request, dict) and "tag" in request:
            answer["tag"] = request["tag"]
        return json.dumps(answer, ensure_ascii=True)
