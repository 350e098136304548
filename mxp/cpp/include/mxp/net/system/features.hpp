/// The abilities of this system.
#ifndef MXP_NET_SYSTEM_FEATURES_HPP
#define MXP_NET_SYSTEM_FEATURES_HPP

// Unix sockets whose peers the system identifies, with shared memory and channels above them.
// Windows has such sockets, but tells no server which user has connected.
#if defined(_WIN32)
#define MXP_HAS_UNIX_SOCKETS 0
#else
#define MXP_HAS_UNIX_SOCKETS 1
#endif

namespace mxp::net::detail {

/// This system as people call it.
#if defined(_WIN32)
inline constexpr const char* system_name = "Windows";
#elif defined(__linux__)
inline constexpr const char* system_name = "Linux";
#else
inline constexpr const char* system_name = "this system";
#endif

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_FEATURES_HPP
