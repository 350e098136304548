/// Writing frames [MXP-2].
#ifndef MXP_ENCODE_HPP
#define MXP_ENCODE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "frame.hpp"
#include "hash.hpp"
#include "layout.hpp"
#include "result.hpp"

namespace mxp {

/// The header and the trailer around a payload that is not copied.
struct envelope {
    std::array<std::byte, header_bytes> header;
    std::array<std::byte, trailer_bytes> trailer;
};

namespace wire {

/// Writes a frame where there is room for it.
inline void store_frame(std::byte* output, const frame& frame, checksum mode) noexcept {
    const std::size_t n = frame.payload.size();
    store_header(output, frame, n);
    std::byte* const payload = output + header_bytes;
    if (n > 0 && payload != frame.payload.data()) {
        std::memcpy(payload, frame.payload.data(), n);
    }
    const std::uint64_t sum = mode == checksum::on ? hash(output, header_bytes + n) : 0;
    store_number(payload + n, sum);
}

/// The envelope of a payload in pieces, which have `n` bytes.
[[nodiscard]] inline result<envelope> wrap(const header& header, checksum mode,
                                           span<const bytes_view> pieces, std::size_t n) noexcept {
    if (!is_writable(header, n)) {
        return unexpected{unwritable(header)};
    }
    envelope around;
    store_header(around.header.data(), header, n);
    const std::uint64_t sum = mode == checksum::on ? hash(around.header.data(), pieces, n) : 0;
    store_number(around.trailer.data(), sum);
    return around;
}

}  // namespace wire

/// Writes a frame to the front of `output` and returns its length. It allocates nothing. The
/// payload may be in `output` already, 32 bytes from its front; anywhere else the two must not
/// overlap.
[[nodiscard]] inline result<std::size_t> encode(const frame& frame, checksum mode,
                                                span<std::byte> output) noexcept {
    if (!wire::is_writable(frame, frame.payload.size())) {
        return unexpected{wire::unwritable(frame)};
    }
    if (output.size() < frame.size()) {
        return unexpected{error{kind::buffer_too_small, {}}};
    }
    wire::store_frame(output.data(), frame, mode);
    return frame.size();
}

/// Appends a frame to a vector or string of bytes, which stays as it was if the frame is refused.
/// The payload must not lie in it.
template <class Bytes>
[[nodiscard]] result<void> append(const frame& frame, checksum mode, Bytes& output) {
    using byte = typename Bytes::value_type;
    static_assert(sdp::wire::is_byte<byte>);
    const std::size_t n = frame.payload.size();
    if (!wire::is_writable(frame, n)) {
        return unexpected{wire::unwritable(frame)};
    }
    const std::size_t start = output.size();
    // Bytes that are inserted are not filled with zeros first, as they would be by `resize`.
    if (output.capacity() - start < frame.size()) {
        output.reserve(
            std::max(start + frame.size(), std::min(2 * output.capacity(), output.max_size())));
    }
    const auto put = [&output](const std::byte* begin, std::size_t count) {
        const auto* first = reinterpret_cast<const byte*>(begin);
        output.insert(output.end(), first, first + count);
    };
    std::array<std::byte, header_bytes> head;
    wire::store_header(head.data(), frame, n);
    put(head.data(), head.size());
    put(frame.payload.data(), n);
    const auto* whole = reinterpret_cast<const std::byte*>(output.data()) + start;
    std::array<std::byte, trailer_bytes> tail;
    wire::store_number(tail.data(), mode == checksum::on ? wire::hash(whole, header_bytes + n) : 0);
    put(tail.data(), tail.size());
    return {};
}

/// The header and the trailer of a frame with this payload, to be sent before and behind it. It
/// allocates nothing.
[[nodiscard]] inline result<envelope> wrap(const header& header, checksum mode,
                                           bytes_view payload) noexcept {
    return wire::wrap(header, mode, span<const bytes_view>{&payload, 1}, payload.size());
}

/// The header and the trailer of a frame whose payload is these pieces, one behind the other.
[[nodiscard]] inline result<envelope> wrap(const header& header, checksum mode,
                                           span<const bytes_view> pieces) noexcept {
    std::size_t n = 0;
    for (const bytes_view piece : pieces) {
        // Past the limit it need not be known by how much: the sum must not wrap around.
        n += std::min(piece.size(), payload_bytes + 1);
        n = std::min(n, payload_bytes + 1);
    }
    return wire::wrap(header, mode, pieces, n);
}

}  // namespace mxp

#endif  // MXP_ENCODE_HPP
