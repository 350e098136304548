/// The scalar `uuid`.
#ifndef SDP_UUID_HPP
#define SDP_UUID_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "result.hpp"

namespace sdp {

/// A uuid, its bytes in the order in which RFC 9562 prints them. Any pattern is valid; the default
/// is the nil uuid.
struct uuid {
    std::array<std::byte, 16> bytes{};

    /// Reads what `to_string` writes, in lower or upper case, and nothing else. A refusal is a
    /// `kind::value_invalid`.
    [[nodiscard]] static result<uuid> parse(std::string_view text);

    friend bool operator==(const uuid& a, const uuid& b) noexcept { return a.bytes == b.bytes; }
    friend bool operator!=(const uuid& a, const uuid& b) noexcept { return !(a == b); }
    friend bool operator<(const uuid& a, const uuid& b) noexcept { return a.bytes < b.bytes; }
};

namespace wire {

/// Whether a hyphen stands before a byte of a uuid.
[[nodiscard]] constexpr bool hyphen_before(std::size_t byte) noexcept {
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

/// Reads two hexadecimal digits.
[[nodiscard]] constexpr std::optional<unsigned> hex_byte(std::string_view text) noexcept {
    unsigned value = 0;
    for (const char c : text) {
        value *= 16;
        if (c >= '0' && c <= '9') {
            value += static_cast<unsigned>(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            value += static_cast<unsigned>(c - 'a') + 10;
        } else if (c >= 'A' && c <= 'F') {
            value += static_cast<unsigned>(c - 'A') + 10;
        } else {
            return std::nullopt;
        }
    }
    return value;
}

}  // namespace wire

inline result<uuid> uuid::parse(std::string_view text) {
    const unexpected refused{error{kind::value_invalid}};
    if (text.size() != 36) {
        return refused;
    }
    uuid parsed;
    std::size_t at = 0;
    for (std::size_t i = 0; i < parsed.bytes.size(); ++i) {
        if (wire::hyphen_before(i) && text[at++] != '-') {
            return refused;
        }
        const auto byte = wire::hex_byte(text.substr(at, 2));
        if (!byte) {
            return refused;
        }
        parsed.bytes[i] = static_cast<std::byte>(*byte);
        at += 2;
    }
    return parsed;
}

/// 32 lower-case hexadecimal digits and four hyphens [JSON-2.12].
[[nodiscard]] inline std::string to_string(const uuid& id) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string text;
    text.reserve(36);
    for (std::size_t i = 0; i < id.bytes.size(); ++i) {
        if (wire::hyphen_before(i)) {
            text.push_back('-');
        }
        const auto byte = std::to_integer<unsigned>(id.bytes[i]);
        text.push_back(hex[byte >> 4]);
        text.push_back(hex[byte & 0xf]);
    }
    return text;
}

}  // namespace sdp

#endif  // SDP_UUID_HPP
