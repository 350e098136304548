/// The user of this program, of POSIX.
#ifndef MXP_NET_SYSTEM_POSIX_USER_HPP
#define MXP_NET_SYSTEM_POSIX_USER_HPP

#include <unistd.h>

#include <optional>
#include <string>

#include "../identity.hpp"

namespace mxp::net::detail {

/// The user that this program runs as.
[[nodiscard]] inline std::optional<user_id> own_user() { return ::geteuid(); }

[[nodiscard]] inline std::string text_of_user(user_id user) { return std::to_string(user); }

}  // namespace mxp::net::detail

#endif  // MXP_NET_SYSTEM_POSIX_USER_HPP
