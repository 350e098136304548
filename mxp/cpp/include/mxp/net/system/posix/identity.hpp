/// The names of users and programs of POSIX.
#ifndef MXP_NET_SYSTEM_POSIX_IDENTITY_HPP
#define MXP_NET_SYSTEM_POSIX_IDENTITY_HPP

#include <sys/types.h>

namespace mxp::net {

using user_id = uid_t;
using group_id = gid_t;
using process_id = pid_t;

}  // namespace mxp::net

#endif  // MXP_NET_SYSTEM_POSIX_IDENTITY_HPP
