/// Programs of this machine.
#ifndef MXP_NET_PROCESS_HPP
#define MXP_NET_PROCESS_HPP

#include <optional>

#include "system/identity.hpp"

namespace mxp::net {

/// A running program of this machine, as far as the system tells.
struct process {
    std::optional<user_id> user{};
    std::optional<group_id> group{};
    std::optional<process_id> id{};
};

}  // namespace mxp::net

#endif  // MXP_NET_PROCESS_HPP
