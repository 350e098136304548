/// The options of a server.
#ifndef MXP_NET_SERVER_OPTIONS_HPP
#define MXP_NET_SERVER_OPTIONS_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "../session/config.hpp"
#include "failure.hpp"
#include "logger.hpp"
#include "peer.hpp"
#include "shm_options.hpp"
#if defined(MXP_TLS)
#include <asio/ssl/context.hpp>
#endif

namespace mxp::net {

class channels;
class request_observer;
struct websocket_options;

struct server_options {
    /// The types that the services reach besides those they say, so that peers can compare them.
    std::vector<session::type> types{};
    std::size_t payload_bytes = mxp::payload_bytes;
    /// Whether small chunks and events that wait go into one frame, in both directions, where the
    /// peer takes that: nothing waits for it [MXP-17].
    bool batches = true;
    session::limits limits{};
    session::observer* observer = nullptr;
    /// An observer of each request, around its interceptors: of the requests that the server
    /// serves, and of the requests that handlers make by `request::client`, under the names of
    /// OpenTelemetry. There may be none.
    std::shared_ptr<request_observer> telemetry{};
    /// How many connections there may be at once.
    std::size_t connections = 16384;
    /// How many bytes all connections may hold together; 0 is a quarter of the machine's memory, or
    /// of the control group's [MXP-15.4].
    std::size_t memory_bytes = 0;
    /// How many bytes may be on their way to the reader of a stream. The peer can send no chunk of
    /// more than half of it.
    std::size_t window = 2 << 20;
    /// Is told failures of requests that are the server's to mend: failures with status Internal,
    /// among them exceptions of handlers and responses that are too large; methods that there are
    /// not; and events that were not taken. It is for a log: `to_string` makes a line of one.
    std::function<void(const failure&)> on_failure{};
    /// Whether to keep a directory of agents, who say by name what they can do [MXP-12]. On TCP
    /// anybody could take a name.
    bool agents = false;
    /// Asked once for each connection, when TLS has ended its handshake and before anything of MXP
    /// is read: a refused peer is told the reason, with status PermissionDenied and the name
    /// `not_admitted` unless the failure says otherwise, and does not come back at once. Several
    /// threads may ask at a time. Without it, only the server's own user may connect where the
    /// transport tells the user, as unix sockets and named pipes do.
    admission admit{};
    /// Whether any user may, where `admit` is not set. The system opens a named pipe to other users
    /// by this alone.
    bool any_user = false;
    /// The methods that are opened as channels (`mxp/net/channel.hpp`). There may be none.
    std::shared_ptr<const net::channels> channels{};
    shm_options shm{};
    /// The rules for connections over WebSocket (`mxp/net/websocket.hpp`); without them, programs
    /// and pages of loopback addresses and names are let in.
    std::shared_ptr<const websocket_options> websocket{};
    /// The log: connections without shared memory, refused memory, methods and types whose schemas
    /// differ from the peer's, refused hosts and origins of WebSockets. Threads call it at the same
    /// time. May be empty.
    net::logger logger{};
#if defined(MXP_TLS)
    /// Has the certificate, for `mxp+tls` and `mxp+wss`. It has to outlive the server.
    asio::ssl::context* tls = nullptr;
#endif
};

}  // namespace mxp::net

#endif  // MXP_NET_SERVER_OPTIONS_HPP
