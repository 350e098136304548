/// Paths and hosts, as requests of HTTP name them.
#ifndef MXP_NET_TRANSPORT_WEBSOCKET_AUTHORITY_HPP
#define MXP_NET_TRANSPORT_WEBSOCKET_AUTHORITY_HPP

#include <algorithm>
#include <asio/ip/address.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace mxp::net::detail::ws {

[[nodiscard]] constexpr bool is_letter_or_digit(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// A path as a request has it: of characters that stand in none, their bytes in hexadecimal.
[[nodiscard]] inline std::string escaped(std::string_view path) {
    constexpr std::string_view known = "-._~!$&'()*+,;=:@/%";
    constexpr char digits[] = "0123456789ABCDEF";
    std::string made;
    for (const char c : path) {
        if (is_letter_or_digit(c) || known.find(c) != known.npos) {
            made += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            made += {'%', digits[byte >> 4U], digits[byte & 15U]};
        }
    }
    return made;
}

/// Whether texts are the same but for the cases of letters of ASCII.
[[nodiscard]] inline bool is_alike(std::string_view one, std::string_view other) {
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [&](char a, char b) { return lower(a) == lower(b); });
}

/// A host without its port and brackets.
[[nodiscard]] inline std::string_view bare(std::string_view host) {
    const std::size_t colon = host.rfind(':');
    const bool has_port =
        colon != host.npos && host.find_first_not_of("0123456789", colon + 1) == host.npos;
    const std::string_view name = has_port ? host.substr(0, colon) : host;
    if (host.substr(0, 1) == "[") {
        const bool is_whole = name.size() >= 2 && name.back() == ']';
        return is_whole ? name.substr(1, name.size() - 2) : host;
    }
    return name.find(':') == name.npos ? name : host;
}

/// Whether a host, with or without a port, is a literal loopback address.
[[nodiscard]] inline bool is_loopback(std::string_view host) {
    const std::string_view name = bare(host);
    std::error_code failed;
    const auto address = asio::ip::make_address(std::string{name}, failed);
    return !failed && name.find('%') == name.npos && address.is_loopback();
}

}  // namespace mxp::net::detail::ws

#endif  // MXP_NET_TRANSPORT_WEBSOCKET_AUTHORITY_HPP
