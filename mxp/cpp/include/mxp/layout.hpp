/// The bytes of a header [MXP-1.2], and the checks that are made of it [MXP-3.1].
#ifndef MXP_LAYOUT_HPP
#define MXP_LAYOUT_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "frame.hpp"
#include "result.hpp"
#include "sdp/byte_order.hpp"

namespace mxp::wire {

using sdp::wire::load_number;
using sdp::wire::store_number;

/// The number that frames begin with.
inline constexpr std::uint32_t magic = 0x4d585031;

// The places of the header's parts.
inline constexpr std::size_t type_at = 4;
inline constexpr std::size_t flags_at = 5;
inline constexpr std::size_t reserved_at = 6;
inline constexpr std::size_t message_id_at = 8;
inline constexpr std::size_t trace_id_at = 16;
inline constexpr std::size_t length_at = 24;

/// A bit for each number that is a type.
inline constexpr std::array<std::uint64_t, 4> assigned = [] {
    std::array<std::uint64_t, 4> bits{};
    for (unsigned i = 0; i < 256; ++i) {
        if (!to_string(static_cast<frame_type>(i)).empty()) {
            bits[i / 64] |= std::uint64_t{1} << i % 64;
        }
    }
    return bits;
}();

[[nodiscard]] inline bool is_assigned(frame_type type) noexcept {
    const auto number = static_cast<unsigned>(type);
    return (assigned[number / 64] >> number % 64 & 1) != 0;
}

[[nodiscard]] inline bool is_defined(flags mask) noexcept {
    return (static_cast<unsigned>(mask) & ~all_flags) == 0;
}

/// Writes the bytes of a header.
inline void store_header(std::byte* output, const header& header,
                         std::size_t payload_size) noexcept {
    const std::uint64_t start = std::uint64_t{static_cast<std::uint8_t>(header.flags)} << 40 |
                                std::uint64_t{static_cast<std::uint8_t>(header.type)} << 32 | magic;
    store_number(output, start);
    store_number(output + message_id_at, header.message_id);
    store_number(output + trace_id_at, header.trace_id);
    store_number(output + length_at, static_cast<std::uint64_t>(payload_size));
}

/// Names what a decoder would refuse of a header that was not written yet [MXP-2.1].
[[nodiscard]] inline error unwritable(const header& header) noexcept {
    if (!is_assigned(header.type)) {
        return {kind::type, type_at};
    }
    if (!is_defined(header.flags)) {
        return {kind::flags, flags_at};
    }
    return {kind::too_large, length_at};
}

[[nodiscard]] inline bool is_writable(const header& header, std::size_t payload_size) noexcept {
    return is_assigned(header.type) && is_defined(header.flags) && payload_size <= payload_bytes;
}

/// The limit that a caller's is [MXP-3.2].
[[nodiscard]] constexpr std::size_t limit_of(std::size_t wish) noexcept {
    return std::min(wish, payload_bytes);
}

/// The refusal of what begins otherwise than a frame.
[[nodiscard]] constexpr error no_magic() noexcept { return {kind::magic, 0}; }

/// Whether what has come of a header begins as one does [MXP-4.2].
[[nodiscard]] inline bool begins(const std::byte* input, std::size_t n) noexcept {
    for (std::size_t i = 0; i < std::min(n, sizeof magic); ++i) {
        if (input[i] != std::byte(magic >> (8 * i) & 0xFFU)) {
            return false;
        }
    }
    return true;
}

/// Names the refusal of a header that `load_header` refused.
[[nodiscard]] inline error refused_header(const std::byte* input) noexcept {
    if (load_number<std::uint32_t>(input) != magic) {
        return no_magic();
    }
    if (!is_assigned(load_number<frame_type>(input + type_at))) {
        return {kind::type, type_at};
    }
    if (!is_defined(load_number<flags>(input + flags_at))) {
        return {kind::flags, flags_at};
    }
    if (load_number<std::uint16_t>(input + reserved_at) != 0) {
        return {kind::reserved, reserved_at};
    }
    return {kind::too_large, length_at};
}

/// Reads the 32 bytes of a header. It is false where one of its checks fails.
[[nodiscard]] inline bool load_header(const std::byte* input, std::size_t limit, header& header,
                                      std::size_t& payload_size) noexcept {
    // The magic, the reserved bytes and the flags that are not defined are compared at once.
    constexpr std::uint64_t fixed = 0xffff'f000'ffff'ffff;
    const auto start = load_number<std::uint64_t>(input);
    const auto length = load_number<std::uint64_t>(input + length_at);
    header.type = static_cast<frame_type>(start >> 32 & 0xff);
    header.flags = static_cast<flags>(start >> 40 & 0xff);
    header.message_id = load_number<std::uint64_t>(input + message_id_at);
    header.trace_id = load_number<std::uint64_t>(input + trace_id_at);
    if ((start & fixed) != magic || !is_assigned(header.type) || length > limit) {
        return false;
    }
    payload_size = static_cast<std::size_t>(length);
    return true;
}

}  // namespace mxp::wire

#endif  // MXP_LAYOUT_HPP
