"""Constants and literal values of a schema: integers, floats, strings and booleans [LANG-4.5] [LANG-7.4]."""

from dataclasses import dataclass
from fractions import Fraction

from .decimal_text import infinity, magnitude, parts, read_decimal, round_magnitude
from .json_read import read_uuid
from .shape import Enum, FLOATS, INTEGERS, Optional, Scalar, TIMES, Text


@dataclass
class Number:
    """A float that is known by its literal's text, before it is rounded to a type."""

    text: str


@dataclass
class Rounded:
    """A float that a constant has rounded to its own type."""

    name: str
    bits: int


def float_bits(name, value):
    """Give the bits of an integer, a literal's text or a constant in a float type."""
    if isinstance(value, int):
        value = Number(str(value))
    if isinstance(value, Number):
        return read_decimal(name, value.text)
    if value.name == name:
        return value.bits
    mantissa, exponent = magnitude(value.name, value.bits)
    exact = Fraction(mantissa) * Fraction(2) ** exponent
    sign = infinity(name, True) - infinity(name, False) if parts(value.name, value.bits)[0] else 0
    return sign | round_magnitude(name, exact)


def typed_constant(shape, value):
    """Give the value of a constant whose type is ``shape``."""
    return Rounded(shape.name, float_bits(shape.name, value)) if isinstance(shape, Scalar) and shape.name in FLOATS else value


def default_value(shape, literal, evaluate):
    """Give a field's default as a value of its type; inside an optional it is that of the type within [LANG-7.4] [EVO-2.4].

    ``evaluate`` gives the value of a literal or constant.
    """
    if isinstance(shape, Optional):
        return default_value(shape.element, literal, evaluate)
    if isinstance(shape, Enum):
        return shape.members[literal.value[-1]]
    value = evaluate(literal)
    if isinstance(shape, Text):
        return value.encode("utf-8")
    if shape.name in FLOATS:
        return float_bits(shape.name, value)
    if shape.name == "uuid":
        return read_uuid(value)
    expected = bool if shape.name == "bool" else int
    if type(value) is not expected or shape.name not in ("bool", *INTEGERS, *TIMES):
        raise TypeError(f"{value!r} is no default of {shape.name}")
    return value
