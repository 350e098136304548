/// The taking of connections of POSIX.
#ifndef MXP_NET_SYSTEM_POSIX_ARRIVAL_HPP
#define MXP_NET_SYSTEM_POSIX_ARRIVAL_HPP

#include <system_error>
#include <utility>

#include "../../plain_socket.hpp"

namespace mxp::net::detail {

/// The next connection of a socket that listens.
template <class Protocol>
class arrival {
   public:
    using socket = typename Protocol::socket;
    using acceptor = typename Protocol::acceptor;

    /// Tells a function that a peer has connected, or why none does.
    template <class Then>
    void await(acceptor& from, Then then) {
        from.async_wait(acceptor::wait_read, std::move(then));
    }
    /// Whether a failure is that of a client that has left again.
    [[nodiscard]] static bool has_left(const std::error_code& failed) {
        return failed == std::errc::operation_would_block ||
               failed == std::errc::resource_unavailable_try_again ||
               failed == std::errc::connection_aborted || failed == std::errc::interrupted;
    }
    /// Takes the connection, or returns why there is none.
    [[nodiscard]] std::error_code take(acceptor& from, const Protocol& protocol, socket& output,
                                       const std::error_code& /*failed*/) {
        return adopt_socket(output, protocol, accept_socket(from.native_handle()));
    }
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_POSIX_ARRIVAL_HPP
