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
[[nodiscard]] inline bool is_alike(std::string_view first, std::string_view second) {
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return std::equal(first.begin(), first.end(), second.begin(), second.end(),
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

/// Whether a name is `localhost`, or one under it.
[[nodiscard]] inline bool is_localhost(std::string_view name) {
    constexpr std::string_view top = "localhost";
    if (name.size() < top.size() || !is_alike(name.substr(name.size() - top.size()), top)) {
        return false;
    }
    name.remove_suffix(top.size());
    char before = '.';
    for (const char c : name) {
        if (c == '.' ? before == '.' : !is_letter_or_digit(c) && c != '-' && c != '_') {
            return false;
        }
        before = c;
    }
    return name.empty() || (name.front() != '.' && before == '.');
}

/// Whether a host, with or without a port, is a literal loopback address, or a name that browsers
/// take for one.
[[nodiscard]] inline bool is_loopback(std::string_view host) {
    const std::string_view name = bare(host);
    const bool is_bracketed = host.substr(0, 1) == "[";
    std::error_code failed;
    const auto address = asio::ip::make_address(std::string{name}, failed);
    if (failed) {
        return !is_bracketed && is_localhost(name);
    }
    return name.find('%') == name.npos && address.is_loopback() && address.is_v6() == is_bracketed;
}

}  // namespace mxp::net::detail::ws

#endif  // MXP_NET_TRANSPORT_WEBSOCKET_AUTHORITY_HPP
