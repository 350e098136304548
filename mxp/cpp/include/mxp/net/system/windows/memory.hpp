/// The memory of a machine of Windows.
#ifndef MXP_NET_SYSTEM_WINDOWS_MEMORY_HPP
#define MXP_NET_SYSTEM_WINDOWS_MEMORY_HPP

#include "windows.hpp"

#include <cstdint>
#include <limits>

namespace mxp::net::detail {

/// The bytes of this machine's memory.
[[nodiscard]] inline std::uint64_t machine_memory() {
    MEMORYSTATUSEX found{};
    found.dwLength = sizeof found;
    return ::GlobalMemoryStatusEx(&found) != 0 ? found.ullTotalPhys
                                               : (std::numeric_limits<std::uint64_t>::max)();
}

/// The allocator of Windows gives memory back by itself.
inline void trim_memory() {}

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_WINDOWS_MEMORY_HPP
