/// The schemes of transports that not every system has.
#ifndef MXP_NET_TRANSPORT_SCHEMES_HPP
#define MXP_NET_TRANSPORT_SCHEMES_HPP

#include <string_view>

namespace mxp::net {

/// The scheme of unix sockets.
inline constexpr std::string_view unix_scheme = "unix";

namespace detail {

/// The scheme of shared memory.
inline constexpr std::string_view shm_scheme = "shm";

/// The scheme of named pipes.
inline constexpr std::string_view pipe_scheme = "pipe";

/// Whether a transport without which there is none of a scheme is one that the system lacks.
[[nodiscard]] constexpr bool depends_on_system(std::string_view scheme) noexcept {
    return scheme == unix_scheme;
}

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_TRANSPORT_SCHEMES_HPP
