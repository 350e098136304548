/// Sockets of the system, as Asio takes them.
#ifndef MXP_NET_PLAIN_SOCKET_HPP
#define MXP_NET_PLAIN_SOCKET_HPP

#include <system_error>

#include "system/socket.hpp"

namespace mxp::net::detail {

/// Gives a socket of the system to Asio's socket, or returns its failure; a socket that Asio made
/// by itself would be inherited by child programs.
template <class Socket, class Protocol>
[[nodiscard]] std::error_code adopt_socket(Socket& socket, const Protocol& protocol,
                                           socket_handle descriptor) {
    if (!is_socket(descriptor)) {
        return last_error();
    }
    std::error_code failed;
    socket.assign(protocol, descriptor, failed);
    if (failed) {
        close_socket(descriptor);
    }
    return failed;
}

/// Opens a socket of Asio's, to connect or to listen.
template <class Socket, class Protocol>
[[nodiscard]] std::error_code open_socket_of(Socket& socket, const Protocol& protocol) {
    return adopt_socket(socket, protocol, open_socket(protocol.family(), protocol.protocol()));
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_PLAIN_SOCKET_HPP
