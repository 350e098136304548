/// The addresses that there are transports for.
#ifndef MXP_NET_ADDRESSES_HPP
#define MXP_NET_ADDRESSES_HPP

#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "address_forms.hpp"
#include "system/features.hpp"
#include "transport/schemes.hpp"
#include "transports.hpp"

namespace mxp::net {

std::string to_string(const address& address) {
    const std::string start = "mxp+" + address.scheme + "://";
    if (address.host.empty() && !address.path.empty()) {
        return start + address.path;
    }
    const bool is_bracketed = address.host.find(':') != std::string::npos;
    return start + (is_bracketed ? "[" + address.host + "]" : address.host) + ":" + address.port +
           address.path;
}

void register_transport(std::string scheme, std::shared_ptr<transport> transport) {
    constexpr std::string_view known = "abcdefghijklmnopqrstuvwxyz0123456789";
    if (scheme.empty() || scheme.find_first_not_of(known) != std::string::npos ||
        transport == nullptr) {
        throw std::invalid_argument{"no transport can have the scheme \"" + scheme + "\""};
    }
    detail::transports::registered().add(std::move(scheme), std::move(transport));
}

std::shared_ptr<transport> detail::find_transport(std::string_view scheme) {
    return transports::registered().find(scheme);
}

namespace detail {

/// The scheme of an address, and what stands behind `://`.
struct address_parts {
    std::string_view scheme{};
    std::string_view place{};
};
[[nodiscard]] inline std::optional<address_parts> parts_of(std::string_view text) {
    constexpr std::string_view start = "mxp+";
    const std::size_t end = text.find("://");
    if (end == std::string_view::npos || text.substr(0, start.size()) != start) {
        return std::nullopt;
    }
    return address_parts{text.substr(start.size(), end - start.size()), text.substr(end + 3)};
}

}  // namespace detail

std::optional<address> parse_address(std::string_view text) {
    const auto parts = detail::parts_of(text);
    const auto by = parts ? detail::find_transport(parts->scheme) : nullptr;
    return by == nullptr ? std::nullopt
                         : detail::read_address(parts->scheme, by->form(), parts->place);
}

std::string no_address_text(std::string_view text) {
    const auto parts = detail::parts_of(text);
    std::string said = "\"" + std::string{text} + "\" is not ";
    const bool is_lacked = parts && detail::find_transport(parts->scheme) == nullptr;
    const bool is_pipe = is_lacked && parts->scheme == detail::pipe_scheme;
    if (is_pipe || (is_lacked && detail::depends_on_system(parts->scheme))) {
        said.append("available on ").append(detail::system_name);
        return said + (is_pipe ? ": named pipes belong to Windows"
                               : ": mxp+pipe, mxp+shm, mxp+tcp and mxp+tls are");
    }
    return said + detail::transports::registered().looks();
}

std::string node_address(std::string_view text) {
    const auto said = [](const char* name) {
        const char* const value = std::getenv(name);
        return std::string{value == nullptr ? "" : value};
    };
    if (!text.empty()) {
        return std::string{text};
    }
    if (std::string at = said("MXP_MESH"); !at.empty()) {
        return at;
    }
#if MXP_HAS_PIPES
    return "mxp+" + std::string{detail::pipe_scheme} + "://sdp-mesh";
#else
    const std::string folder = said("XDG_RUNTIME_DIR");
    address at;
    at.scheme = unix_scheme;
    at.path = (folder.empty() ? "/run" : folder) + "/sdp-mesh/node.sock";
    return to_string(at);
#endif
}

}  // namespace mxp::net

#endif  // MXP_NET_ADDRESSES_HPP
