"""The tests use the stubs that conformance/services/build makes for Python."""

import asyncio
import inspect

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs an asynchronous test in a loop of its own, in at most half a minute."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names}

    async def limited():
        async with asyncio.timeout(30):
            await pyfuncitem.obj(**arguments)

    asyncio.run(limited())
    return True
