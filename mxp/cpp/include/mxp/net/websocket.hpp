/// WebSocket, over TCP or TLS [MXP-19], which is in the library mxp::websocket.
#ifndef MXP_NET_WEBSOCKET_HPP
#define MXP_NET_WEBSOCKET_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "client_options.hpp"
#include "server_options.hpp"

namespace mxp::net {

/// The options of connections over WebSocket: the clients that a server lets in, and a client's
/// proof that it may connect [MXP-19.5]. Without more a server lets in programs and pages that name
/// it by a literal loopback address, by `localhost` or a name under that, the pages only where they
/// have come from there, too. Its logger is told the first time that a host or an origin is
/// refused.
struct websocket_options {
    /// The names and addresses, without ports and brackets, by which openers may name the server.
    /// Another `Host` is refused: a page can make its own name lead to this machine. With one that
    /// has a port or brackets, nothing is listened on.
    std::vector<std::string> hosts{};
    /// The origins of pages that are let in, as browsers write them: `https://studio.example`,
    /// `http://10.0.0.7:3000`.
    std::vector<std::string> origins{};
    /// The token, which clients show and servers want: 1 to 256 letters, digits, `-` and `_`. It is
    /// no part of an address. There is none if it is empty.
    std::string token{};
    /// How many connections pages of one origin have at a time.
    std::size_t origin_connections = session::origin_connections;
};

/// Has clients and servers reach addresses `mxp+ws://host:port/path` and `mxp+wss://host:port/path`
/// from now on, as long as the program runs. It throws `std::invalid_argument` where they do
/// already.
void register_websocket();

}  // namespace mxp::net

#endif  // MXP_NET_WEBSOCKET_HPP
