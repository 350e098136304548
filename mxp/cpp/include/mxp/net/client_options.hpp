/// The options of a client.
#ifndef MXP_NET_CLIENT_OPTIONS_HPP
#define MXP_NET_CLIENT_OPTIONS_HPP

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interceptors.hpp"
#include "logger.hpp"
#include "services.hpp"
#include "shm_options.hpp"
#if defined(MXP_TLS)
#include <asio/ssl/context.hpp>
#endif

namespace mxp::net {

class request_observer;
struct websocket_options;

struct client_options {
    /// The types that the services reach which are used, so that the peer can compare them.
    std::vector<session::type> types{};
    /// The services of the client itself: handlers of the server's may ask for them
    /// (`request::client`). Their handlers run on the threads of the client's context.
    net::services services{};
    /// Is told failures of the server's requests that are the client's to mend.
    std::function<void(const failure&)> on_failure{};
    std::size_t payload_bytes = mxp::payload_bytes;
    /// Whether small chunks and events that wait go into one frame, in both directions, where the
    /// peer takes that: nothing waits for it [MXP-17].
    bool batches = true;
    session::limits limits{};
    session::observer* observer = nullptr;
    /// An observer of each request, around its interceptors: of the requests that the client makes,
    /// and of the requests that it serves, under the names of OpenTelemetry. There may be none.
    std::shared_ptr<request_observer> telemetry{};
    /// See every request before it is made: the first is the first to see it, and the last to be
    /// told how it ended.
    std::vector<outgoing_interceptor> interceptors{};
    /// How many bytes may be on their way to the reader of a stream. The peer can send no chunk of
    /// more than half of it.
    std::size_t window = 2 << 20;
    /// How many connections there are to each address.
    std::size_t connections = 1;
    /// How many requests wait while there is no connection, or no room in its queue. Together with
    /// the bytes that the connections hold, their values have at most `memory_bytes`, but a single
    /// value may have more.
    std::size_t waiting = 65536;
    /// How many bytes the client's connections may hold together; 0 is a quarter of the machine's
    /// memory, or of the control group's [MXP-15.4].
    std::size_t memory_bytes = 0;
    /// The longest wait of a request for a connection. A failure that no later attempt can mend
    /// ends the wait at once.
    std::chrono::microseconds connect_timeout{session::connect_us};
    /// The address of the program's own node, which is asked where agents of the mesh are; if it is
    /// empty, `node_address` says where that is.
    std::string node{};
    /// The log: connections made, lost, and without shared memory. May be empty.
    net::logger logger{};
    /// When requests that have failed are made again; never, if it says nothing. Interceptors stand
    /// around all attempts [MXP-14.8].
    std::optional<retry_policy> retry{};
    /// Whether requests are made, too, on connections on which they fail one after the other;
    /// otherwise these are left out for a while, if there are enough others [MXP-14.10].
    bool keep_outliers = false;
    /// Pauses between attempts to connect: the first attempt is made at once, each later one after
    /// a random part of a time that doubles.
    std::chrono::microseconds pause_least{5'000};
    std::chrono::microseconds pause_most{1'000'000};
    shm_options shm{};
    /// The token that connections over WebSocket show (`mxp/net/websocket.hpp`), if they do.
    std::shared_ptr<const websocket_options> websocket{};
#if defined(MXP_TLS)
    /// The context of `mxp+tls` and `mxp+wss`, with the trusted authorities and the client's own
    /// certificate. It has to outlive the client. Without it the system's authorities are trusted.
    asio::ssl::context* tls = nullptr;
    /// Whether any peer is accepted: neither the signature of its certificate nor the name in it is
    /// checked, so that anybody on the way can read and change everything.
    bool dangerously_accept_any_certificate = false;
#endif
};

}  // namespace mxp::net

#endif  // MXP_NET_CLIENT_OPTIONS_HPP
