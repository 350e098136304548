/// The memory of a machine of POSIX.
#ifndef MXP_NET_SYSTEM_POSIX_MEMORY_HPP
#define MXP_NET_SYSTEM_POSIX_MEMORY_HPP

#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>

namespace mxp::net::detail {

/// The bytes of this machine's memory, or of the control group's.
[[nodiscard]] inline std::uint64_t machine_memory() {
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
#if defined(_SC_PHYS_PAGES)
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long size = ::sysconf(_SC_PAGESIZE);
    if (pages > 0 && size > 0) {
        most = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
    }
#endif
    for (const char* const file :
         {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::uint64_t bound = 0;
        if (std::ifstream{file} >> bound && bound > 0) {
            most = std::min(most, bound);
        }
    }
    return most;
}

/// Gives memory back to the system that the allocator keeps.
inline void trim_memory() {
#if defined(__GLIBC__)
    ::malloc_trim(0);
#endif
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_POSIX_MEMORY_HPP
