/// Reading frames that lie in one piece [MXP-3].
#ifndef MXP_DECODE_HPP
#define MXP_DECODE_HPP

#include <cstddef>
#include <cstdint>

#include "frame.hpp"
#include "hash.hpp"
#include "layout.hpp"
#include "result.hpp"

namespace mxp {

namespace wire {

/// Whether the trailer of a whole frame is what it has to be.
[[nodiscard]] inline bool is_intact(const std::byte* from, std::size_t payload_size,
                                    checksum mode) noexcept {
    const std::size_t n = header_bytes + payload_size;
    return mode == checksum::off || load_number<std::uint64_t>(from + n) == hash(from, n);
}

/// The frame of which the header was read, out of all of its bytes.
[[nodiscard]] inline frame frame_of(const peeked& head, const std::byte* from) noexcept {
    return {head, bytes_view{from + header_bytes, head.payload_size}};
}

[[nodiscard]] inline error cut_after(std::size_t n) noexcept { return {kind::truncated, n}; }

[[nodiscard]] inline error damaged(std::size_t payload_size) noexcept {
    return {kind::checksum, header_bytes + payload_size};
}

}  // namespace wire

/// Reads a frame's header, and makes the checks that need no more than that. The limit is that of
/// the payload; over 16 MiB it means 16 MiB.
[[nodiscard]] inline result<peeked> peek(bytes_view input,
                                         std::size_t limit = payload_bytes) noexcept {
    if (input.size() < header_bytes) {
        return unexpected{wire::cut_after(input.size())};
    }
    peeked head;
    if (!wire::load_header(input.data(), wire::limit_of(limit), head)) {
        return unexpected{wire::refused_header(input.data())};
    }
    return head;
}

/// Decodes the frame that the input begins with; its `size()` is how many bytes were used. The
/// payload is a part of the input, and nothing is allocated.
[[nodiscard]] inline result<frame> decode_prefix(bytes_view input, checksum mode,
                                                 std::size_t limit = payload_bytes) noexcept {
    if (input.size() < header_bytes) {
        return unexpected{wire::cut_after(input.size())};
    }
    peeked head;
    if (!wire::load_header(input.data(), wire::limit_of(limit), head)) {
        return unexpected{wire::refused_header(input.data())};
    }
    if (input.size() < head.size()) {
        return unexpected{wire::cut_after(input.size())};
    }
    if (!wire::is_intact(input.data(), head.payload_size, mode)) {
        return unexpected{wire::damaged(head.payload_size)};
    }
    return wire::frame_of(head, input.data());
}

/// Decodes an input that is one frame and nothing else. The payload is a part of the input, and
/// nothing is allocated.
[[nodiscard]] inline result<frame> decode(bytes_view input, checksum mode,
                                          std::size_t limit = payload_bytes) noexcept {
    result<frame> read = decode_prefix(input, mode, limit);
    if (read && input.size() > read->size()) {
        return unexpected{error{kind::trailing, read->size()}};
    }
    return read;
}

}  // namespace mxp

#endif  // MXP_DECODE_HPP
