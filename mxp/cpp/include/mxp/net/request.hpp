/// The requests that are made, and their ends.
#ifndef MXP_NET_REQUEST_HPP
#define MXP_NET_REQUEST_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../engine/retry_policy.hpp"
#include "../session/config.hpp"
#include "failure.hpp"

namespace mxp::mesh {
struct Delivery;
}

namespace mxp::net {

/// Says that there is no such method.
[[nodiscard]] failure method_unknown();

using engine::retry_policy;

class repetition;

namespace detail {
class holder;
}

/// How a call ended. Views hold until the function returns that is told of it.
struct answer {
    /// Why there is no value.
    std::optional<failure> failed{};
    bytes_view value{};
    session::metadata_view metadata{};
    /// The subject of the request, where there is a value.
    const engine::subject* subject = nullptr;

    /// The holder that can hold the request back; there may be none.
    detail::holder* held_by = nullptr;
    /// When its connection was told, if it was.
    std::optional<std::chrono::steady_clock::time_point> came{};

    /// Holds back the end of a call, or of an event that requires an Ack, that has failed: for an
    /// interceptor of a client that may want to make it again. There is nothing where that can't
    /// be.
    [[nodiscard]] std::optional<repetition> hold();

    /// A failure of reading the value, with the method, the address and the time of the request.
    [[nodiscard]] failure explained(failure why) const;
};

/// Keys and values that travel beside a request or its answer.
using metadata = std::vector<std::pair<std::string, std::vector<std::byte>>>;

struct request;

/// The options of a call or a stream, besides its value.
struct call_options {
    /// The time that it may take; 0 is for ever.
    std::chrono::microseconds deadline{0};
    std::optional<session::trace_context> trace{};
    net::metadata metadata{};
    /// Is told the metadata of a call's answer, before its end is; there may be nobody.
    std::function<void(net::metadata)> on_metadata{};
    /// When a call is made again, if otherwise than the client's options say.
    std::optional<retry_policy> retry{};

    /// The same options for a request on behalf of a handled one: it takes no longer than the
    /// handled request may, and belongs to its trace, with the `tracestate` of W3C, unless the
    /// options name another.
    [[nodiscard]] call_options following(const request& request) const;
};

/// The options of an event.
struct event_options {
    /// Whether the peer's handler has to take it.
    bool requires_ack = false;
    session::when_full full = session::when_full::refuse;
    std::optional<session::trace_context> trace{};
    net::metadata metadata{};
    /// When one that requires an Ack is made again, if otherwise than the client's options say.
    std::optional<retry_policy> retry{};

    /// The same for an event that is sent on behalf of a request that is being handled: it belongs
    /// to its trace.
    [[nodiscard]] event_options following(const request& request) const;
};

/// A method of a service.
struct method {
    /// Full name: package, dot, name.
    std::string_view service{};
    std::uint16_t number = 0;
    /// As the schema has it; empty where nobody has said it.
    std::string_view name{};
    /// Whether to ask again does no harm, also where somebody has acted.
    bool is_idempotent = false;
};

/// A stream of values of fixed size in both directions, which can also be opened as a channel.
template <class Request, class Response>
struct channel_method : method {};

struct peer;
class client;
class connection;

/// The request that a handler is asked. Views hold until it returns.
struct request {
    /// The number of the method.
    std::uint16_t method = 0;
    bytes_view value{};
    session::metadata_view metadata{};
    std::optional<session::trace_context> trace{};
    /// Microseconds from when it came; 0 is for ever.
    std::uint64_t deadline = 0;
    /// The peer that asks. It is kept as long as somebody holds it.
    std::shared_ptr<const net::peer> peer{};
    /// When its deadline is.
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
    /// Where it came.
    std::weak_ptr<net::connection> by{};
    /// How an event of the mesh was delivered that a `subscription` has heard: its number, when it
    /// was published, how often it was delivered. Null for an event that came by a connection.
    const mesh::Delivery* delivery = nullptr;

    /// A client of the requesting program, on the same connection, for the services that it has
    /// itself (`client_options::services`). Get it while the handler runs; use it then and later,
    /// on any thread. Its requests end with the connection.
    [[nodiscard]] std::shared_ptr<net::client> client() const;
};

/// The error of a socket, and its text.
struct trouble {
    std::error_code code{};
    std::string text{};
};

[[nodiscard]] inline std::string_view to_string(const trouble& flaw) noexcept { return flaw.text; }

/// A value, or what went wrong.
template <class T>
using attempt = mxp::result<T, trouble>;
using failed_attempt = mxp::unexpected_of<trouble>;

}  // namespace mxp::net

#endif  // MXP_NET_REQUEST_HPP
