"""The health of servers: ``await HealthClient(address).check(Request(service=""))``, or ``watch``, of a server with ``health=True``."""

from .provided.mxp_health import Report, Request, State
from .provided.mxp_health_services import HealthClient

__all__ = ["HealthClient", "Report", "Request", "State"]
