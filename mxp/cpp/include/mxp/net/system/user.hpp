/// The user of this program.
#ifndef MXP_NET_SYSTEM_USER_HPP
#define MXP_NET_SYSTEM_USER_HPP

#if defined(_WIN32)
#include "windows/user.hpp"
#else
#include "posix/user.hpp"
#endif

#endif  // MXP_NET_SYSTEM_USER_HPP
