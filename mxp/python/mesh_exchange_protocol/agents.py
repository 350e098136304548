"""The directory of a mesh: which agents are there, with their capabilities, services and addresses."""

from __future__ import annotations

import asyncio
import ctypes
import functools
import time
from collections.abc import AsyncIterator
from typing import TypedDict, Unpack

from . import _abi
from ._client import PUBLISHER, Client
from ._failure import UNAVAILABLE, Failure
from ._options import TLS, microseconds
from .provided.mxp_registry import Agent, Agents

__all__ = ["Agent", "AgentQuery", "Agents", "find_agents", "watch_agents"]

PAUSE = 0.1
"""The seconds until a directory that is away is asked again."""


class AgentQuery(TypedDict, total=False):
    """A query for agents, which match all of ``name``, ``capability`` and ``service``, the full name of a service; empty texts match any.

    ``node`` is the address of the node that is asked, where ``MXP_MESH`` and the known sockets are not meant. ``address`` is that of a
    server with a directory of its own, in place of a node.
    """

    name: str
    capability: str
    service: str
    node: str
    address: str
    tls: TLS | None


async def find_agents(*, deadline: float | None = 5.0, **query: Unpack[AgentQuery]) -> Agents:
    """The agents that match, in the order of their names, with the version of the directory.

    ``age`` says for how many microseconds the node has had no news of other machines. ``Failure``: nobody has answered within ``deadline``
    seconds.
    """
    async with _directory(query) as client:
        return await _fetch(client, query, 0, deadline)


async def watch_agents(**query: Unpack[AgentQuery]) -> AsyncIterator[Agents]:
    """The agents that match: at once, and then each time that they are others. It waits for a directory that is away."""
    async with _directory(query) as client:
        version = 0
        while True:
            agents = await _fetch(client, query, version, None)
            yield agents
            version = agents.version
            if not version:
                return  # the directory counts no versions


def _directory(query: AgentQuery) -> Client:
    address = query.get("address") or PUBLISHER
    return Client(address, node=query.get("node", ""), tls=query.get("tls"))


async def _fetch(client: Client, query: AgentQuery, version: int, deadline: float | None) -> Agents:
    core, clock = client._open_core(), time.monotonic
    until = None if deadline is None else clock() + deadline
    texts = (query.get("name", ""), query.get("capability", ""), query.get("service", ""))
    name, capability, service = map(_abi.text, texts)
    while True:
        left = None if until is None else until - clock()
        given = _abi.AgentQuery(ctypes.sizeof(_abi.AgentQuery), 0, name, capability, service, version, microseconds(left))
        try:
            data: bytes = await core.begin(
                functools.partial(core.lib.find_agents, core.pointer, client._number, ctypes.byref(given)),
                lambda done: done.value.bytes(),
            )
            return Agents.decode(data)
        except Failure as failure:
            if failure.status != UNAVAILABLE or (until is not None and clock() + PAUSE > until):
                raise
            await asyncio.sleep(PAUSE)  # the node starts, or is away
