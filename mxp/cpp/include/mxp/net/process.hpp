/// Programs of this machine.
#ifndef MXP_NET_PROCESS_HPP
#define MXP_NET_PROCESS_HPP

#if defined(_WIN32)
#include <cstdint>
#include <string>
#else
#include <sys/types.h>
#endif

#include <optional>

namespace mxp::net {

/// A running program of this machine, as far as the system tells.
struct process {
#if defined(_WIN32)
    /// A security identifier as a text: `S-1-5-18`.
    std::optional<std::string> user{};
    std::optional<std::string> group{};
    std::optional<std::uint32_t> id{};
#else
    std::optional<uid_t> user{};
    std::optional<gid_t> group{};
    std::optional<pid_t> id{};
#endif
};

}  // namespace mxp::net

#endif  // MXP_NET_PROCESS_HPP
