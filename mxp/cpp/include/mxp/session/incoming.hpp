/// The events that a session tells its user.
#ifndef MXP_SESSION_INCOMING_HPP
#define MXP_SESSION_INCOMING_HPP

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include "../frame.hpp"
#include "mxp_control.hpp"
#include "mxp_registry.hpp"
#include "parts.hpp"
#include "records.hpp"

namespace mxp::session {

/// The kinds of a session's news. Views point into the bytes that the session was given, or into
/// the session, and hold until it is used again.
namespace in {

/// The peer's Hello has come, and requests can be made.
struct ready {
    /// The peer's services, a range of `control::ServiceView`; a position is a service's number.
    decltype(control::HelloView{}.services()) services{};
};

/// A request of the peer's, to be answered by `respond` or `fail`.
struct call {
    std::uint64_t id = 0;
    control::CallHeadView head{};
    bytes_view value{};
};

/// A stream that the peer has opened.
struct open {
    std::uint64_t id = 0;
    control::CallHeadView head{};
    /// The credit to send on it.
    std::uint32_t messages = 0;
    std::uint64_t bytes = 0;
    /// Whether the peer sends nothing but `value`.
    bool is_final = false;
    bytes_view value{};
};

/// An event of the peer's, to be answered by `ack` or `fail` if it asks for that.
struct event {
    std::uint64_t id = 0;
    control::CallHeadView head{};
    bool requires_ack = false;
    bytes_view value{};
};

/// Events of the peer's that have come in one frame, with one id and one head, as `event` for each
/// of the values would be. They ask for no answer.
struct events {
    std::uint64_t id = 0;
    control::CallHeadView head{};
    /// The bytes of the `CallStart` that has the head, for a caller that keeps them.
    bytes_view start{};
    records values{};
};

/// The answer to a request of this side's.
struct response {
    std::uint64_t id = 0;
    metadata_view metadata{};
    bytes_view value{};
};

/// A request of this side's has ended without an answer.
struct ended {
    std::uint64_t id = 0;
    failure why{};
};

/// A part of a stream.
struct chunk {
    std::uint64_t id = 0;
    /// From 1, in each direction.
    std::uint64_t number = 0;
    bool is_final = false;
    bool requires_ack = false;
    bytes_view value{};
};

/// Parts of a stream that have come in one frame, as `chunk` for each of the values would be.
struct chunks {
    std::uint64_t id = 0;
    /// The number of the first.
    std::uint64_t first = 0;
    /// Of the last: that it ends the direction, and that it asks for an Ack.
    bool is_final = false;
    bool requires_ack = false;
    records values{};
};

/// The peer sends no more on a stream.
struct finished {
    std::uint64_t id = 0;
};

/// More may be sent on a stream.
struct granted {
    std::uint64_t id = 0;
    std::uint32_t messages = 0;
    std::uint64_t bytes = 0;
};

/// The peer's user has taken an event, for which `chunk` is 0, or a stream's chunks up to `chunk`.
struct acked {
    std::uint64_t id = 0;
    std::uint64_t chunk = 0;
};

/// A request of the peer's has ended, and nothing is to be done for it any more. It keeps its
/// place until `release`.
struct cancelled {
    std::uint64_t id = 0;
    reason why{};
};

/// The peer takes no new requests.
struct draining {
    std::string_view reason{};
};

/// An agent asks for a lease.
struct registration {
    std::uint64_t id = 0;
    const registry::Registration* asked = nullptr;
};

/// An agent asks for its lease to be renewed.
struct heartbeat {
    std::uint64_t id = 0;
    std::string_view name{};
};

/// The peer asks for agents.
struct discovery {
    std::uint64_t id = 0;
    const registry::Query* asked = nullptr;
};

/// The last that a session tells.
struct end {
    /// Its status is `Ok` if the connection went when nothing was left to do.
    failure why{};
    /// Whether the peer has ended the session.
    bool is_remote = false;
    /// Whether it has said that nobody has acted on anything.
    bool is_refused = false;
};

}  // namespace in

/// An event that a session tells its user.
using incoming =
    std::variant<in::ready, in::call, in::open, in::event, in::events, in::response, in::ended,
                 in::chunk, in::chunks, in::finished, in::granted, in::acked, in::cancelled,
                 in::draining, in::registration, in::heartbeat, in::discovery, in::end>;
static_assert(std::is_trivially_copyable_v<incoming>, "events are moved for each frame that comes");

}  // namespace mxp::session

#endif  // MXP_SESSION_INCOMING_HPP
