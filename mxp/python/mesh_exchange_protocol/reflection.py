"""The services of servers, their methods and types: what a ``ReflectionClient`` lists of a server with ``reflection=True``."""

from .provided.mxp_reflection import DescribeRequest, Kind, ListRequest, Method, Service, ServiceList, Type, Value
from .provided.mxp_reflection_services import ReflectionClient

__all__ = ["DescribeRequest", "Kind", "ListRequest", "Method", "ReflectionClient", "Service", "ServiceList", "Type", "Value"]
