"""The values that fields take when their segment is missing [WIRE-7.4] [EVO-2.3]."""

from .shape import Array, Blob, Enum, List, Map, Message, Optional, Scalar, Struct, Text
from .value import Record


def missing_value(field):
    """Give the field's default, or else the zero value of its type."""
    return zero_value(field.shape) if field.default is None else field.default


def zero_value(shape):
    """Give the zero value of a type that has one [LANG-7.5]."""
    if isinstance(shape, Scalar):
        return False if shape.name == "bool" else bytes(16) if shape.name == "uuid" else 0
    if isinstance(shape, Enum):
        return 0
    if isinstance(shape, (Text, Blob)):
        return b""
    if isinstance(shape, List):
        return []
    if isinstance(shape, Map):
        return {}
    if isinstance(shape, Optional):
        return None
    if isinstance(shape, Array):
        return [zero_value(shape.element) for _ in range(shape.count)]
    if isinstance(shape, Struct):
        return Record({one.name: zero_value(one.shape) for one in shape.fields})
    if isinstance(shape, Message):
        return Record({one.name: missing_value(one) for one in shape.fields})
    raise TypeError(f"{shape} has no zero value")
