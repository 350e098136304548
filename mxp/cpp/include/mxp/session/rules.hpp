/// The rules of frames of each type [MXP-5.3].
#ifndef MXP_SESSION_RULES_HPP
#define MXP_SESSION_RULES_HPP

#include <cstdint>

#include "../frame.hpp"

namespace mxp::session {

/// The referent of a frame's id.
enum class named : std::uint8_t {
    /// The session: it is 0.
    session,
    /// Nothing yet: it is the sender's next.
    fresh,
    /// A request that the receiver began.
    receivers,
    /// That, or the session.
    receivers_or_session,
    /// A request that the sender began.
    senders,
    /// A request that either began.
    eithers,
};

struct rule {
    /// The flags that it may have.
    mxp::flags flags;
    /// Whether the payload is the protocol's own.
    bool is_own;
    named id;
};

[[nodiscard]] constexpr rule rule_of(frame_type type) noexcept {
    switch (type) {
    case frame_type::hello:
    case frame_type::drain:
        return {flags::none, true, named::session};
    case frame_type::call:
        return {flags::none, false, named::fresh};
    case frame_type::event:
        return {flags::requires_ack, false, named::fresh};
    case frame_type::stream_open:
        return {flags::final, false, named::fresh};
    case frame_type::agent_register:
    case frame_type::agent_discover:
    case frame_type::agent_heartbeat:
    case frame_type::ping:
        return {flags::none, true, named::fresh};
    case frame_type::pong:
        return {flags::none, true, named::receivers};
    case frame_type::response:
        return {flags::none, false, named::receivers};
    case frame_type::error:
        return {flags::none, true, named::receivers_or_session};
    case frame_type::cancel:
        return {flags::none, true, named::senders};
    case frame_type::stream_chunk:
        return {flags::requires_ack | flags::final, false, named::eithers};
    case frame_type::stream_close:
    case frame_type::credit:
    case frame_type::ack:
        return {flags::none, true, named::eithers};
    }
    return {flags::none, true, named::session};
}

/// Whether `of` has no flags but those of `which`.
[[nodiscard]] constexpr bool has_only(flags of, flags which) noexcept {
    return (static_cast<unsigned>(of) & ~static_cast<unsigned>(which)) == 0;
}

}  // namespace mxp::session

#endif  // MXP_SESSION_RULES_HPP
