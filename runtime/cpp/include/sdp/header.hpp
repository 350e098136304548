/// The header of message mode.
#ifndef SDP_HEADER_HPP
#define SDP_HEADER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "byte_order.hpp"
#include "result.hpp"
#include "span.hpp"
#include "spec_gen.hpp"

namespace sdp::wire {

// The places of the header's parts [WIRE-10].
inline constexpr std::size_t version_at = 3;
inline constexpr std::size_t type_id_at = 4;
inline constexpr std::size_t length_at = 6;

/// The first four bytes; the fourth is the version.
inline constexpr std::array<std::byte, 4> magic{std::byte{'S'}, std::byte{'D'}, std::byte{'P'},
                                                std::byte{'2'}};

/// A message's header.
struct header {
    std::uint16_t type_id;
    std::uint32_t length;
};

/// Writes the bytes of a header, for which there is room.
inline void store_header(std::byte* output, std::uint16_t type_id, std::uint32_t length) noexcept {
    std::memcpy(output, magic.data(), magic.size());
    store_number(output + type_id_at, type_id);
    store_number(output + length_at, length);
}

/// Reads a header. It is false for one that is cut or isn't SDP's.
[[nodiscard]] inline bool load_header(bytes_view input, header& header) noexcept {
    if (input.size() < header_bytes || std::memcmp(input.data(), magic.data(), magic.size()) != 0) {
        return false;
    }
    header.type_id = load_number<std::uint16_t>(input.data() + type_id_at);
    header.length = load_number<std::uint32_t>(input.data() + length_at);
    return true;
}

/// Names the refusal of a header that is cut or isn't SDP's. The bytes that are there are compared
/// first [WIRE-10.2] to [WIRE-10.4].
[[nodiscard]] inline error damaged_header(bytes_view input) {
    const std::size_t n = input.size();
    std::size_t equal = 0;
    while (equal < n && equal < magic.size() && input[equal] == magic[equal]) {
        ++equal;
    }
    if (equal < n && equal < version_at) {
        return {kind::magic_invalid, 0, {}};
    }
    if (equal < n && equal < magic.size()) {
        return {kind::version_unsupported, version_at, {}};
    }
    return {kind::truncated, n < type_id_at ? 0 : n < length_at ? type_id_at : length_at, {}};
}

/// A dispatcher's refusal of a type id that its package doesn't have [WIRE-10.6].
[[nodiscard]] inline error unknown_type_id() { return {kind::type_id_unknown, type_id_at, {}}; }

/// The refusal of a type id that isn't that of the type the caller asked for [WIRE-10.5].
[[nodiscard]] inline error another_type_id() { return {kind::type_id_mismatch, type_id_at, {}}; }

/// The refusal of a payload that is over the limit [WIRE-10.7].
[[nodiscard]] inline error payload_over_limit() {
    return {kind::limit_message_bytes, length_at, {}};
}

/// The refusal of a payload in a stream that ends too early [WIRE-11.3].
[[nodiscard]] inline error payload_cut() { return {kind::truncated, length_at, {}}; }

/// The type id of a message, after the checks that come before it [WIRE-10.2] to [WIRE-10.4]. It is
/// for dispatchers.
[[nodiscard]] inline result<std::uint16_t> read_type_id(bytes_view input) {
    header read{};
    if (!load_header(input, read)) {
        return unexpected{damaged_header(input)};
    }
    return read.type_id;
}

/// Finds the payload of a message. It is false where a header isn't that of the type, and where
/// the payload isn't whole or over the limit [WIRE-10.2] to [WIRE-10.8]; bytes may follow it.
[[nodiscard]] inline bool find_payload(bytes_view input, std::uint16_t type_id,
                                       std::size_t message_bytes, bytes_view& payload) noexcept {
    header read{};
    if (!load_header(input, read) || read.type_id != type_id || read.length > message_bytes ||
        read.length > input.size() - header_bytes) {
        return false;
    }
    payload = bytes_view{input.data() + header_bytes, static_cast<std::size_t>(read.length)};
    return true;
}

/// Names the refusal of input in which `find_payload` found none.
[[nodiscard]] inline error explain_header(bytes_view input, std::uint16_t type_id,
                                          std::size_t message_bytes) {
    header read{};
    if (!load_header(input, read)) {
        return damaged_header(input);
    }
    if (read.type_id != type_id) {
        return another_type_id();
    }
    if (read.length > message_bytes) {
        return payload_over_limit();
    }
    return {kind::payload_length, length_at, {}};
}

/// The same, as the return value of a decode.
[[nodiscard, gnu::noinline, gnu::cold]] inline unexpected
header_refusal(bytes_view input, std::uint16_t type_id, std::size_t message_bytes) {
    return unexpected{explain_header(input, type_id, message_bytes)};
}

/// The refusal of bytes behind a message.
[[nodiscard, gnu::noinline, gnu::cold]] inline unexpected trailing_bytes(std::size_t end) {
    return unexpected{error{kind::trailing_bytes, end, {}}};
}

/// The payload of a message, or the refusal of its header.
[[nodiscard]] inline result<bytes_view> payload(bytes_view input, std::uint16_t type_id,
                                                std::size_t message_bytes) {
    bytes_view found;
    if (!find_payload(input, type_id, message_bytes, found)) {
        return header_refusal(input, type_id, message_bytes);
    }
    return found;
}

}  // namespace sdp::wire

#endif  // SDP_HEADER_HPP
