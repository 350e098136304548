"""The runtime of generated code: values in, bytes out, and back. It needs nothing but Python's standard library."""

import sys

if sys.version_info < (3, 11):
    raise ImportError("the code that sdp generates needs Python 3.11 or later, and this is %d.%d" % sys.version_info[:2])

from . import _native
from ._arrow import to_arrow
from ._codec import Buffer, Limits
from ._enum import ClosedEnum, OpenEnum
from ._error import DecodeError, EncodeError, Error, JSONError
from ._module import decode_message, read_messages
from ._package import ZERO, Package
from ._time import Duration, Timestamp
from ._value import Message, Struct, Union, Unknown, field

engine = "python" if _native.module is None else "native"
"""The engine that encodes and decodes: ``native``, an extension module, or ``python`` where that is not installed."""

__all__ = [
    "ZERO",
    "Buffer",
    "ClosedEnum",
    "DecodeError",
    "Duration",
    "EncodeError",
    "Error",
    "JSONError",
    "Limits",
    "Message",
    "OpenEnum",
    "Package",
    "Struct",
    "Timestamp",
    "Union",
    "Unknown",
    "decode_message",
    "engine",
    "field",
    "read_messages",
    "to_arrow",
]
