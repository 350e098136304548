/// What is asked for, and how that ends.
#ifndef MXP_NET_REQUEST_HPP
#define MXP_NET_REQUEST_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../session.hpp"

namespace mxp::net {

/// Why a request ended without an answer.
struct failure {
    session::status status = session::status::Unknown;
    /// Of a refusal or a limit, or what the peer's handler chose.
    std::string name{};
    std::string text{};
    std::vector<std::byte> details{};
    /// Whether the peer may have acted on the request.
    bool acted = false;
    /// The address that could not be connected to.
    std::string peer{};
};

[[nodiscard]] inline failure failure_of(const session::failure& from) {
    return {from.status,
            std::string{from.name},
            std::string{from.text},
            {from.details.begin(), from.details.end()},
            from.acted,
            {}};
}

[[nodiscard]] inline std::string_view to_string(const failure& of) noexcept { return of.name; }

/// A value, or why there is none.
template <class T>
using outcome = mxp::result<T, failure>;
using failed_outcome = mxp::unexpected_of<failure>;

/// The failure that a refusal is.
[[nodiscard]] inline failure failure_of(session::kind of, std::string text = {}) {
    return {static_cast<session::status>(session::status_of(of)),
            std::string{to_string(of)},
            std::move(text),
            {},
            false,
            {}};
}

namespace detail {

/// Why a chunk of so many bytes can't be sent on a stream, if it might never be granted
/// [MXP-8.7].
[[nodiscard]] inline std::optional<failure> over_window(session::session& on, std::uint64_t id,
                                                        std::size_t n) {
    const auto most = on.largest_chunk(id);
    if (!most || n <= *most) {
        return std::nullopt;
    }
    return failure_of(session::kind::stream_window,
                      "a chunk of " + std::to_string(n) +
                          " bytes, where the receiver's window lets " + std::to_string(*most) +
                          " through");
}

}  // namespace detail

/// Says that there is no such method.
[[nodiscard]] inline failure method_unknown() { return failure_of(session::kind::method_unknown); }

/// How a call ended. Views hold until the function returns that is told of it.
struct answer {
    /// Why there is no value.
    std::optional<failure> failed{};
    bytes_view value{};
    session::metadata_view metadata{};
};

/// Keys and values that travel beside a request or its answer.
using metadata = std::vector<std::pair<std::string, std::vector<std::byte>>>;

/// The same, as a session takes them.
[[nodiscard]] inline std::vector<session::metadatum> refer(const metadata& to) {
    std::vector<session::metadatum> made(to.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
        made[i].key = to[i].first;
        made[i].value = to[i].second;
    }
    return made;
}

/// What a call or a stream asks for besides its value.
struct call_options {
    /// How long it may take; 0 is for ever.
    std::chrono::microseconds deadline{0};
    std::optional<session::trace_context> trace{};
    net::metadata metadata{};
};

/// What an event asks for.
struct event_options {
    /// Whether the peer's handler has to take it.
    bool requires_ack = false;
    session::when_full full = session::when_full::refuse;
    std::optional<session::trace_context> trace{};
    net::metadata metadata{};
};

/// A method of a service.
struct method {
    /// Full name: package, dot, name.
    std::string_view service{};
    std::uint16_t number = 0;
    /// As the schema has it; empty where nobody has said it.
    std::string_view name{};
};

/// What a handler is asked. Views hold until it returns.
struct request {
    /// The number of the method.
    std::uint16_t method = 0;
    bytes_view value{};
    session::metadata_view metadata{};
    std::optional<session::trace_context> trace{};
    /// Microseconds from when it came; 0 is for ever.
    std::uint64_t deadline = 0;
};

/// What went wrong with a socket.
struct trouble {
    std::error_code code{};
    std::string text{};
};

[[nodiscard]] inline std::string_view to_string(const trouble& of) noexcept { return of.text; }

/// A value, or what went wrong.
template <class T>
using attempt = mxp::result<T, trouble>;
using failed_attempt = mxp::unexpected_of<trouble>;

}  // namespace mxp::net

#endif  // MXP_NET_REQUEST_HPP
