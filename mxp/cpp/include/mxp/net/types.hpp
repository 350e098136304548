/// What services reach, by what tells whether two sides mean the same by it.
#ifndef MXP_NET_TYPES_HPP
#define MXP_NET_TYPES_HPP

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "../session.hpp"

namespace mxp::net {

/// Adds types to others, each once, in ascending order of names [MXP-13.3]. Of two of one name the
/// one stays that was there.
inline void add_types(std::vector<session::type>& to, std::vector<session::type> more) {
    for (session::type& one : more) {
        const auto at = std::lower_bound(
            to.begin(), to.end(), one.name,
            [](const session::type& a, const std::string& name) { return a.name < name; });
        if (at == to.end() || at->name != one.name) {
            to.insert(at, std::move(one));
        }
    }
}

/// What a generated type is to a peer.
template <class T>
[[nodiscard]] session::type type_of() {
    using codec = typename T::sdp_codec;
    return {std::string{codec::name},
            {codec::fingerprints.begin(), codec::fingerprints.end()},
            std::string{codec::layout}};
}

/// What generated types are to a peer, in the order that it is told them.
template <class... T>
[[nodiscard]] std::vector<session::type> types_of() {
    std::vector<session::type> made;
    add_types(made, {type_of<T>()...});
    return made;
}

}  // namespace mxp::net

#endif  // MXP_NET_TYPES_HPP
