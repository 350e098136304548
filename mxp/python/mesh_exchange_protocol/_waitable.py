"""The wait of an event loop for completions: a function runs in it while the waitable of a core is set."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable

if sys.platform == "win32":
    import ctypes

    class Waitable:
        """An event, for which a thread waits, since the loop watches no events."""

        def __init__(self, loop: asyncio.AbstractEventLoop, handle: int, take: Callable[[], None]) -> None:
            self._loop = loop
            self._handle = ctypes.c_void_p(handle)
            self._take = take
            self._taken = threading.Event()
            self._is_closed = False
            threading.Thread(target=self._watch, name="mxp-waitable", daemon=True).start()

        def close(self) -> None:
            """Ends the wait. It is called in the loop, by the function."""
            self._is_closed = True

        def _watch(self) -> None:
            forever = 0xFFFFFFFF
            while not self._is_closed and ctypes.windll.kernel32.WaitForSingleObject(self._handle, forever) == 0:
                self._taken.clear()
                try:
                    self._loop.call_soon_threadsafe(self._turn)
                except RuntimeError:  # the loop is closed
                    return
                self._taken.wait()

        def _turn(self) -> None:
            try:
                self._take()
            finally:
                self._taken.set()

else:

    class Waitable:
        """A descriptor, which the loop watches."""

        def __init__(self, loop: asyncio.AbstractEventLoop, descriptor: int, take: Callable[[], None]) -> None:
            self._loop = loop
            self._descriptor = descriptor
            loop.add_reader(descriptor, take)

        def close(self) -> None:
            """Ends the wait."""
            self._loop.remove_reader(self._descriptor)
