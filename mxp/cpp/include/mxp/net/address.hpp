/// Where a peer is.
#ifndef MXP_NET_ADDRESS_HPP
#define MXP_NET_ADDRESS_HPP

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace mxp::net {

/// The carrier of frames.
enum class carrier : std::uint8_t { unix_socket, tcp, tls };

/// An address, as `mxp+unix:///path`, `mxp+tcp://host:port` or `mxp+tls://host:port` says it.
struct address {
    net::carrier carrier{};
    /// Of a unix socket.
    std::string path{};
    std::string host{};
    std::string port{};
};

/// Reads an address; there is none if the text is none.
[[nodiscard]] inline std::optional<address> parse_address(std::string_view text) {
    const auto has = [&](std::string_view start) {
        const bool found = text.substr(0, start.size()) == start;
        if (found) {
            text.remove_prefix(start.size());
        }
        return found;
    };
    if (has("mxp+unix://")) {
        if (text.size() < 2 || text.front() != '/') {
            return std::nullopt;
        }
        return address{carrier::unix_socket, std::string{text}, {}, {}};
    }
    const bool is_tls = has("mxp+tls://");
    if (!is_tls && !has("mxp+tcp://")) {
        return std::nullopt;
    }
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
        return std::nullopt;
    }
    std::string_view host = text.substr(0, colon);
    const std::string_view port = text.substr(colon + 1);
    const bool is_bracketed = host.front() == '[' && host.back() == ']';
    if (is_bracketed) {
        host = host.substr(1, host.size() - 2);
    }
    std::uint16_t number = 0;
    const char* const end = port.data() + port.size();
    const auto read = std::from_chars(port.data(), end, number);
    if (host.empty() || read.ec != std::errc{} || read.ptr != end ||
        (!is_bracketed && host.find_first_of(":/") != host.npos)) {
        return std::nullopt;
    }
    return address{is_tls ? carrier::tls : carrier::tcp, {}, std::string{host}, std::string{port}};
}

/// The address as a text.
[[nodiscard]] inline std::string to_string(const address& of) {
    if (of.carrier == carrier::unix_socket) {
        return "mxp+unix://" + of.path;
    }
    const bool is_bracketed = of.host.find(':') != std::string::npos;
    return std::string{of.carrier == carrier::tls ? "mxp+tls://" : "mxp+tcp://"} +
           (is_bracketed ? "[" + of.host + "]" : of.host) + ":" + of.port;
}

/// Why a text is no address.
[[nodiscard]] inline std::string no_address_text(std::string_view text) {
    return "\"" + std::string{text} +
           "\" is not mxp+unix:///path, mxp+tcp://host:port or mxp+tls://host:port";
}

namespace detail {

/// An address to connect to, if its text is one.
struct destination {
    std::optional<address> at;
    std::string text;
};

/// The destinations of a client: at least one, which may be none.
[[nodiscard]] inline std::vector<destination>
destinations(const std::vector<std::string>& addresses) {
    std::vector<destination> made;
    for (const std::string& one : addresses) {
        made.push_back({parse_address(one), one});
    }
    if (made.empty()) {
        made.push_back({std::nullopt, {}});
    }
    return made;
}

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_ADDRESS_HPP
