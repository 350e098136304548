"""A program with generated code, whose types a checker knows."""

from schemas.maps import maps
from schemas.services import services
from schemas.services.services_services import HostClient
from schemas.unions.unions import Event, EventChanged, EventLoaded, EventUnknown, Plugin

plugin = Plugin(name="EQ", gain=1.5)
loud: float = Plugin.decode(plugin.encode()).replace(gain=2.0).gain
numbers: dict[int, int] = maps.ByU8.decode(b"\0\0\0\0").m


def label(event: Event) -> str:
    """The text of an event."""
    match event:
        case EventLoaded(found):
            return found.name
        case EventChanged(number, ok):
            return f"{number} {ok}"
        case EventUnknown(tag=tag):
            return str(tag)
        case _:
            return ""


async def ask(client: HostClient, request: services.Request) -> services.Reply:
    """The answer of a service within a second."""
    return await client.get(request, deadline=1.0)


print(label(EventLoaded(plugin)), loud, numbers)
