/// Addresses of the mesh, which name agents instead of places [MESH-3.1].
#ifndef MXP_NET_MESH_ADDRESS_HPP
#define MXP_NET_MESH_ADDRESS_HPP

#include <string>
#include <string_view>

#include "../engine/failure_text.hpp"
#include "../session/mxp_registry.hpp"
#include "failure.hpp"

namespace mxp::net::detail {

/// The beginning of addresses of the mesh.
inline constexpr std::string_view mesh_prefix = "mesh:///";

/// Whether a text is meant to be an address of the mesh.
[[nodiscard]] inline bool names_agents(std::string_view text) noexcept {
    return text.substr(0, mesh_prefix.size()) == mesh_prefix;
}

/// Whether a text can be a name, or a capability [MESH-2.1].
[[nodiscard]] inline bool is_agent_name(std::string_view text) noexcept {
    constexpr std::size_t longest = 128;
    bool is_begun = false;
    for (const char c : text) {
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (c == '.' && is_begun) {
            is_begun = false;
        } else if (is_letter || (c >= '0' && c <= '9') || c == '-' || c == '_') {
            is_begun = true;
        } else {
            return false;
        }
    }
    return is_begun && text.size() <= longest;
}

/// The agents that an address names: `mesh:///name`, or `mesh:///?capability=c&service=s`.
[[nodiscard]] inline outcome<registry::Query> agents_named(std::string_view text) {
    const auto refused = [&](std::string_view why) {
        return failed_outcome{
            engine::no_address("\"" + std::string{text} + "\" " + std::string{why})};
    };
    registry::Query named;
    std::string_view rest = text.substr(mesh_prefix.size());
    const bool has_words = !rest.empty() && rest.front() == '?';
    if (has_words) {
        rest.remove_prefix(1);
    }
    while (true) {
        const std::size_t end = has_words ? rest.find('&') : std::string_view::npos;
        const std::string_view word = rest.substr(0, end);
        const std::size_t middle = has_words ? word.find('=') : std::string_view::npos;
        const std::string_view key = has_words ? word.substr(0, middle) : "name";
        const std::string_view value = !has_words                         ? word
                                       : middle == std::string_view::npos ? std::string_view{}
                                                                          : word.substr(middle + 1);
        std::string* const into = key == "capability" ? &named.capability
                                  : key == "service"  ? &named.service
                                  : key == "name"     ? &named.name
                                                      : nullptr;
        if (into == nullptr) {
            return refused("asks for something that is none of capability, service and name");
        }
        if (!into->empty()) {
            return refused("says something twice");
        }
        if (!is_agent_name(value)) {
            return refused("has no name as " + std::string{key} +
                           ": parts of letters, digits, - and _, with a dot between two, up to 128 "
                           "bytes");
        }
        into->assign(value);
        if (end == std::string_view::npos) {
            return named;
        }
        rest.remove_prefix(end + 1);
    }
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_MESH_ADDRESS_HPP
