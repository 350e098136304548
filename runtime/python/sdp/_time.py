"""Times: integers of nanoseconds, and how they become values of ``datetime``."""

from __future__ import annotations

import datetime
import time

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


class Timestamp(int):
    """A point in time: nanoseconds since 1970-01-01T00:00:00Z, as an integer."""

    @classmethod
    def now(cls) -> Timestamp:
        """The present time."""
        return cls(time.time_ns())

    @classmethod
    def from_datetime(cls, moment: datetime.datetime) -> Timestamp:
        """The nanoseconds of a datetime with a time zone."""
        if moment.tzinfo is None:
            raise ValueError("the datetime has no time zone")
        return cls((moment - EPOCH) // datetime.timedelta(microseconds=1) * 1000)

    def to_datetime(self) -> datetime.datetime:
        """The time in UTC, cut to microseconds."""
        return EPOCH + datetime.timedelta(microseconds=self // 1000)

    def __repr__(self) -> str:
        return f"Timestamp({int(self)})"


class Duration(int):
    """An elapsed time: nanoseconds, as an integer."""

    @classmethod
    def from_timedelta(cls, elapsed: datetime.timedelta) -> Duration:
        """The nanoseconds of a timedelta."""
        return cls(elapsed // datetime.timedelta(microseconds=1) * 1000)

    def to_timedelta(self) -> datetime.timedelta:
        """The same time, cut to microseconds."""
        return datetime.timedelta(microseconds=self // 1000)

    def __repr__(self) -> str:
        return f"Duration({int(self)})"
