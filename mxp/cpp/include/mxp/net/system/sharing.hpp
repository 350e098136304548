/// Terms of memory that two processes share, which are the same on every system.
#ifndef MXP_NET_SYSTEM_SHARING_HPP
#define MXP_NET_SYSTEM_SHARING_HPP

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
enum class awaited : std::uint8_t { bytes, room };

/// Why the memory of a peer is not mapped: it is not what it must be, or the system does not map
/// it.
struct map_failure {
    bool is_unfit = false;
    std::string why{};
};

inline constexpr const char* no_memory = "this system has no memory that can be shared and sealed";

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_SYSTEM_SHARING_HPP
