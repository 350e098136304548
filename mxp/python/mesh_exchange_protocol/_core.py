"""The core of an event loop: its queue of completions, taken where the loop finds its descriptor readable."""

from __future__ import annotations

import asyncio
import ctypes
import logging
from collections.abc import Callable
from typing import Any

from . import _abi
from ._failure import INTERNAL, Failure
from ._waitable import Waitable

log = logging.getLogger("mxp")
"""The lines of cores and servers."""

_LEVELS = {_abi.LOG_ERROR: logging.ERROR, _abi.LOG_WARN: logging.WARNING, _abi.LOG_INFO: logging.INFO, _abi.LOG_DEBUG: logging.DEBUG}

Handler = Callable[[_abi.Done], bool]
"""Takes a completion. True where it keeps the owner, which it releases later."""

BATCH = 64
"""Completions that are taken at once. The loop does other things between two batches."""


class Core:
    """A core and what waits for its completions. It lives as long as a client or server uses it."""

    library: _abi.Library | None = None
    _cores: dict[asyncio.AbstractEventLoop, Core] = {}  # noqa: RUF012

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.lib = Core.load()
        self.loop = loop
        self.users = 0
        self.tags: dict[int, Handler] = {}
        self.requests: dict[int, asyncio.Future[tuple[bytes, dict[str, bytes]]]] = {}
        self.ids: dict[int, Handler] = {}
        self.labels: dict[int, Handler] = {}
        self._last = 0
        self._done = (_abi.Done * BATCH)()
        self._bytes = memoryview(self._done).cast("B")
        pointer = ctypes.c_void_p()
        # Lines of single requests, which cost more, come where the logger has that level as the core begins.
        level = _abi.LOG_DEBUG if log.isEnabledFor(logging.DEBUG) else _abi.LOG_INFO
        options = _abi.CoreOptions(size=ctypes.sizeof(_abi.CoreOptions), log_level=level)
        self.check(self.lib.core_new(ctypes.byref(options), ctypes.byref(pointer), None))
        self.pointer = pointer
        self._waitable = Waitable(loop, self.lib.core_waitable(pointer), self._take)

    @classmethod
    def load(cls) -> _abi.Library:
        """The library, which is loaded once."""
        if cls.library is None:
            cls.library = _abi.load()
        return cls.library

    @classmethod
    def acquire(cls) -> Core:
        """The core of the running loop, with one user more."""
        loop = asyncio.get_running_loop()
        core = cls._cores.get(loop)
        if core is None:
            core = cls._cores[loop] = cls(loop)
        core.users += 1
        return core

    async def leave(self) -> None:
        """Takes a user away. The last one ends the core."""
        self.users -= 1
        if self.users > 0:
            return
        Core._cores.pop(self.loop, None)
        ended = self.loop.create_future()

        def over(done: _abi.Done) -> bool:
            self._waitable.close()
            ended.set_result(done.owner)
            return True

        self.check(self.lib.core_close(self.pointer, 0, self.tag(over)))
        owner = await ended
        self.pointer = ctypes.c_void_p()  # streams and requests that are left are refused
        self.lib.release(owner)

    def number(self) -> int:
        """A number that was not given before."""
        self._last += 1
        return self._last

    def tag(self, handler: Handler) -> int:
        """A tag whose completion a handler takes."""
        tag = self.number()
        self.tags[tag] = handler
        return tag

    def check(self, code: int) -> None:
        """Raises the failure of a code that is not ``MXP_OK``."""
        if code != _abi.OK:
            name = self.lib.code_name(code).text()
            raise Failure(INTERNAL, name, f"the core refuses with {name}", acted=False)

    def begin(self, start: Callable[[int], int], result: Callable[[_abi.Done], Any]) -> asyncio.Future[Any]:
        """Starts an operation with a tag. The future has what a function makes of its completion, at once where that comes."""
        future: asyncio.Future[Any] = self.loop.create_future()

        def ended(done: _abi.Done) -> bool:
            if future.cancelled():
                if not done.status and done.id:
                    self.lib.reset(self.pointer, done.id)  # a stream that was opened for nobody
            elif done.status:
                future.set_exception(failure_of(done))
            else:
                future.set_result(result(done))
            return False

        tag = self.tag(ended)
        code = start(tag)
        if code != _abi.OK:
            del self.tags[tag]
            self.check(code)
        future.add_done_callback(lambda one: self.lib.cancel(self.pointer, tag) if one.cancelled() else None)
        return future

    async def request(
        self, function: Callable[..., int], client: int, method: Any, value: bytes, options: Any
    ) -> tuple[bytes, dict[str, bytes]]:
        """Asks a peer, and returns the bytes of its answer with the metadata beside them."""
        tag = self.number()
        future: asyncio.Future[tuple[bytes, dict[str, bytes]]] = self.loop.create_future()
        self.requests[tag] = future
        code = function(self.pointer, client, method, _abi.Text(value, len(value)), options, tag)
        if code != _abi.OK:
            del self.requests[tag]
            self.check(code)
        try:
            return await future
        except asyncio.CancelledError:
            self.lib.cancel(self.pointer, tag)
            raise

    async def finish(self, start: Callable[[int], int], timeout: float) -> None:
        """Waits for the end of something by an operation, which is cancelled where it takes longer."""
        tags: list[int] = []

        def begun(tag: int) -> int:
            tags.append(tag)
            return start(tag)

        ended = self.begin(begun, lambda done: None)
        done, _ = await asyncio.wait([ended], timeout=timeout)
        if not done:
            self.lib.cancel(self.pointer, tags[0])
            await asyncio.wait([ended])
        ended.exception()

    def _take(self) -> None:
        count = self.lib.take(self.pointer, self._done, BATCH, 0)
        # A struct's fields as one tuple: each attribute of a ctypes object would cost as much.
        fields = _abi.DONE_FORM.iter_unpack(self._bytes[: count * _abi.DONE_FORM.size])
        for i, (kind, status, tag, _, _, _, data, size, more, owner) in enumerate(fields):
            request = self.requests.pop(tag, None) if kind == _abi.TAG else None
            if request is None:
                keeps = self._handle(self._done[i])
            else:
                keeps = False
                if request.done():
                    pass  # it was cancelled
                elif status:
                    request.set_exception(failure_of(self._done[i]))
                else:
                    value = ctypes.string_at(data, size) if size else b""
                    request.set_result((value, metadata_of(self._done[i]) if more else {}))
            if owner and not keeps:
                self.lib.release(owner)

    def _handle(self, done: _abi.Done) -> bool:
        handler = self._handler(done)
        try:
            return handler(done) if handler is not None else False
        except Exception as error:
            report(logging.ERROR, "a completion was not handled", {}, error)
            return False

    def _handler(self, done: _abi.Done) -> Handler | None:
        if done.kind == _abi.TAG:
            return self.tags.pop(done.tag, None)
        if done.kind == _abi.LOG:
            return _logged
        if done.kind in (_abi.CALL, _abi.EVENT, _abi.STREAM, _abi.STANDING, _abi.UNKNOWN):
            return self.labels.get(done.tag)
        return self.ids.get(done.id)


def _logged(done: _abi.Done) -> bool:
    """Passes a line of the core on. Its fields are in ``mxp`` of the record, too."""
    level = _LEVELS.get(done.status, logging.DEBUG)
    if log.isEnabledFor(level):
        report(level, done.value.text(), {key: value.decode() for key, value in metadata_of(done).items()})
    return False


def report(level: int, message: str, fields: dict[str, str], error: BaseException | None = None) -> None:
    """Logs a line with its fields, and the traceback of an exception."""
    parts = [f"{key}={value!r}" if " " in value else f"{key}={value}" for key, value in fields.items()]
    log.log(level, "%s", " ".join([message, *parts]), exc_info=error, extra={"mxp": fields})


def failure_of(done: _abi.Done) -> Failure:
    """The failure of a completion."""
    if not done.more:
        return Failure(done.status, "unknown")
    more = done.more.contents
    return Failure(done.status, more.name.text(), more.text.text(), details=more.details.bytes(), acted=bool(more.acted))


def metadata_of(done: _abi.Done) -> dict[str, bytes]:
    """The metadata of a completion."""
    if not done.more:
        return {}
    found = done.more.contents.metadata
    return {found.items[i].key.text(): found.items[i].value.bytes() for i in range(found.count)}
