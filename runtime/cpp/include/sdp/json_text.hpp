/// The tokens of canonical JSON: strings, bytes and numbers.
#ifndef SDP_JSON_TEXT_HPP
#define SDP_JSON_TEXT_HPP

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "span.hpp"

namespace sdp::wire::json_text {

/// Appends an integer, in base 10 if not told otherwise.
template <class Integer>
void append_integer(std::string& text, Integer value, int base = 10) {
    std::array<char, 24> digits;
    char* const end = digits.data() + digits.size();
    text.append(digits.data(), std::to_chars(digits.data(), end, value, base).ptr);
}

inline void append_escape(std::string& text, char escaped) {
    text.push_back('\\');
    switch (escaped) {
    case '"':
    case '\\':
        text.push_back(escaped);
        return;
    case '\b':
        text.push_back('b');
        return;
    case '\f':
        text.push_back('f');
        return;
    case '\n':
        text.push_back('n');
        return;
    case '\r':
        text.push_back('r');
        return;
    case '\t':
        text.push_back('t');
        return;
    default:
        text.append(escaped < 0x10 ? "u000" : "u00");
        append_integer(text, static_cast<unsigned>(escaped), 16);
    }
}

/// Appends a string that is UTF-8 [JSON-3.1].
inline void append_string(std::string& text, std::string_view value) {
    text.push_back('"');
    std::size_t plain = 0;  // What is not appended yet starts here.
    for (std::size_t i = 0; i < value.size(); ++i) {
        const char c = value[i];
        if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') {
            text.append(value.substr(plain, i - plain));
            append_escape(text, c);
            plain = i + 1;
        }
    }
    text.append(value.substr(plain)).push_back('"');
}

/// Appends bytes in base64 [JSON-3.2].
inline void append_bytes(std::string& text, bytes_view bytes) {
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t n = bytes.size();
    text.reserve(text.size() + n / 3 * 4 + 6);
    text.push_back('"');
    for (std::size_t i = 0; i < n; i += 3) {
        const auto at = [&](std::size_t place) {
            return place < n ? std::to_integer<unsigned>(bytes[place]) : 0;
        };
        const unsigned group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
        text.push_back(alphabet[group >> 18]);
        text.push_back(alphabet[group >> 12 & 0x3f]);
        text.push_back(i + 1 < n ? alphabet[group >> 6 & 0x3f] : '=');
        text.push_back(i + 2 < n ? alphabet[group & 0x3f] : '=');
    }
    text.push_back('"');
}

/// Lays a finite float out as ECMAScript does [JSON-2.4]. Its shortest digits come as `d.ddde+dd`.
inline void append_finite(std::string& text, std::string_view shortest) {
    if (shortest.front() == '-') {
        text.push_back('-');
        shortest.remove_prefix(1);
    }
    const std::size_t end = shortest.find('e');
    const std::string_view mantissa = shortest.substr(0, end);
    const std::string_view rest = mantissa.substr(mantissa.size() < 2 ? 1 : 2);
    std::size_t exponent = 0;
    for (const char digit : shortest.substr(end + 2)) {
        exponent = exponent * 10 + static_cast<std::size_t>(digit - '0');
    }
    const bool is_small = shortest[end + 1] == '-';
    if (exponent > (is_small ? 6 : 20)) {
        text.append(mantissa).append(is_small ? "e-" : "e+");
        append_integer(text, exponent);
    } else if (is_small) {
        text.append("0.").append(exponent - 1, '0').push_back(mantissa.front());
        text.append(rest);
    } else {
        text.push_back(mantissa.front());
        text.append(rest.substr(0, exponent));
        if (rest.size() > exponent) {
            text.append(".").append(rest.substr(exponent));
        } else {
            text.append(exponent - rest.size(), '0');
        }
    }
}

/// Appends a float [JSON-2.4] to [JSON-2.6]. It is looked at in memory until it is known to be
/// finite: some machines change a NaN when they move it as a float.
template <class Float>
void append_float(std::string& text, const Float& value) {
    static_assert(std::numeric_limits<Float>::is_iec559);
    using number = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
    constexpr int mantissa = std::numeric_limits<Float>::digits - 1;
    constexpr number sign = number{1} << (8 * sizeof(Float) - 1);
    constexpr number infinity = sign - (number{1} << mantissa);
    constexpr number plain_nan = infinity | number{1} << (mantissa - 1);
    number bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    const number magnitude = bits & (sign - 1);
    if (magnitude < infinity) {
        std::array<char, 32> digits;
        char* const end = digits.data() + digits.size();
        const auto last = std::to_chars(digits.data(), end, value, std::chars_format::scientific);
        append_finite(text, {digits.data(), static_cast<std::size_t>(last.ptr - digits.data())});
    } else if (magnitude == infinity) {
        text.append(bits == infinity ? "\"Infinity\"" : "\"-Infinity\"");
    } else if (bits == plain_nan) {
        text.append("\"NaN\"");
    } else {
        // The first digit is a 7 or an f, so that none is missing.
        text.append("\"NaN:");
        append_integer(text, bits, 16);
        text.push_back('"');
    }
}

}  // namespace sdp::wire::json_text

#endif  // SDP_JSON_TEXT_HPP
