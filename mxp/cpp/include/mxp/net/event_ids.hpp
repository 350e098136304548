/// Ids of durable events.
#ifndef MXP_NET_EVENT_IDS_HPP
#define MXP_NET_EVENT_IDS_HPP

#include <cstdint>
#include <random>
#include <string>

namespace mxp::net::detail {

/// An id that no other event has. The node takes an event whose id it knows for one that was
/// published before.
[[nodiscard]] inline std::string new_event_id() {
    std::random_device any;
    std::string id;
    while (id.size() < 32) {
        for (std::uint32_t bits = any(), n = 0; n < 8; ++n, bits >>= 4U) {
            id += "0123456789abcdef"[bits % 16];
        }
    }
    return id;
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_EVENT_IDS_HPP
