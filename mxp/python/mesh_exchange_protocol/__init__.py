"""MXP in Python: clients and servers of services, on the core that other languages share."""

from . import testing
from ._blocking import (
    BidiStreamMethod,
    BlockingBidiStream,
    BlockingClient,
    BlockingClientStream,
    BlockingServerStream,
    CallMethod,
    ClientStreamMethod,
    EventMethod,
    ServerStreamMethod,
)
from ._client import Client, ClientOptions, Interceptor, Outgoing, Reply
from ._failure import Failure
from ._mesh import Announcement, Subscription
from ._method import BIDI_STREAM, CALL, CLIENT_STREAM, EVENT, SERVER_STREAM, Method, ServiceTable
from ._options import TLS, RequestOptions, Retry, Trace, WebSocket
from ._server import Context, Delivery, Server, ServerInterceptor, Service
from ._stream import BidiStream, ClientStream, ServerStream

__all__ = [
    "BIDI_STREAM",
    "CALL",
    "CLIENT_STREAM",
    "EVENT",
    "SERVER_STREAM",
    "TLS",
    "Announcement",
    "BidiStream",
    "BidiStreamMethod",
    "BlockingBidiStream",
    "BlockingClient",
    "BlockingClientStream",
    "BlockingServerStream",
    "CallMethod",
    "Client",
    "ClientOptions",
    "ClientStream",
    "ClientStreamMethod",
    "Context",
    "Delivery",
    "EventMethod",
    "Failure",
    "Interceptor",
    "Method",
    "Outgoing",
    "Reply",
    "RequestOptions",
    "Retry",
    "Server",
    "ServerInterceptor",
    "ServerStream",
    "ServerStreamMethod",
    "Service",
    "ServiceTable",
    "Subscription",
    "Trace",
    "WebSocket",
    "testing",
]
