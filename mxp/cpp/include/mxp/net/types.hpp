/// The types that services reach, by what tells whether two sides mean the same by them.
#ifndef MXP_NET_TYPES_HPP
#define MXP_NET_TYPES_HPP

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../session/config.hpp"
#include "request.hpp"
#include "sdp/layout_part.hpp"

namespace mxp::net {

/// Adds types to others, each once, in ascending order of names [MXP-13.3]. Of two of one name the
/// one stays that was there, with the methods of both.
void add_types(std::vector<session::type>& types, std::vector<session::type> more);

/// The description of a generated type to a peer.
template <class T>
[[nodiscard]] session::type type_of() {
    using codec = typename T::sdp_codec;
    return {std::string{codec::name},
            {codec::fingerprints.begin(), codec::fingerprints.end()},
            sdp::layout<T>()};
}

/// The descriptions of generated types to a peer, in the order that it is told them.
template <class... T>
[[nodiscard]] std::vector<session::type> types_of() {
    std::vector<session::type> made;
    add_types(made, {type_of<T>()...});
    return made;
}

/// Adds the types of a method's requests and responses; an event has no response.
template <class Request, class Response = void>
void add_method(std::vector<session::type>& types, const method& method) {
    const session::method_name name{std::string{method.service}, method.number,
                                    std::string{method.name}};
    session::type request = type_of<Request>();
    request.requests.push_back(name);
    add_types(types, {std::move(request)});
    if constexpr (!std::is_void_v<Response>) {
        session::type response = type_of<Response>();
        response.responses.push_back(name);
        add_types(types, {std::move(response)});
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_TYPES_HPP
