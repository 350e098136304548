/// Reading frames that lie in one piece [MXP-3].
#ifndef MXP_DECODE_HPP
#define MXP_DECODE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "frame.hpp"
#include "hash.hpp"
#include "layout.hpp"
#include "result.hpp"

namespace mxp {

namespace wire {

/// Whether the trailer of a whole frame is the hash of the frame.
[[nodiscard]] inline bool is_intact(const std::byte* input, std::size_t payload_size,
                                    checksum mode) noexcept {
    const std::size_t n = header_bytes + payload_size;
    return mode == checksum::off || load_number<std::uint64_t>(input + n) == hash(input, n);
}

[[nodiscard]] inline error cut_after(std::size_t n) noexcept { return {kind::truncated, n}; }

[[nodiscard]] inline error damaged(std::size_t payload_size) noexcept {
    return {kind::checksum, header_bytes + payload_size};
}

/// Reads the frame that the input begins with, or names its refusal.
[[nodiscard]] inline std::optional<error> load_frame(bytes_view input, checksum mode,
                                                     std::size_t limit, frame& frame) noexcept {
    if (input.size() < header_bytes) {
        return cut_after(input.size());
    }
    std::size_t n = 0;
    if (!load_header(input.data(), limit_of(limit), frame, n)) {
        return refused_header(input.data());
    }
    if (input.size() - header_bytes < n + trailer_bytes) {
        return cut_after(input.size());
    }
    if (!is_intact(input.data(), n, mode)) {
        return damaged(n);
    }
    frame.payload = bytes_view{input.data() + header_bytes, n};
    return std::nullopt;
}

}  // namespace wire

/// Reads a frame's header, and makes the checks that need no more than that. The limit is that of
/// the payload; over 16 MiB it means 16 MiB.
[[nodiscard]] inline result<frame_prefix> peek(bytes_view input,
                                               std::size_t limit = payload_bytes) noexcept {
    result<frame_prefix> head{std::in_place};
    if (input.size() < header_bytes) {
        head = unexpected{wire::cut_after(input.size())};
    } else if (!wire::load_header(input.data(), wire::limit_of(limit), *head, head->payload_size)) {
        head = unexpected{wire::refused_header(input.data())};
    }
    return head;
}

/// Decodes the frame that the input begins with; its `size()` is how many bytes were used. The
/// payload is a part of the input, and nothing is allocated.
[[nodiscard]] inline result<frame> decode_prefix(bytes_view input, checksum mode,
                                                 std::size_t limit = payload_bytes) noexcept {
    // Written where it stays: copying what was just written piece by piece stalls the processor.
    result<frame> read{std::in_place};
    if (const auto refusal = wire::load_frame(input, mode, limit, *read)) {
        read = unexpected{*refusal};
    }
    return read;
}

/// Decodes an input that is one frame and nothing else. The payload is a part of the input, and
/// nothing is allocated.
[[nodiscard]] inline result<frame> decode(bytes_view input, checksum mode,
                                          std::size_t limit = payload_bytes) noexcept {
    result<frame> read{std::in_place};
    if (const auto refusal = wire::load_frame(input, mode, limit, *read)) {
        read = unexpected{*refusal};
    } else if (const std::size_t n = read->size(); input.size() > n) {
        read = unexpected{error{kind::trailing, n}};
    }
    return read;
}

}  // namespace mxp

#endif  // MXP_DECODE_HPP
