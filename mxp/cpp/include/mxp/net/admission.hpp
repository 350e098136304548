/// Peers that are not let in.
#ifndef MXP_NET_ADMISSION_HPP
#define MXP_NET_ADMISSION_HPP

#include <optional>
#include <string>

#include "failure.hpp"
#include "peer.hpp"
#include "system/user.hpp"

namespace mxp::net::detail {

/// Why a peer is not let in by a server that has no rule of its own, where the system tells whose
/// program it is: only the same user's may connect.
[[nodiscard]] inline std::optional<failure> admit_same_user(const peer& peer) {
    failure why;
    if (!peer.process || !peer.process->user) {
        why.text = "the system does not tell the peer's user";
    } else if (peer.process->user != own_user()) {
        why.text = "the peer runs as user " + text_of_user(*peer.process->user);
    } else {
        return std::nullopt;
    }
    return why;
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_ADMISSION_HPP
