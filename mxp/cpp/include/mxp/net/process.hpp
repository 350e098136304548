/// Programs of this machine.
#ifndef MXP_NET_PROCESS_HPP
#define MXP_NET_PROCESS_HPP

#include <sys/types.h>

#include <optional>

namespace mxp::net {

/// A running program of this machine, as far as the system tells.
struct process {
    std::optional<uid_t> user{};
    std::optional<gid_t> group{};
    std::optional<pid_t> id{};
};

}  // namespace mxp::net

#endif  // MXP_NET_PROCESS_HPP
