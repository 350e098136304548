"""Packages: from schema files to shapes (language.md). Only valid schemas are read; nothing is diagnosed."""

import re
from dataclasses import replace
from pathlib import Path

from .schema_constants import Number, default_value, typed_constant
from .schema_syntax import parse_schema
from .shape import (
    Alternative, Array, Blob, COUNTED, Enum, Field, List, Map, Message, Optional, SCALAR_ROWS, Scalar, Struct, Text,
    Union,
)

KINDS = {"enum": Enum, "struct": Struct, "message": Message, "union": Union}
LEGACY_NAMES = {name for name, row in SCALAR_ROWS.items() if row.get("legacy")} | {"str", "string"}


def stem_name(path):
    """Give the package name of a file without a package statement [LANG-2.1]."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", Path(path).stem)
    return "_" + name if name[:1].isdigit() else name


def is_legacy(file):
    """Say whether a file is a schema of SDP 0.2.0 [LANG-8.1]."""
    own = {one.name for one in file.declarations}

    def plain(expression):
        if expression.attributes or expression.kind in ("array", "map"):
            return False
        if expression.kind == "name":
            return len(expression.value) == 1 and expression.value[0] in LEGACY_NAMES | own
        return all(plain(one) for one in expression.inside)

    return file.plain and all(
        one.kind == "struct"
        and not one.attributes
        and all(not part.attributes and part.value is None and plain(part.type) for part in one.parts)
        for one in file.declarations
    )


def attribute(attributes, name):
    """Give the attribute of this name, or None."""
    return next((one for one in attributes if one.name == name), None)


def json_name(attributes):
    """Give the name that ``@name(json = …)`` sets, or None [LANG-5.4]."""
    for one in attributes:
        for key, value in one.arguments:
            if one.name == "name" and key == "json":
                return value.value
    return None


def bind(shape, width, most):
    """Bind @len and @max to the outermost length, through optionals [LANG-5.2]."""
    if isinstance(shape, Optional):
        return Optional(bind(shape.element, width, most))
    if not isinstance(shape, COUNTED):
        raise TypeError(f"{shape} has no length")
    return replace(shape, width=width or shape.width, max=shape.max if most is None else most)


class Package:
    """A package: the shapes of its declared types by name, and its constants and aliases."""

    def __init__(self, path, loader):
        self.file = parse_schema(Path(path).read_bytes())
        self.name = self.file.package or stem_name(path)
        self.legacy = is_legacy(self.file)
        self.imports = {}
        for target, name in self.file.imports:
            package = loader.load(loader.find(target, path))
            self.imports[name or package.name.split(".")[-1]] = package
        self.declarations = {one.name: one for one in self.file.declarations}
        self.shapes = {
            one.name: KINDS[one.kind](f"{self.name}.{one.name}") for one in self.file.declarations if one.kind in KINDS
        }
        self._aliases = {}
        for one in self.file.declarations:
            if one.kind in KINDS:
                self._fill(one, self.shapes[one.name])
        if self.legacy:
            for number, shape in enumerate(self.shapes.values(), 1):
                shape.id = number

    def by_id(self):
        """Give this package's own types by their type ids [WIRE-10.6]."""
        return {one.id: one for one in self.shapes.values() if getattr(one, "id", None) is not None}

    def type_named(self, name):
        """Give the type of this name; ``N.Name`` is one of an import."""
        first, _, rest = name.partition(".")
        if rest and first in self.imports:
            return self.imports[first].type_named(rest)
        shape = self.shapes[first]
        return shape.by_name(rest).shape if rest else shape

    def evaluate(self, literal):
        """Give the value of a literal or of the constant that it names [LANG-4.5]."""
        if literal.kind == "float":
            return Number(literal.value)
        if literal.kind != "path":
            return literal.value
        *where, name = literal.value
        package = self.imports[where[0]] if where else self
        one = package.declarations[name]
        return typed_constant(package.resolve(one.type), package.evaluate(one.value))

    def named(self, parts):
        """Give the type that a name means; what is declared takes precedence [LANG-2.5]."""
        if len(parts) > 1:
            return self.imports[parts[0]].named(parts[1:])
        name = parts[0]
        if name in self.shapes:
            return self.shapes[name]
        one = self.declarations.get(name)
        if one is not None and one.kind == "type":
            if name not in self._aliases:
                self._aliases[name] = self.resolve(one.type)
            return self._aliases[name]
        if name in SCALAR_ROWS:
            return Scalar(name)
        return {"str": Text, "string": Text, "bytes": Blob}[name]()

    def resolve(self, expression, attributes=()):
        """Make the shape of a type expression; ``attributes`` are those of its field [LANG-5.2]."""
        inside = [self.resolve(one) for one in expression.inside]
        kind = expression.kind
        if kind == "name":
            shape = self.named(expression.value)
        elif kind == "box":
            shape = inside[0]
        elif kind == "optional":
            nested = self.legacy and isinstance(inside[0], Optional)
            shape = inside[0] if nested else Optional(inside[0])
        elif kind == "array":
            shape = Array(inside[0], self.evaluate(expression.value))
        elif kind == "map":
            shape = Map(*inside)
        else:
            octets = isinstance(inside[0], Scalar) and inside[0].name == "u8"
            shape = Blob() if octets else List(inside[0])
        for one in (*expression.attributes, *attributes):
            if one.name == "len":
                shape = bind(shape, {"u8": 1, "u16": 2}[one.arguments[0][1].value[0]], None)
            elif one.name == "max":
                shape = bind(shape, None, self.evaluate(one.arguments[0][1]))
        return shape

    def _fields(self, parts):
        return [self._field(one) for one in parts]

    def _field(self, part):
        since = attribute(part.attributes, "since")
        segment = 1 if since is None else self.evaluate(since.arguments[0][1])
        return Field(part.name, self.resolve(part.type, part.attributes), segment, json_name(part.attributes))

    def _fill(self, one, shape):
        """Fill a declared type, whose shape may already be referred to."""
        number = attribute(one.attributes, "id")
        if number is not None:
            shape.id = self.evaluate(number.arguments[0][1])
        if one.kind == "message":
            shape.keep_unknown = attribute(one.attributes, "keep_unknown") is not None
        if one.kind == "enum":
            shape.base = self.resolve(one.type).name
            shape.closed = attribute(one.attributes, "closed") is not None
            for part in one.parts:
                shape.members[part.name] = self.evaluate(part.value)
                if json_name(part.attributes) is not None:
                    shape.json[part.name] = json_name(part.attributes)
        elif one.kind == "union":
            shape.closed = attribute(one.attributes, "closed") is not None
            shape.alternatives = [self._alternative(part, shape) for part in one.parts]
        else:
            shape.fields = self._fields(one.parts)

    def _alternative(self, part, union):
        payload = None
        if part.fields is not None:
            payload = Struct(f"{union.name}.{part.name}", self._fields(part.fields))
        elif part.type is not None:
            payload = self.resolve(part.type)
        return Alternative(part.name, part.value.value, payload, part.fields is not None, json_name(part.attributes))

    def set_defaults(self):
        """Give each field its default; a default may name a member of an enum, so every enum is filled before."""
        for one in self.file.declarations:
            if one.kind != "message":
                continue
            for part, field in zip(one.parts, self.shapes[one.name].fields):
                if part.value is not None:
                    field.default = default_value(field.shape, part.value, self.evaluate)


class Loader:
    """Reads the packages of one compilation, each file once, by whatever path it is reached [LANG-2.2]."""

    def __init__(self, include=()):
        self.include = [Path(one) for one in include]
        self.packages = {}

    def find(self, target, importing):
        """Find an imported file: beside the importing one, then in each directory of ``include`` [LANG-2.2]."""
        for folder in (Path(importing).parent, *self.include):
            if (folder / target).is_file():
                return folder / target
        raise FileNotFoundError(target)

    def load(self, path):
        """Give the package of a file."""
        key = Path(path).resolve()
        if key not in self.packages:
            package = Package(path, self)
            package.set_defaults()
            self.packages[key] = package
        return self.packages[key]


def load_schema(path, include=()):
    """Read a schema file and what it imports; give its package."""
    return Loader(include).load(path)
