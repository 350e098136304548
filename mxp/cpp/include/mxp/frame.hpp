/// The parts of a frame [MXP-1].
#ifndef MXP_FRAME_HPP
#define MXP_FRAME_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sdp/span.hpp"
#include "spec_gen.hpp"

namespace mxp {

using sdp::bytes_view;
using sdp::span;

/// How long a frame's header is.
inline constexpr std::size_t header_bytes = 32;
/// How long the trailer is, which follows the payload.
inline constexpr std::size_t trailer_bytes = 8;

/// The type of a frame [MXP-1.3].
enum class frame_type : std::uint8_t {
    agent_register = 0x01,
    agent_discover = 0x02,
    agent_heartbeat = 0x03,
    call = 0x10,
    response = 0x11,
    event = 0x12,
    stream_open = 0x20,
    stream_chunk = 0x21,
    stream_close = 0x22,
    hello = 0x80,
    cancel = 0x81,
    credit = 0x82,
    drain = 0x83,
    ping = 0x84,
    pong = 0x85,
    ack = 0xf0,
    error = 0xf1,
};

/// The type's name in the specification, for instance "StreamOpen"; empty for a number that is not
/// assigned.
[[nodiscard]] constexpr std::string_view to_string(frame_type of) noexcept {
    switch (of) {
    case frame_type::agent_register:
        return "AgentRegister";
    case frame_type::agent_discover:
        return "AgentDiscover";
    case frame_type::agent_heartbeat:
        return "AgentHeartbeat";
    case frame_type::call:
        return "Call";
    case frame_type::response:
        return "Response";
    case frame_type::event:
        return "Event";
    case frame_type::stream_open:
        return "StreamOpen";
    case frame_type::stream_chunk:
        return "StreamChunk";
    case frame_type::stream_close:
        return "StreamClose";
    case frame_type::hello:
        return "Hello";
    case frame_type::cancel:
        return "Cancel";
    case frame_type::credit:
        return "Credit";
    case frame_type::drain:
        return "Drain";
    case frame_type::ping:
        return "Ping";
    case frame_type::pong:
        return "Pong";
    case frame_type::ack:
        return "Ack";
    case frame_type::error:
        return "Error";
    }
    return {};
}

/// The flags of a frame [MXP-1.4], as bits that `|` joins.
enum class flags : std::uint8_t {
    none = 0,
    /// The payload is compressed.
    compressed = 1,
    /// The payload is encrypted end to end.
    encrypted = 2,
    /// The sender requires an Ack.
    requires_ack = 4,
    /// The frame is the final one of its stream.
    final = 8,
};

[[nodiscard]] constexpr flags operator|(flags a, flags b) noexcept {
    return static_cast<flags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
[[nodiscard]] constexpr flags operator&(flags a, flags b) noexcept {
    return static_cast<flags>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

/// Whether `of` has all of the flags of `which`.
[[nodiscard]] constexpr bool has(flags of, flags which) noexcept { return (of & which) == which; }

/// Whether trailers hold the hash, which is then written and checked, or are written as 0 and not
/// looked at [MXP-1.6], [MXP-1.7]. Nothing in a frame says so, and no function has a default.
enum class checksum : bool { off, on };

/// The fields of a header besides the payload's length.
struct header {
    frame_type type{};
    mxp::flags flags = mxp::flags::none;
    std::uint64_t message_id = 0;
    std::uint64_t trace_id = 0;

    friend constexpr bool operator==(const header& a, const header& b) noexcept {
        return a.type == b.type && a.flags == b.flags && a.message_id == b.message_id &&
               a.trace_id == b.trace_id;
    }
    friend constexpr bool operator!=(const header& a, const header& b) noexcept {
        return !(a == b);
    }
};

/// A frame whose payload lies elsewhere.
struct frame : header {
    bytes_view payload{};

    /// How many bytes the whole frame has.
    [[nodiscard]] constexpr std::size_t size() const noexcept {
        return header_bytes + payload.size() + trailer_bytes;
    }

    friend bool operator==(const frame& a, const frame& b) noexcept {
        return static_cast<const header&>(a) == static_cast<const header&>(b) &&
               a.payload == b.payload;
    }
    friend bool operator!=(const frame& a, const frame& b) noexcept { return !(a == b); }
};

/// A header that was read without what follows it [MXP-3.4].
struct peeked : header {
    /// How long the payload is, which is at most the limit.
    std::size_t payload_size = 0;

    /// How many bytes the whole frame has.
    [[nodiscard]] constexpr std::size_t size() const noexcept {
        return header_bytes + payload_size + trailer_bytes;
    }
};

}  // namespace mxp

#endif  // MXP_FRAME_HPP
