"""Schema files as trees (grammar.ebnf). Only valid files are read, so a problem is an exception."""

from dataclasses import dataclass, field

from .schema_tokens import tokens


@dataclass
class Expression:
    """A type expression: list, array, optional, box, map or name, with the attributes before it.

    ``inside`` holds the type expressions in it; ``value`` an array's N or a name's parts.
    """

    kind: str
    attributes: list
    inside: list = field(default_factory=list)
    value: object = None


@dataclass
class Literal:
    """A value: integer, float (its text), string, bool or path (its parts)."""

    kind: str
    value: object


@dataclass
class Attribute:
    """An attribute: its dotted name and its arguments, each a name or None and a value."""

    name: str
    arguments: list


@dataclass
class Part:
    """A field, member or alternative: ``type`` and ``fields`` where it has them, and its default, number or tag."""

    name: str
    attributes: list
    type: Expression | None = None
    fields: list | None = None
    value: Literal | None = None


@dataclass
class Declaration:
    """A declaration: its kind (const, type, enum, struct, message, union, service), name, and what it holds."""

    kind: str
    name: str
    attributes: list
    type: Expression | None = None
    value: Literal | None = None
    parts: list = field(default_factory=list)


@dataclass
class File:
    """A schema file: its package name or None, its imports (path, name or None), its declarations.

    ``plain`` says that nothing but structs without attributes stands at its top level [LANG-8.1].
    """

    package: str | None = None
    imports: list = field(default_factory=list)
    declarations: list = field(default_factory=list)
    plain: bool = True


class _Parser:
    def __init__(self, data):
        self.tokens = tokens(data)
        self.at = 0

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self, kind):
        token = self.peek()
        if token.kind != kind:
            raise SyntaxError(f"{kind} expected at token {self.at}, {token.value!r} found")
        self.at += 1
        return token.value

    def is_mark(self, mark, ahead=0):
        token = self.peek(ahead)
        return token.kind == "mark" and token.value == mark

    def accept(self, mark):
        if self.is_mark(mark):
            self.at += 1
            return True
        return False

    def expect(self, mark):
        if not self.accept(mark):
            raise SyntaxError(f"{mark!r} expected at token {self.at}, {self.peek().value!r} found")

    def is_word(self, word):
        token = self.peek()
        return token.kind == "ident" and token.value == word

    def path(self):
        parts = [self.take("ident")]
        while self.accept("."):
            parts.append(self.take("ident"))
        return parts

    def literal(self):
        kind = self.peek().kind
        if kind in ("integer", "float", "string"):
            return Literal(kind, self.take(kind))
        parts = self.path()
        if parts in (["true"], ["false"]):
            return Literal("bool", parts == ["true"])
        return Literal("path", parts)

    def attributes(self):
        found = []
        while self.accept("@"):
            name = ".".join(self.path())
            arguments = []
            if self.accept("("):
                while not self.accept(")"):
                    named = self.peek().kind == "ident" and self.is_mark("=", 1)
                    key = self.take("ident") if named else None
                    if named:
                        self.expect("=")
                    arguments.append((key, self.literal()))
                    if not self.is_mark(")"):
                        self.expect(",")
            found.append(Attribute(name, arguments))
        return found

    def type(self):
        attributes = self.attributes()
        if self.accept("?"):
            return Expression("optional", attributes, [self.type()])
        if self.accept("["):
            if self.accept("]"):
                return Expression("list", attributes, [self.type()])
            integer = self.peek().kind == "integer"
            count = Literal("integer", self.take("integer")) if integer else Literal("path", self.path())
            self.expect("]")
            return Expression("array", attributes, [self.type()], count)
        parts = self.path()
        kind = {"Option": "optional", "Box": "box", "map": "map"}.get(parts[0])
        if len(parts) > 1 or kind is None or not self.accept("<"):
            return Expression("name", attributes, value=parts)
        inside = [self.type()]
        if kind == "map":
            self.expect(",")
            inside.append(self.type())
        self.expect(">")
        return Expression(kind, attributes, inside)

    def fields(self):
        self.expect("{")
        found = []
        while not self.accept("}"):
            attributes = self.attributes()
            one = Part(self.take("ident"), attributes)
            self.expect(":")
            one.type = self.type()
            if self.accept("="):
                one.value = self.literal()
            found.append(one)
            if not self.is_mark("}"):
                self.expect(",")
        return found

    def reserved(self):
        """Pass over a reserved statement of a body, if one stands here [LANG-1.5]."""
        if not self.is_word("reserved") or self.peek(1).kind not in ("integer", "string", "ident"):
            return False
        while not self.accept(";"):
            self.at += 1
        return True

    def body(self, one):
        """Read the members of an enum or the alternatives of a union, which ``one`` reads singly."""
        self.expect("{")
        found = []
        while not self.accept("}"):
            if self.reserved():
                continue
            found.append(one())
            self.accept(",")
        return found

    def member(self):
        attributes = self.attributes()
        name = self.take("ident")
        self.expect("=")
        return Part(name, attributes, value=self.literal())

    def alternative(self):
        attributes = self.attributes()
        one = Part(self.take("ident"), attributes)
        if self.accept("("):
            one.type = self.type()
            self.expect(")")
        elif self.is_mark("{"):
            one.fields = self.fields()
        self.expect("=")
        one.value = Literal("integer", self.take("integer"))
        return one

    def service(self):
        """Pass over a service's body: no type is declared there."""
        self.expect("{")
        depth = 1
        while depth:
            depth += self.is_mark("{") - self.is_mark("}")
            if self.peek().kind == "end":
                raise SyntaxError("a service without end")
            self.at += 1

    def declaration(self, attributes):
        kind = self.take("ident")
        one = Declaration(kind, self.take("ident"), attributes)
        if kind in ("const", "enum"):
            self.expect(":")
            one.type = self.type()
        if kind in ("const", "type"):
            self.expect("=")
            if kind == "const":
                one.value = self.literal()
            else:
                one.type = self.type()
            self.expect(";")
        elif kind == "enum":
            one.parts = self.body(self.member)
        elif kind == "union":
            one.parts = self.body(self.alternative)
        elif kind in ("struct", "message"):
            one.parts = self.fields()
        elif kind == "service":
            self.service()
        else:
            raise SyntaxError(f"no declaration starts with {kind!r}")
        return one

    def file(self):
        file = File()
        attributes = self.attributes()
        if self.is_word("package"):
            self.at += 1
            file.package = ".".join(self.path())
            self.expect(";")
            file.plain = False
            attributes = []
        while self.is_word("import"):
            self.at += 1
            path = self.take("string")
            name = None
            if self.is_word("as"):
                self.at += 1
                name = self.take("ident")
            self.expect(";")
            file.imports.append((path, name))
            file.plain = False
        while self.peek().kind != "end":
            attributes += self.attributes()
            if not attributes and self.is_word("reserved"):
                while not self.accept(";"):
                    self.at += 1
                file.plain = False
                continue
            file.declarations.append(self.declaration(attributes))
            attributes = []
        return file


def parse_schema(data):
    """Read a schema file, given as bytes, into a tree."""
    return _Parser(data).file()
