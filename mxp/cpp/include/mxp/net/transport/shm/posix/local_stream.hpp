/// Unix sockets of Asio's below shared memory.
#ifndef MXP_NET_TRANSPORT_SHM_POSIX_LOCAL_STREAM_HPP
#define MXP_NET_TRANSPORT_SHM_POSIX_LOCAL_STREAM_HPP

#include <asio/local/stream_protocol.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "../../../blocking_bytes.hpp"
#include "../../../system/local_socket.hpp"
#include "../../unix.hpp"

namespace mxp::net::detail {

using local_stream = asio::local::stream_protocol::socket;

/// The form of a place.
inline constexpr address_form local_form = address_form::path;

/// Connects to a place. The returned function gives that up.
[[nodiscard]] inline std::function<void()>
dial_local(asio::io_context& io, const address& address,
           std::function<void(outcome<local_stream>)> then) {
    return dial_unix(io, address, std::move(then));
}
[[nodiscard]] inline outcome<shm::local_socket>
connect_local(const address& address, std::chrono::steady_clock::time_point /*until*/) {
    const auto made = connect_unix(address.path);
    if (!made) {
        return failed_outcome{made.error()};
    }
    return shm::local_socket{*made};
}
/// Takes the connections of a place.
[[nodiscard]] inline attempt<listener> listen_local(asio::io_context& io, const address& address,
                                                    const server_options& options,
                                                    std::function<void(local_stream)> then) {
    return listen_unix(io, address, options, std::move(then));
}

/// The program at the other end; none where nobody tells.
[[nodiscard]] inline std::optional<process> local_peer(local_stream& connection) {
    return peer_process(connection.native_handle());
}

/// The connection without memory.
[[nodiscard]] inline std::unique_ptr<byte_stream> plain_stream(local_stream connection,
                                                               const std::string& text) {
    return unix_stream(std::move(connection), text);
}
[[nodiscard]] inline std::unique_ptr<blocking_bytes> plain_bytes(shm::local_socket connection) {
    return std::make_unique<socket_bytes>(connection.release());
}

/// Tells a function that bytes have come, or the end, or why nothing is to be waited for.
template <class Then>
void await_stream(local_stream& connection, Then then) {
    connection.async_wait(local_stream::wait_read, std::move(then));
}
/// Takes a connection from its context.
[[nodiscard]] inline shm::local_socket release_stream(local_stream& connection,
                                                      std::error_code& failed) {
    return shm::local_socket{connection.release(failed)};
}

/// Tells a handler when the peer is gone, and whether it is.
inline void watch_stream(local_stream& connection, std::weak_ptr<byte_stream::handler> owner) {
    watch_socket(connection, std::move(owner));
}
inline void look_at_stream(local_stream& connection,
                           const std::weak_ptr<byte_stream::handler>& owner) {
    look_at_socket(connection, owner);
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_TRANSPORT_SHM_POSIX_LOCAL_STREAM_HPP
