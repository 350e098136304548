/// The observers of how sessions fare, for logs and traces.
#ifndef MXP_SESSION_OBSERVER_HPP
#define MXP_SESSION_OBSERVER_HPP

#include <cstdint>
#include <string_view>

#include "parts.hpp"

namespace mxp::session {

/// A request, as an observer is told of it.
struct observed_request {
    std::uint64_t id = 0;
    /// Whether this side made it.
    bool is_own = false;
    purpose kind{};
    /// The low half of the id of its trace, or 0.
    std::uint64_t trace = 0;
};

/// Observes sessions. Arguments hold only during a call, and it must not use the session.
class observer {
   public:
    observer() = default;
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;
    virtual ~observer() = default;

    /// The peer's Hello has come, and requests can be made.
    virtual void on_ready() {}
    /// The session has ended; `is_remote` if the peer said so.
    virtual void on_end(const failure& /*why*/, bool /*is_remote*/) {}
    /// The session refused something, and told the peer so where it could.
    virtual void on_refusal(std::string_view /*name*/) {}
    /// A request was made or has come, and was not refused.
    virtual void on_begin(const observed_request& /*request*/) {}
    /// A request has left the session, so many microseconds after it began.
    virtual void on_done(const observed_request& /*request*/, std::uint64_t /*took_us*/) {}
};

}  // namespace mxp::session

#endif  // MXP_SESSION_OBSERVER_HPP
