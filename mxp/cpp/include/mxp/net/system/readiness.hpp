/// The result of a wait for a socket.
#ifndef MXP_NET_SYSTEM_READINESS_HPP
#define MXP_NET_SYSTEM_READINESS_HPP

namespace mxp::net::detail {

struct readiness {
    bool is_there = false;
    /// Whether there are bytes, or the end of the connection.
    bool has_bytes = false;
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_READINESS_HPP
