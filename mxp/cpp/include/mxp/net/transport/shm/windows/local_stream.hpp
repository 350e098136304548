/// Named pipes of Asio's below shared memory.
#ifndef MXP_NET_TRANSPORT_SHM_WINDOWS_LOCAL_STREAM_HPP
#define MXP_NET_TRANSPORT_SHM_WINDOWS_LOCAL_STREAM_HPP

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "../../../system/local_socket.hpp"
#include "../../pipe.hpp"

namespace mxp::net::detail {

using local_stream = pipe_handle;

/// The form of a place.
inline constexpr address_form local_form = address_form::name;

/// Connects to a place. The returned function gives that up.
[[nodiscard]] inline std::function<void()>
dial_local(asio::io_context& io, const address& address,
           std::function<void(outcome<local_stream>)> then) {
    return dial_pipe(io, address, std::move(then));
}
[[nodiscard]] inline outcome<shm::local_socket>
connect_local(const address& address, std::chrono::steady_clock::time_point until) {
    return connect_pipe(address, until);
}
/// Takes the connections of a place.
[[nodiscard]] inline attempt<listener> listen_local(asio::io_context& io, const address& address,
                                                    const server_options& options,
                                                    std::function<void(local_stream)> then) {
    return listen_pipe(io, address, options, std::move(then));
}

/// The program at the other end; none where nobody tells, as of servers.
[[nodiscard]] inline std::optional<process> local_peer(local_stream& connection) {
    return client_of_pipe(connection.native_handle());
}

/// The connection without memory.
[[nodiscard]] inline std::unique_ptr<byte_stream> plain_stream(local_stream connection,
                                                               const std::string& text) {
    net::peer who{text, std::string{pipe_scheme}, local_peer(connection), {}};
    return std::make_unique<pipe_stream>(std::move(connection), std::move(who));
}
[[nodiscard]] inline std::unique_ptr<blocking_bytes> plain_bytes(shm::local_socket connection) {
    return std::make_unique<pipe_bytes>(std::move(connection));
}

/// Tells a function that bytes have come, or the end, or why nothing is to be waited for.
template <class Then>
void await_stream(local_stream& connection, Then then) {
    await_pipe(connection, [then = std::move(then)](const std::error_code& failed,
                                                    std::size_t /*n*/) mutable { then(failed); });
}
/// Takes a connection from its context. Operations that begin from then on have no handlers there.
[[nodiscard]] inline shm::local_socket release_stream(local_stream& connection,
                                                      std::error_code& failed) {
    HANDLE copy = nullptr;
    const HANDLE self = ::GetCurrentProcess();
    const bool is_done = ::DuplicateHandle(self, connection.native_handle(), self, &copy, 0, FALSE,
                                           DUPLICATE_SAME_ACCESS) != 0;
    failed = is_done ? std::error_code{} : windows_error(::GetLastError());
    std::error_code ignored;
    connection.close(ignored);
    return shm::local_socket{copy};
}

/// The system tells of no end by itself.
inline void watch_stream(local_stream& /*connection*/,
                         const std::weak_ptr<byte_stream::handler>& /*owner*/) {}
inline void look_at_stream(local_stream& connection,
                           const std::weak_ptr<byte_stream::handler>& owner) {
    look_at_pipe(connection, owner);
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_TRANSPORT_SHM_WINDOWS_LOCAL_STREAM_HPP
