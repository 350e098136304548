/// The names of users and programs.
#ifndef MXP_NET_SYSTEM_IDENTITY_HPP
#define MXP_NET_SYSTEM_IDENTITY_HPP

#include "../process.hpp"

namespace mxp::net {

using user_id = decltype(process::user)::value_type;
using process_id = decltype(process::id)::value_type;

}  // namespace mxp::net

#endif  // MXP_NET_SYSTEM_IDENTITY_HPP
