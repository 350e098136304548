"""Failures of requests, with the same fields in every language."""

from __future__ import annotations

from typing import Any


class Failure(Exception):
    """The end of a request without an answer.

    ``status`` is a number of gRPC's. ``name`` is for programs: a name of the specification, or one of the peer's own. ``text`` is for
    people. ``details`` are bytes for programs. Where ``acted`` is false, no handler has acted on the request, and repeating it is safe.
    """

    def __init__(self, status: int, name: str, text: str = "", *, details: bytes = b"", acted: bool = True) -> None:
        super().__init__(status, name, text)
        self.status = status
        self.name = name
        self.text = text
        self.details = details
        self.acted = acted
        self.method = ""
        """The service and the method of the request, as ``desk.Desk/set``; empty for a failure of no request."""

    def __str__(self) -> str:
        status = STATUSES[self.status] if self.status < len(STATUSES) else "Status"
        method = f"{self.method}: " if self.method else ""
        text = f": {self.text}" if self.text else ""
        return f"{method}{status} ({self.status}) {self.name}{text}; " + (
            "it may have been acted on" if self.acted else "it was not acted on"
        )

    def __reduce__(self) -> Any:
        return _restored, (self.status, self.name, self.text, self.details, self.acted)


def _restored(status: int, name: str, text: str, details: bytes, acted: bool) -> Failure:
    return Failure(status, name, text, details=details, acted=acted)


STATUSES = (
    "OK",
    "Cancelled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
)

CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED = range(1, 5)
UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS = range(12, 16)
