/// An observer of requests, by which a program tells OpenTelemetry of them.
#ifndef MXP_NET_TELEMETRY_HPP
#define MXP_NET_TELEMETRY_HPP

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "../session/methods.hpp"
#include "../session/parts.hpp"
#include "telemetry_gen.hpp"

namespace mxp::net {

/// An attribute of a span, or of a time that is measured.
struct attribute {
    std::string_view key{};
    std::variant<std::string_view, std::int64_t> value{};
};

/// A request that begins. Views hold during the call.
struct request_start {
    session::side side{};
    /// The name of its span.
    std::string_view name{};
    /// The attributes of its span.
    const std::vector<attribute>& attributes;
    /// The trace that it belongs to, whose `parent` is that of its span: of a server's request, as
    /// it came; of a client's, as its options say. There may be none.
    std::optional<session::trace_context> trace{};
    /// W3C's tracestate beside that, of 512 bytes at most; or nothing.
    std::string_view trace_state{};
};

/// A request that has ended. Views hold during the call.
struct request_end {
    /// The attributes that its span has from now on, besides.
    const std::vector<attribute>& added;
    /// The attributes of its time.
    const std::vector<attribute>& measured;
    /// Whether its end is an error for this side, and in which words.
    bool is_error = false;
    std::string_view description{};
    std::chrono::nanoseconds took{};

    [[nodiscard]] double seconds() const noexcept {
        return std::chrono::duration<double>(took).count();
    }
};

/// A request that somebody has been told of.
class observed_request {
   public:
    observed_request() = default;
    observed_request(const observed_request&) = delete;
    observed_request& operator=(const observed_request&) = delete;
    virtual ~observed_request() = default;

    /// The trace of work for the request: its span is the parent. A client sends it, and a server's
    /// handler finds it in its request. Without one, that which the request has stays.
    [[nodiscard]] virtual std::optional<session::trace_context> trace() const { return {}; }
    /// W3C's tracestate that a client sends beside that, unless the options have one.
    [[nodiscard]] virtual std::string trace_state() const { return {}; }
    /// The request has ended. Nothing follows.
    virtual void on_end(const request_end& request) = 0;
};

/// Observes each request once when it begins and once when it ends, repetitions included, with the
/// names and values of OpenTelemetry's RPC conventions; a stream ends with both directions. It is
/// called on any thread, by several at a time, and must neither wait nor use the client or server.
class request_observer {
   public:
    request_observer() = default;
    request_observer(const request_observer&) = delete;
    request_observer& operator=(const request_observer&) = delete;
    virtual ~request_observer() = default;

    /// A request begins: a client's in the call that makes it, a server's before its handler. Of
    /// one for which nothing is returned nothing more is told.
    [[nodiscard]] virtual std::unique_ptr<observed_request>
    on_begin(const request_start& request) = 0;
};

}  // namespace mxp::net

#endif  // MXP_NET_TELEMETRY_HPP
