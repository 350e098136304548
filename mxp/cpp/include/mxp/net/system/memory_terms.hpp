/// Terms of memory that two processes share, which are the same on every system.
#ifndef MXP_NET_SYSTEM_MEMORY_TERMS_HPP
#define MXP_NET_SYSTEM_MEMORY_TERMS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "features.hpp"

namespace mxp::net::detail::shm {

/// The handles that an offer has in it: of a section and two events on Windows [MXP-18.20]. A
/// descriptor comes beside its bytes.
inline constexpr std::size_t handles_of_offer = MXP_HAS_PIPES ? 3 : 0;
using offer_handles = std::array<std::uint32_t, handles_of_offer>;

/// The reason for which a side waits.
enum class wait_reason : std::uint8_t { bytes, room };

/// The fault of memory that is not mapped.
enum class map_fault : std::uint8_t {
    /// It is not what it must be.
    unfit,
    /// The system does not map it.
    refused,
    /// The peer is gone, and its handles with it.
    gone,
};

/// Why the memory of a peer is not mapped.
struct map_failure {
    map_fault what = map_fault::unfit;
    std::string why{};
};

inline constexpr const char* peer_closed = "the peer has closed the connection";
inline constexpr const char* no_memory = "this system has no memory that can be shared and sealed";

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_SYSTEM_MEMORY_TERMS_HPP
