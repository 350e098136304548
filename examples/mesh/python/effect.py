"""An effect that a host finds in the mesh.

python3 effect.py plugin NAME ADDRESS
"""

import asyncio
import sys

import mesh_exchange_protocol as mxp
from schemas import rack
from schemas.rack_services import EffectService, MeterClient


class Half(EffectService):
    """Makes blocks half as loud."""

    def __init__(self, name):
        self.name = name
        self.blocks = 0

    def process(self, request, context):
        self.blocks += 1
        return rack.Block(samples=[sample / 2 for sample in request.samples], effect=self.name)

    async def tell(self, meter):
        """Publishes twice a second how many blocks were processed."""
        while True:
            await asyncio.sleep(0.5)
            try:
                await meter.worked(rack.Work(effect=self.name, blocks=self.blocks))
            except mxp.Failure as failure:
                print(failure, file=sys.stderr)


async def serve(name, address):
    """Serves an effect at an address, and announces it, until a signal comes."""
    effect = Half(name)
    async with mxp.Server(effect) as server, MeterClient.publisher() as meter:
        await server.listen(address)
        async with mxp.Announcement(name, server=server, capabilities=["effect"]):
            telling = asyncio.create_task(effect.tell(meter))
            await server.until_signal()
            telling.cancel()


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[2:]))
