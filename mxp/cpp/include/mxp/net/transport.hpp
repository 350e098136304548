/// The transports that connections are made by.
#ifndef MXP_NET_TRANSPORT_HPP
#define MXP_NET_TRANSPORT_HPP

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "address.hpp"
#include "blocking_bytes.hpp"
#include "byte_stream.hpp"
#include "request.hpp"

namespace mxp::net {

struct blocking_options;
struct client_options;
struct server_options;

/// The protection that a transport gives, against attackers on the way or on the same machine.
struct protection {
    /// Whether the system tells which program is at the other end (`peer::process`). A server
    /// without a rule of its own then lets in programs of its own user alone.
    bool peer_credentials = false;
    /// Whether nobody on the way can read or change the bytes.
    bool encryption = false;

    /// Whether the received bytes are the sent bytes, so that nobody needs a checksum.
    [[nodiscard]] bool keeps_bytes() const noexcept { return peer_credentials || encryption; }
};

/// Where a server listens.
struct listener {
    /// The address, as peers reach it.
    std::string address{};
    /// Takes no more connections.
    std::function<void()> close{};
};

/// Makes connections to addresses of a scheme, and takes them there. `register_transport` has
/// clients and servers use it. It is used on any thread, and by several at a time.
class transport {
   public:
    /// Is told once, and not before `dial` has returned, of a connection, or why there is none.
    using dial_handler = std::function<void(outcome<std::unique_ptr<byte_stream>>)>;
    /// Is told of each connection that a peer has made.
    using accept_handler = std::function<void(std::unique_ptr<byte_stream>)>;
    using dialed [[deprecated("use dial_handler")]] = dial_handler;
    using accepted [[deprecated("use accept_handler")]] = accept_handler;

    transport() = default;
    transport(const transport&) = delete;
    transport& operator=(const transport&) = delete;
    virtual ~transport() = default;

    [[nodiscard]] virtual address_form form() const = 0;
    [[nodiscard]] virtual protection protects() const = 0;

    /// Connects to an address, and returns a function that gives up, on any thread. The failure is
    /// one that `unavailable` or `unusable` makes; without a status it is the former. The options
    /// stay until the function was told.
    [[nodiscard]] virtual std::function<void()> dial(asio::io_context& io, const address& address,
                                                     const client_options& options,
                                                     dial_handler then) = 0;
    /// Takes connections at an address. The options stay as long as the function.
    [[nodiscard]] virtual attempt<listener> listen(asio::io_context& io, const address& address,
                                                   const server_options& options,
                                                   accept_handler then) = 0;
    /// Connects a blocking client.
    [[nodiscard]] virtual outcome<std::unique_ptr<blocking_bytes>>
    dial_blocking(const address& address, const blocking_options& /*options*/,
                  std::chrono::steady_clock::time_point /*until*/) {
        return failed_outcome{unusable("this client does not speak mxp+" + address.scheme)};
    }
};

/// Has clients and servers reach addresses `mxp+SCHEME://…` by a transport from now on, as long as
/// the program runs. A scheme has letters from `a` to `z` and digits; another one, and one that has
/// a transport already, throws `std::invalid_argument` [MXP-16.1].
void register_transport(std::string scheme, std::shared_ptr<transport> transport);

namespace detail {

/// The transport of a scheme; null if there is none.
[[nodiscard]] std::shared_ptr<transport> find_transport(std::string_view scheme);

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_TRANSPORT_HPP
