/// The taking of connections of Windows.
#ifndef MXP_NET_SYSTEM_WINDOWS_ARRIVAL_HPP
#define MXP_NET_SYSTEM_WINDOWS_ARRIVAL_HPP

#include <asio/error.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "../../plain_socket.hpp"

namespace mxp::net::detail {

/// The next connection of a socket that listens. Windows tells of none without taking it.
template <class Protocol>
class arrival {
   public:
    using socket = typename Protocol::socket;
    using acceptor = typename Protocol::acceptor;

    /// Tells a function that a peer has connected, or why none does.
    template <class Then>
    void await(acceptor& from, Then then) {
        next_.emplace(from.get_executor());
        from.async_accept(*next_, std::move(then));
    }
    /// Whether a failure is that of a client that has left again.
    [[nodiscard]] static bool has_left(const std::error_code& failed) {
        return failed == asio::error::connection_aborted || failed == asio::error::connection_reset;
    }
    /// Takes the connection, or returns why there is none.
    [[nodiscard]] std::error_code take(acceptor& /*from*/, const Protocol& /*protocol*/,
                                       socket& output, const std::error_code& failed) {
        if (!failed) {
            output = std::move(*next_);
            keep_to_itself(output.native_handle());
        }
        return failed;
    }

   private:
    std::optional<socket> next_{};
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_WINDOWS_ARRIVAL_HPP
