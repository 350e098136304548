"""Layout text: what a struct, message or union is on the wire, with names (section 5 of evolution.md)."""

from .shape import (
    Alternative, Array, Blob, Enum, Field, List, Map, Message, Optional, SCALAR_ROWS, Scalar, Struct, Text, Union,
)

WORDS = {Text: "str", Blob: "bytes", List: "list", Map: "map"}


def parts_of_type(shape):
    """Give the types directly inside a type expression, in order [EVO-5.2]."""
    if isinstance(shape, Map):
        return [shape.key, shape.value]
    return [shape.element] if isinstance(shape, (List, Array, Optional)) else []


def spell(shape, declared, bounds):
    """Give the words of a type in prefix notation; ``declared`` spells declared types [EVO-5.5] [EVO-6.4]."""
    if isinstance(shape, Scalar):
        return [shape.name]
    if isinstance(shape, (Enum, Struct, Message, Union)):
        return declared(shape)
    if isinstance(shape, Array):
        words = ["array", str(shape.count)]
    elif isinstance(shape, Optional):
        words = ["opt"]
    else:
        bound = f"<={shape.max}" if bounds and shape.max is not None else ""
        words = [f"{WORDS[type(shape)]}{shape.width}{bound}"]
    for part in parts_of_type(shape):
        words += spell(part, declared, bounds)
    return words


def blocks(root):
    """Give the declared types that a type reaches, in the order of their blocks [EVO-5.2]."""
    found = {}
    pending = [root]
    while pending:
        shape = pending.pop()
        if shape in found:
            continue
        if isinstance(shape, (Struct, Message)):
            inside = [one.shape for one in shape.fields]
        elif isinstance(shape, Union):
            inside = [one.shape for one in shape.alternatives if one.shape is not None]
        else:
            inside = parts_of_type(shape)
        if isinstance(shape, (Enum, Struct, Message, Union)):
            found[shape] = len(found)
        pending.extend(reversed(inside))
    return found


def _head(number, shape):
    if isinstance(shape, Enum):
        return f"{number} enum {shape.name} {shape.base}{' closed' if shape.closed else ''}"
    if isinstance(shape, Union):
        return f"{number} union {shape.name}{' closed' if shape.closed else ''}"
    if isinstance(shape, Message):
        return f"{number} message {shape.name}{' keep' if shape.keep_unknown else ''}"
    return f"{number} struct {shape.name}"


def _body(shape, words):
    if isinstance(shape, Enum):
        return [f" {name} {number}" for name, number in shape.members.items()]
    if isinstance(shape, Union):
        return [
            f" {one.name} {one.tag}" + ("" if one.shape is None else " " + words(one.shape))
            for one in shape.alternatives
        ]
    lines = []
    segment = 1
    for one in shape.fields:
        if one.segment != segment:
            segment = one.segment
            lines.append(f"@{segment}")
        lines.append(f" {one.name} {words(one.shape)}")
    return lines


def write_layout(root):
    """Give the layout text of a struct, message or union [EVO-5.1] to [EVO-5.5]."""
    numbers = blocks(root)

    def words(shape):
        return " ".join(spell(shape, lambda one: [f"#{numbers[one]}"], True))

    lines = []
    for shape, number in numbers.items():
        lines.append(_head(number, shape))
        lines += _body(shape, words)
    return "".join(line + "\n" for line in lines)


def read_layout(text):
    """Make the shapes of a layout text; block 0, the root, is the first.

    The text carries no ids, defaults and JSON names [EVO-5.4]: a missing field takes the zero value of
    its type here, and JSON uses the names of the schema.
    """
    shapes = []
    bodies = []
    for line in text.split("\n")[:-1]:
        if line[0] in " @":
            bodies[-1].append(line)
            continue
        number, kind, name, *rest = line.split(" ")
        if int(number) != len(shapes):
            raise ValueError(f"block {number} stands at place {len(shapes)}")
        if kind == "enum":
            shapes.append(Enum(name, rest[0], closed="closed" in rest))
        elif kind == "union":
            shapes.append(Union(name, closed="closed" in rest))
        elif kind == "message":
            shapes.append(Message(name, keep_unknown="keep" in rest))
        else:
            shapes.append({"struct": Struct}[kind](name))
        bodies.append([])
    for shape, body in zip(shapes, bodies):
        _fill(shape, body, shapes)
    return shapes


def _fill(shape, body, shapes):
    segment = 1
    for line in body:
        if line.startswith("@"):
            segment = int(line[1:])
            continue
        name, *words = line[1:].split(" ")
        if isinstance(shape, Enum):
            shape.members[name] = int(words[0])
        elif isinstance(shape, Union):
            payload = _read_type(iter(words[1:]), shapes) if words[1:] else None
            inline = isinstance(payload, Struct) and payload.name == f"{shape.name}.{name}"
            shape.alternatives.append(Alternative(name, int(words[0]), payload, inline))
        else:
            shape.fields.append(Field(name, _read_type(iter(words), shapes), segment))


def _read_type(words, shapes):
    word = next(words)
    if word in SCALAR_ROWS:
        return Scalar(word)
    if word.startswith("#"):
        return shapes[int(word[1:])]
    if word == "array":
        count = int(next(words))
        return Array(_read_type(words, shapes), count)
    if word == "opt":
        return Optional(_read_type(words, shapes))
    word, _, bound = word.partition("<=")
    most = int(bound) if bound else None
    width = int(word[-1])
    if word[:-1] == "str":
        return Text(width, most)
    if word[:-1] == "bytes":
        return Blob(width, most)
    if word[:-1] == "list":
        return List(_read_type(words, shapes), width, most)
    if word[:-1] != "map":
        raise ValueError(f"no type is spelled {word}")
    key = _read_type(words, shapes)
    return Map(key, _read_type(words, shapes), width, most)
