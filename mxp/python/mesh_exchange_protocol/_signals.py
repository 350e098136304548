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
        handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGBREAK)}
        for number in handlers:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(action))
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)

else:

    @contextmanager
    def end_signals(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> Iterator[None]:
        """Lets a loop do something at each signal."""
        numbers = (signal.SIGTERM, signal.SIGINT)
        for number in numbers:
            loop.add_signal_handler(number, action)
        try:
            yield
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)
