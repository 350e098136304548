/// The parts of a frame [MXP-1].
#ifndef MXP_FRAME_HPP
#define MXP_FRAME_HPP

#include <cstddef>
#include <cstdint>

#include "sdp/span.hpp"
#include "spec_gen.hpp"
#include "types_gen.hpp"

namespace mxp {

using sdp::bytes_view;
using sdp::span;

/// The length of a frame's header.
inline constexpr std::size_t header_bytes = 32;
/// The length of the trailer, which follows the payload.
inline constexpr std::size_t trailer_bytes = 8;

[[nodiscard]] constexpr flags operator|(flags a, flags b) noexcept {
    return static_cast<flags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
[[nodiscard]] constexpr flags operator&(flags a, flags b) noexcept {
    return static_cast<flags>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

/// Whether `bits` has all of the flags of `mask`.
[[nodiscard]] constexpr bool has(flags bits, flags mask) noexcept { return (bits & mask) == mask; }

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
struct frame_prefix : header {
    /// The length of the payload, which is at most the limit.
    std::size_t payload_size = 0;

    /// How many bytes the whole frame has.
    [[nodiscard]] constexpr std::size_t size() const noexcept {
        return header_bytes + payload_size + trailer_bytes;
    }
};

}  // namespace mxp

#endif  // MXP_FRAME_HPP
