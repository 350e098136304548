/// The forms of addresses.
#ifndef MXP_NET_ADDRESS_FORMS_HPP
#define MXP_NET_ADDRESS_FORMS_HPP

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "address.hpp"

namespace mxp::net::detail {

/// How addresses of a form look, for those who are told that theirs does not.
[[nodiscard]] inline std::string_view look_of(address_form form) noexcept {
    return form == address_form::path ? "/path" : "host:port";
}

/// Reads what stands behind `://`; there is none if it has another form.
[[nodiscard]] inline std::optional<address> read_address(std::string_view scheme, address_form form,
                                                         std::string_view text) {
    if (form == address_form::path) {
        const bool is_path = text.size() >= 2 && text.front() == '/';
        return is_path ? std::optional{address{std::string{scheme}, std::string{text}, {}, {}}}
                       : std::nullopt;
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
    return address{std::string{scheme}, {}, std::string{host}, std::string{port}};
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_ADDRESS_FORMS_HPP
