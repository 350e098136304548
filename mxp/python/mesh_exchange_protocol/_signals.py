"""Signals that end a program: SIGTERM and SIGINT; on Windows SIGBREAK, too, by which consoles and other programs end one."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

if sys.platform == "win32":

    @contextmanager
    def end_signals(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> Iterator[None]:
        """Lets a loop do something at each signal."""
        found = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT, signal.SIGBREAK)}
        for one in found:
            signal.signal(one, lambda *_: loop.call_soon_threadsafe(action))
        try:
            yield
        finally:
            for one, before in found.items():
                signal.signal(one, before)

else:

    @contextmanager
    def end_signals(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> Iterator[None]:
        """Lets a loop do something at each signal."""
        for one in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(one, action)
        try:
            yield
        finally:
            for one in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(one)
