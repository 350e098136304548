"""The texts of timestamps and durations in JSON [JSON-2.8] to [JSON-2.11]."""

import re
from datetime import date, timedelta

from .shape import integer_range

SECOND = 1_000_000_000
EPOCH = date(1970, 1, 1)

_TIMESTAMP = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?Z")
_DURATION = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]{1,9}))?s")


def _fraction(nanoseconds):
    return f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""


def _nanoseconds(digits):
    return int((digits or "").ljust(9, "0"))


def _in_range(nanoseconds):
    low, high = integer_range("i64")
    return nanoseconds if low <= nanoseconds <= high else None


def write_timestamp(nanoseconds):
    """Write nanoseconds since 1970 as a date and time in UTC [JSON-2.8]."""
    seconds, fraction = divmod(nanoseconds, SECOND)
    days, seconds = divmod(seconds, 86400)
    day = EPOCH + timedelta(days=days)
    return (
        f"{day.year:04d}-{day.month:02d}-{day.day:02d}"
        f"T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{_fraction(fraction)}Z"
    )


def read_timestamp(text):
    """Give the nanoseconds since 1970, or None for anything that is refused [JSON-2.9]."""
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(one) for one in found.groups()[:6])
    if hour > 23 or minute > 59 or second > 59:
        return None
    try:
        days = (date(year, month, day) - EPOCH).days
    except ValueError:
        return None
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    return _in_range(seconds * SECOND + _nanoseconds(found[7]))


def write_duration(nanoseconds):
    """Write nanoseconds as decimal seconds [JSON-2.10]."""
    seconds, fraction = divmod(abs(nanoseconds), SECOND)
    return f"{'-' if nanoseconds < 0 else ''}{seconds}{_fraction(fraction)}s"


def read_duration(text):
    """Give the nanoseconds of a duration, or None for anything that is refused [JSON-2.11]."""
    found = _DURATION.fullmatch(text)
    if found is None or len(found[2]) > 20:
        return None
    nanoseconds = int(found[2]) * SECOND + _nanoseconds(found[3])
    return _in_range(-nanoseconds if found[1] else nanoseconds)
