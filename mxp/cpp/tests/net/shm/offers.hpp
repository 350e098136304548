/// Offers of memory as their bytes, and where the numbers are in memory.
#ifndef MXP_TESTS_NET_SHM_OFFERS_HPP
#define MXP_TESTS_NET_SHM_OFFERS_HPP

#include <array>
#include <cstddef>

#include "../running.hpp"
#include "mxp/net/transport/shm/memory.hpp"
#include "mxp/session.hpp"

namespace sharing {

namespace net = mxp::net;
namespace ms = mxp::session;
using offer_bytes = std::array<unsigned char, 32>;

constexpr std::size_t ring = 4096;
constexpr std::size_t size = 4096 + ring;
constexpr std::size_t at_written = 64;
constexpr std::size_t at_ended = 72;
constexpr std::size_t at_taken = 128;
constexpr std::size_t at_awaits_bytes = 192;

/// An offer of memory whose ring has the least size.
[[nodiscard]] inline offer_bytes an_offer() {
    offer_bytes made{'M', 'X', 'P', 'S', 1};
    made[9] = ring / 256;
    return made;
}

}  // namespace sharing

#endif  // MXP_TESTS_NET_SHM_OFFERS_HPP
