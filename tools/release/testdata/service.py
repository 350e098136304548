"""A server and a client of examples/services, on installed packages."""

import asyncio
import pathlib
import sys

import mesh_exchange_protocol as mxp
import serial_data_protocol
from schemas.mixer import Gain, Range
from schemas.mixer_services import MixerClient, MixerService


class Desk(MixerService):
    def gain(self, request, context):
        return Gain(channel=request.channel, decibels=-6)

    async def list(self, request, context):
        for channel in range(request.first, request.last + 1):
            yield Gain(channel=channel, decibels=0)

    async def fade(self, requests, context):
        return Gain(channel=0, decibels=0)

    async def ride(self, requests, context):
        async for gain in requests:
            yield gain

    def muted(self, request, context):
        pass


async def serve(address):
    async with mxp.Server(Desk()) as server:
        waiting = asyncio.create_task(server.until_signal())
        await server.listen(address)
        print("ready", flush=True)
        await waiting


async def call(address):
    gain = Gain(channel=3, decibels=-6)
    assert Gain.decode(gain.encode()) == gain
    assert serial_data_protocol.engine
    async with MixerClient(address, deadline=5.0) as client:
        print((await client.gain(gain)).decibels)
        async for gain in client.list(Range(first=4, last=6)):
            print(gain.channel)


if __name__ == "__main__":
    here = pathlib.Path("mixer.sock").resolve()
    address = "mxp+pipe://mixer" if sys.platform == "win32" else f"mxp+unix://{here}"
    asyncio.run({"serve": serve, "call": call}[sys.argv[1]](address))
