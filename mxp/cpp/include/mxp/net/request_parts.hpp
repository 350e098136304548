/// Options and metadata of requests, as connections have them.
#ifndef MXP_NET_REQUEST_PARTS_HPP
#define MXP_NET_REQUEST_PARTS_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "request.hpp"
#include "transport/shm/offer.hpp"

namespace mxp::net {

/// Metadata as a session takes them.
[[nodiscard]] inline std::vector<session::metadatum> refer(const metadata& entries) {
    std::vector<session::metadatum> made(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        made[i].key = entries[i].first;
        made[i].value = entries[i].second;
    }
    return made;
}

namespace detail {

/// The key of the metadata that is W3C's tracestate, and how long one may be to be passed on.
inline constexpr std::string_view tracestate = "tracestate";
inline constexpr std::size_t tracestate_bytes = 512;

/// The fault of limits, the window of streams and rings, if there is one.
template <class Options>
[[nodiscard]] std::optional<std::string> wrong_options(const Options& options) {
    if (options.window == 0) {
        return "window is 0, and has to be more";
    }
    if (!shm::is_ring(options.shm.ring_bytes)) {
        return "shm.ring_bytes is " + std::to_string(options.shm.ring_bytes) +
               ", and has to be a power of two from " + std::to_string(shm::ring_least) + " to " +
               std::to_string(shm::ring_most);
    }
    return session::wrong_limit(options.payload_bytes, options.limits);
}

/// Metadata in memory of its own.
[[nodiscard]] inline metadata owned(session::metadata_view view) {
    metadata made;
    for (const auto& one : view) {
        made.emplace_back(one.key(),
                          std::vector<std::byte>{one.value().begin(), one.value().end()});
    }
    return made;
}

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_REQUEST_PARTS_HPP
