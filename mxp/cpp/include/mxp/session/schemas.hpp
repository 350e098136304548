/// The state of a session that tells types from the peer's [MXP-6.5 to MXP-6.8].
#ifndef MXP_SESSION_SCHEMAS_HPP
#define MXP_SESSION_SCHEMAS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "config.hpp"

namespace mxp::session {

/// A method that is refused, since its request or its response is of a type that the two sides
/// can't exchange.
struct difference {
    method_name method{};
    /// Whether this side serves it; else the peer does.
    bool is_served = false;
    /// Where the types differ first.
    std::string text{};
};

namespace detail {

/// A type that is not compatible with the peer's type of its name.
struct clash {
    const type* own = nullptr;
    /// Whether both sides gave the hash of the layout: the joint text has the type.
    bool is_hashed = false;
    /// Whether one list of fingerprints begins with the other.
    bool is_alike = false;
    /// The layout text as it was sent, where the joint text has not the type.
    std::string_view text{};
    /// Why this side does not read what the peer writes.
    std::string inward{};
    /// Why the peer does not read what this side writes.
    std::string outward{};
};

/// A method of a service, by whether this side serves it, and by numbers.
using target = std::tuple<bool, std::uint16_t, std::uint16_t>;

/// The numbers of services, by their names.
using positions = std::map<std::string_view, std::uint16_t>;

/// The services of the two sides.
struct shared_services {
    positions served{};
    positions used{};

    /// Whether the peer may learn how a type is laid out: a service that either side serves
    /// reaches it, or nobody knows [MXP-6.5].
    [[nodiscard]] bool concern(const type& type) const {
        const auto is_shared = [&](const method_name& method) {
            return served.count(method.service) + used.count(method.service) > 0;
        };
        return type.requests.size() + type.responses.size() == 0 ||
               std::any_of(type.requests.begin(), type.requests.end(), is_shared) ||
               std::any_of(type.responses.begin(), type.responses.end(), is_shared);
    }
};

/// The types that differ from the peer's, and the methods that are refused for them.
struct schemas {
    std::vector<clash> clashes{};
    /// The joint layout text as it was sent.
    std::string joint{};
    /// The payload of the peer's Hello, where the session was not ready at once.
    std::vector<std::byte> hello{};
    std::vector<difference> differences{};
    /// Their places.
    std::map<target, std::size_t> refusals{};
    /// Types of which fingerprints alone are compared, by their names.
    std::vector<std::string> uncompared{};
};

}  // namespace detail

}  // namespace mxp::session

#endif  // MXP_SESSION_SCHEMAS_HPP
