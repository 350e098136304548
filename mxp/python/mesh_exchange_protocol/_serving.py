"""The request that a task serves: requests of its handler continue the trace, and end by the deadline.

Tasks that a handler leaves behind have no such request any more.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._options import Trace
    from ._server import Context

serving: ContextVar[Context | None] = ContextVar("mxp_serving", default=None)
"""The facts about the request of the running handler."""


def trace() -> Trace | None:
    """The trace of the request that is served."""
    context = _served()
    return None if context is None else context.trace


def remaining(deadline: float | None) -> float | None:
    """The seconds until a deadline of a new request, or until that of the request that is served, if it comes first."""
    context = _served()
    if context is None or context.deadline is None:
        return deadline
    left = max(0.0, context.deadline - asyncio.get_running_loop().time())
    return left if deadline is None else min(left, deadline)


def _served() -> Context | None:
    context = serving.get()
    return context if context is not None and context._is_served else None
