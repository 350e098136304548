"""Smallest sizes of shapes on the wire [WIRE-13.1]."""

from .shape import Array, COUNTED, Message, Optional, SCALARS, Struct, Union

_UNREACHED = float("inf")
_known = {}


def smallest(shape):
    """Give the smallest size of a shape in bytes; for a recursive shape the least solution [WIRE-13.1].

    Struct, message and union sizes start above every number and shrink until nothing changes. That
    computes the sizes of finite values only, which is the least solution: a value is finite.
    """
    cached = _known.get(id(shape))
    if cached is not None and cached[0] is shape:
        return cached[1]
    sizes = {}
    _collect(shape, sizes)
    by_id = {id(one): one for one in sizes}
    current = {key: _UNREACHED for key in by_id}
    changed = True
    while changed:
        changed = False
        for key, one in by_id.items():
            size = _once(one, current)
            if size != current[key]:
                current[key] = size
                changed = True
    if current[id(shape)] == _UNREACHED:
        raise ValueError(f"no finite value has the type {shape}")
    for key, one in by_id.items():
        if current[key] != _UNREACHED:
            _known[key] = (one, current[key])
    return current[id(shape)]


def _parts(shape):
    if isinstance(shape, (Struct, Message)):
        return [one.shape for one in shape.fields]
    if isinstance(shape, Union):
        return [one.shape for one in shape.alternatives if one.shape is not None]
    if isinstance(shape, (Array, Optional)):
        return [shape.element]
    return []


def _collect(shape, found):
    pending = [shape]
    while pending:
        one = pending.pop()
        if one not in found:
            found[one] = None
            pending.extend(_parts(one))


def _once(shape, current):
    if isinstance(shape, SCALARS):
        return shape.size
    if isinstance(shape, COUNTED):
        return shape.width
    if isinstance(shape, Optional):
        return 1
    if isinstance(shape, Array):
        return shape.count * current[id(shape.element)] if shape.count else 0
    if isinstance(shape, Struct):
        return sum(current[id(one.shape)] for one in shape.fields)
    if isinstance(shape, Message):
        return 4 + sum(current[id(one.shape)] for one in shape.fields if one.segment == 1)
    if not shape.closed:
        return 5
    return 1 + min((_alternative(one, current) for one in shape.alternatives), default=0)


def _alternative(alternative, current):
    return 0 if alternative.shape is None else current[id(alternative.shape)]
