"""Tests of services: a client of a service in the same process."""

from __future__ import annotations

import contextlib
import pathlib
import sys
import tempfile
from collections.abc import AsyncIterator
from typing import TypeVar, Unpack

from ._client import Client, ClientOptions
from ._server import Server, Service

C = TypeVar("C", bound=Client)


@contextlib.asynccontextmanager
async def connect(service: Service, client: type[C], **options: Unpack[ClientOptions]) -> AsyncIterator[C]:
    """A client of a service: ``async with connect(Desk(), DeskClient) as desk``.

    Requests pass all that they pass between two programs, by a unix socket in a folder that no other user can open, or by a named pipe.
    Behind the context, tasks of handlers have ended.
    """
    with tempfile.TemporaryDirectory(prefix="mxp-") as folder:
        place = pathlib.Path(folder, "service.sock")
        async with Server(service, drain_timeout=1.0) as server:
            [address] = await server.listen(f"mxp+pipe://{place.parent.name}" if sys.platform == "win32" else f"mxp+unix://{place}")
            async with client(address, **options) as connected:
                yield connected
