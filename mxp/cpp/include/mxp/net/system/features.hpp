/// The abilities of this system.
#ifndef MXP_NET_SYSTEM_FEATURES_HPP
#define MXP_NET_SYSTEM_FEATURES_HPP

// Unix sockets whose peers the system identifies. Windows has such sockets, but tells no server
// which user has connected.
#if defined(_WIN32)
#define MXP_HAS_UNIX_SOCKETS 0
#else
#define MXP_HAS_UNIX_SOCKETS 1
#endif

// Named pipes, which belong to Windows.
#if defined(_WIN32)
#define MXP_HAS_PIPES 1
#else
#define MXP_HAS_PIPES 0
#endif

// Memory that two processes share and only its owner writes, and numbers of 64 bits that are read
// without being written: on 32 bits some processors can't.
#if (defined(__linux__) && defined(__LP64__)) || defined(_WIN64)
#define MXP_HAS_SHM 1
#else
#define MXP_HAS_SHM 0
#endif

namespace mxp::net::detail {

/// This system as people call it.
#if defined(_WIN32)
inline constexpr const char* system_name = "Windows";
#elif defined(__APPLE__)
inline constexpr const char* system_name = "macOS";
#elif defined(__linux__)
inline constexpr const char* system_name = "Linux";
#else
inline constexpr const char* system_name = "this system";
#endif

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_FEATURES_HPP
