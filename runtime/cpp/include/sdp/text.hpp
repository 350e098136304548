/// Strings: whether bytes are UTF-8, and copies of few bytes.
#ifndef SDP_TEXT_HPP
#define SDP_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "byte_order.hpp"

namespace sdp::wire {

/// How many bytes at the start of a text are well-formed UTF-8 [WIRE-5.2].
inline std::size_t utf8_prefix(const std::byte* text, std::size_t n) noexcept {
    const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(text[i]); };
    const auto goes_on = [&](std::size_t i, unsigned least, unsigned most) {
        return i < n && at(i) >= least && at(i) <= most;
    };
    std::size_t i = 0;
    while (i < n) {
        const unsigned lead = at(i);
        if (lead < 0x80) {
            i += 1;
        } else if (lead >= 0xc2 && lead <= 0xdf) {
            if (!goes_on(i + 1, 0x80, 0xbf)) {
                return i;
            }
            i += 2;
        } else if (lead >= 0xe0 && lead <= 0xef) {
            // The second byte rules out overlong forms and surrogates.
            const unsigned least = lead == 0xe0 ? 0xa0 : 0x80;
            const unsigned most = lead == 0xed ? 0x9f : 0xbf;
            if (!goes_on(i + 1, least, most) || !goes_on(i + 2, 0x80, 0xbf)) {
                return i;
            }
            i += 3;
        } else if (lead >= 0xf0 && lead <= 0xf4) {
            // The second byte rules out overlong forms and numbers over U+10FFFF.
            const unsigned least = lead == 0xf0 ? 0x90 : 0x80;
            const unsigned most = lead == 0xf4 ? 0x8f : 0xbf;
            if (!goes_on(i + 1, least, most) || !goes_on(i + 2, 0x80, 0xbf) ||
                !goes_on(i + 3, 0x80, 0xbf)) {
                return i;
            }
            i += 4;
        } else {
            return i;
        }
    }
    return n;
}

/// Whether a text that is not all ASCII is UTF-8. It is a function of its own, so that texts in
/// ASCII don't pay for it.
[[gnu::noinline]] inline bool is_utf8_beyond_ascii(const std::byte* text, std::size_t n) noexcept {
    return utf8_prefix(text, n) == n;
}

/// Whether bytes are UTF-8. Most strings are short and ASCII, so that each length has its own way
/// of looking at all bytes at once; where two words overlap, a byte is seen twice.
[[gnu::always_inline]] inline bool is_utf8(const std::byte* text, std::size_t n) noexcept {
    constexpr std::uint64_t high = 0x8080808080808080;
    std::uint64_t seen = 0;
    if (n < 4) {
        if (n == 0) {
            return true;
        }
        seen = std::to_integer<std::uint64_t>(text[0] | text[n / 2] | text[n - 1]);
    } else if (n < 8) {
        seen = load_number<std::uint32_t>(text) | load_number<std::uint32_t>(text + n - 4);
    } else {
        const std::byte* at = text;
        for (; static_cast<std::size_t>(text + n - at) > 8; at += 8) {
            seen |= load_number<std::uint64_t>(at);
        }
        seen |= load_number<std::uint64_t>(text + n - 8);
    }
    return (seen & high) == 0 || is_utf8_beyond_ascii(text, n);
}

/// Copies bytes that are mostly few, for which a call of memcpy would take longer than the copy.
[[gnu::always_inline]] inline void copy_short(std::byte* output, const std::byte* data,
                                              std::size_t n) noexcept {
    if (n > 32) {
        std::memcpy(output, data, n);
    } else if (n >= 16) {
        std::memcpy(output, data, 16);
        std::memcpy(output + n - 16, data + n - 16, 16);
    } else if (n >= 8) {
        std::memcpy(output, data, 8);
        std::memcpy(output + n - 8, data + n - 8, 8);
    } else if (n >= 4) {
        std::memcpy(output, data, 4);
        std::memcpy(output + n - 4, data + n - 4, 4);
    } else if (n > 0) {
        output[0] = data[0];
        output[n / 2] = data[n / 2];
        output[n - 1] = data[n - 1];
    }
}

}  // namespace sdp::wire

#endif  // SDP_TEXT_HPP
