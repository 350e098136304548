"""MXP in Python: clients and servers of services, on the core that other languages share."""

from . import testing
from ._client import TLS, Client, ClientOptions, Interceptor, Outgoing, Reply, RequestOptions, Trace
from ._failure import Failure
from ._method import BIDI_STREAM, CALL, CLIENT_STREAM, EVENT, SERVER_STREAM, Method, ServiceTable
from ._server import Context, Server, ServerInterceptor, Service
from ._stream import BidiStream, ClientStream, ServerStream

__all__ = [
    "BIDI_STREAM",
    "CALL",
    "CLIENT_STREAM",
    "EVENT",
    "SERVER_STREAM",
    "TLS",
    "BidiStream",
    "Client",
    "ClientOptions",
    "ClientStream",
    "Context",
    "Failure",
    "Interceptor",
    "Method",
    "Outgoing",
    "Reply",
    "RequestOptions",
    "Server",
    "ServerInterceptor",
    "ServerStream",
    "Service",
    "ServiceTable",
    "Trace",
    "testing",
]
