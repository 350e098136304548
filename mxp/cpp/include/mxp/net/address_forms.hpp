/// The forms of addresses.
#ifndef MXP_NET_ADDRESS_FORMS_HPP
#define MXP_NET_ADDRESS_FORMS_HPP

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "address.hpp"

namespace mxp::net::detail {

/// The form of addresses, for a message about an address without it.
[[nodiscard]] inline std::string_view look_of(address_form form) noexcept {
    return form == address_form::path            ? "/path"
           : form == address_form::name          ? "name"
           : form == address_form::host_and_port ? "host:port"
                                                 : "host:port/path";
}

/// Whether a text can be the path of a request of HTTP, which has no query and no fragment.
[[nodiscard]] inline bool is_request_path(std::string_view text) noexcept {
    const auto is_digit = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool is_cut = byte == '%' && (i + 2 >= text.size() || !is_digit(text[i + 1]) ||
                                            !is_digit(text[i + 2]));
        if (byte <= ' ' || byte == 0x7F || byte == '?' || byte == '#' || is_cut) {
            return false;
        }
    }
    return true;
}

/// Whether a text can be the name of a pipe [MXP-21.1].
[[nodiscard]] inline bool is_pipe_name(std::string_view text) noexcept {
    constexpr std::string_view known =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return !text.empty() && text.size() <= 200 &&
           text.find_first_not_of(known) == std::string_view::npos;
}

/// Reads what stands behind `://`; there is none if it has another form.
[[nodiscard]] inline std::optional<address> read_address(std::string_view scheme, address_form form,
                                                         std::string_view text) {
    if (form == address_form::path || form == address_form::name) {
        const bool is_path = form == address_form::path ? text.size() >= 2 && text.front() == '/'
                                                        : is_pipe_name(text);
        return is_path ? std::optional{address{std::string{scheme}, std::string{text}, {}, {}}}
                       : std::nullopt;
    }
    std::string_view path;
    if (form == address_form::host_port_and_path) {
        if (!is_request_path(text)) {
            return std::nullopt;
        }
        const std::size_t end = std::min(text.find('/'), text.size());
        path = end == text.size() ? "/" : text.substr(end);
        text = text.substr(0, end);
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
    return address{std::string{scheme}, std::string{path}, std::string{host}, std::string{port}};
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_ADDRESS_FORMS_HPP
