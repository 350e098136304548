"""Texts of scalars in JSON, both ways. A refused text gives None."""

from __future__ import annotations

import base64 as _base64
import binascii
import datetime
import functools
import math
import re
import struct
from decimal import Decimal
from json.encoder import encode_basestring as quote

from ._reader import double, single
from ._time import EPOCH
from ._type import CODES, Type
from ._writer import pack_double, single_bytes

__all__ = ["quote"]

SECOND = 1_000_000_000
I64 = range(-(1 << 63), 1 << 63)

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,19}")


def read_integer(kind: Type, text: str) -> int | None:
    """An integer by its digits, in the range of a type [JSON-2.3]."""
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    bits = 8 * kind.width
    low, high = (0, 1 << bits) if CODES[kind.base or kind.kind].isupper() else (-1 << bits - 1, 1 << bits - 1)
    return number if low <= number < high else None


def float_text(width: int, value: float) -> str:
    """A float [JSON-2.4] to [JSON-2.6]."""
    if value != value:
        bits = int.from_bytes(single_bytes(value) if width == 4 else pack_double(value), "little")
        return '"NaN"' if bits == (0x7FC00000 if width == 4 else 0x7FF8000000000000) else f'"NaN:{bits:0{2 * width}x}"'
    if math.isinf(value):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    if width == 4:
        return _single_text(value)
    text = repr(float(value))
    return _plain(*_digits(text)) if "e" in text else text.removesuffix(".0")


@functools.lru_cache(maxsize=4096)
def _single_text(value: float) -> str:
    """The text of a 4-byte float that is not zero. Values of programs repeat."""
    return _plain(*_digits(_shortest(value)))


def _digits(text: str) -> tuple[str, str, int]:
    """The sign of a number, its digits, and how many of them stand before the point."""
    sign = "-" if text[0] == "-" else ""
    mantissa, _, exponent = text.removeprefix("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    point = len(whole) + int(exponent or 0)
    short = digits.lstrip("0")
    return sign, short.rstrip("0"), point - (len(digits) - len(short))


def _plain(sign: str, digits: str, point: int) -> str:
    """The layout of ECMAScript's Number::toString."""
    if 0 < point <= 21:
        if len(digits) <= point:
            return sign + digits.ljust(point, "0")
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def _shortest(value: float) -> str:
    """The fewest digits that read back as a 4-byte float that is not zero."""
    bits = single_bytes(value)
    is_power = int.from_bytes(bits, "little") & 0x7FFFFF == 0
    text = f"{value:.5e}"
    if not is_power and abs(value) > 1e-37 and _is_single(text, bits):
        return text  # six digits tell decimals apart, so that fewer are these without their zeros
    for precision in range(9):
        text = f"{value:.{precision}e}"
        if _is_single(text, bits):
            return text
        if is_power:  # below a power of two, floats lie closer together than above it
            mantissa, _, exponent = text.partition("e")
            step = Decimal(1).scaleb(-precision)
            text = f"{abs(Decimal(mantissa)) + step:.{precision}f}e{exponent}"
            if _is_single("-" + text if value < 0 else text, bits):
                return "-" + text if value < 0 else text
    raise AssertionError("sdp: nine digits tell 4-byte floats apart")


def _is_single(text: str, bits: bytes) -> bool:
    found = read_single(text)
    return found is not None and single_bytes(found) == bits


def read_float(width: int, text: str) -> float | None:
    """A float by a number of JSON, rounded once [JSON-2.7]."""
    value = float(text) if width == 8 else read_single(text)
    return None if value is None or math.isinf(value) else value


HALF_BEYOND = 2.0**128 - 2.0**103
"""The middle of the largest 4-byte float and the next, if there were one."""

SINGLE_MAX = 2.0**128 - 2.0**104


def read_single(text: str) -> float | None:
    """A decimal rounded once to a 4-byte float. A double in the middle of two such floats is held against the decimal."""
    value = float(text)
    try:
        near: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        if abs(value) == HALF_BEYOND and abs(Decimal(text)) < Decimal(HALF_BEYOND):
            return math.copysign(SINGLE_MAX, value)
        return None
    if near == value:
        return near
    other = _next(near, value > near)
    if abs(value - near) != abs(other - value):
        return near
    side = Decimal(text).compare(Decimal(value))
    return near if side == 0 or (side > 0) == (near > other) else other


def _next(value: float, up: bool) -> float:
    """The 4-byte float next to one."""
    bits = int.from_bytes(struct.pack("<f", value), "little")
    if value == 0:
        bits = 1 if up else 0x80000001
    else:
        bits += 1 if up == (value > 0) else -1
    if bits & 0x7FFFFFFF == 0x7F800000:
        return math.copysign(2.0**128, value)
    found: float = struct.unpack("<f", bits.to_bytes(4, "little"))[0]
    return found


def read_special(width: int, text: str) -> float | None:
    """A float by a string of JSON [JSON-2.6]."""
    if text in ("Infinity", "-Infinity"):
        return math.inf if text == "Infinity" else -math.inf
    if text == "NaN":
        return double(0x7FF8000000000000)
    digits = text.removeprefix("NaN:")
    if digits == text or len(digits) != 2 * width or not re.fullmatch("[0-9a-f]+", digits):
        return None
    data = int(digits, 16).to_bytes(width, "little")
    if int(digits, 16) & ((1 << 8 * width - 1) - 1) <= (0x7F800000 if width == 4 else 0x7FF0000000000000):
        return None
    return single(data, 0) if width == 4 else double(int(digits, 16))


def _fraction(nanoseconds: int) -> str:
    return f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""


def timestamp_text(nanoseconds: int) -> str:
    """Nanoseconds since 1970 as a date and time in UTC [JSON-2.8]."""
    seconds, rest = divmod(int(nanoseconds), SECOND)
    moment = EPOCH + datetime.timedelta(seconds=seconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S}{_fraction(rest)}Z"


_TIMESTAMP = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?Z")


def read_timestamp(text: str) -> int | None:
    """The nanoseconds of a timestamp [JSON-2.9]."""
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        return None
    try:
        moment = datetime.datetime(*map(int, found.groups()[:6]), tzinfo=datetime.UTC)  # type: ignore[arg-type, misc]
    except ValueError:
        return None
    elapsed = moment - EPOCH
    value = (elapsed.days * 86400 + elapsed.seconds) * SECOND + int((found[7] or "").ljust(9, "0"))
    return value if value in I64 else None


def duration_text(nanoseconds: int) -> str:
    """Nanoseconds as decimal seconds [JSON-2.10]."""
    seconds, rest = divmod(abs(int(nanoseconds)), SECOND)
    return f"{'-' if nanoseconds < 0 else ''}{seconds}{_fraction(rest)}s"


_DURATION = re.compile(r"(-?)(0|[1-9][0-9]{0,19})(?:\.([0-9]{1,9}))?s")


def read_duration(text: str) -> int | None:
    """The nanoseconds of a duration [JSON-2.11]."""
    found = _DURATION.fullmatch(text)
    if found is None:
        return None
    value = int(found[2]) * SECOND + int((found[3] or "").ljust(9, "0"))
    value = -value if found[1] else value
    return value if value in I64 else None


UUID_FORM = re.compile("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def base64(data: bytes) -> str:
    """Bytes in padded base64 [JSON-3.2]."""
    return _base64.b64encode(data).decode()


def read_base64(text: str) -> bytes | None:
    """The bytes of base64 in its one form."""
    try:
        made = _base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError, ValueError):
        return None
    return made if base64(made) == text else None
