/// The names of users and programs, as this system has them.
#ifndef MXP_NET_SYSTEM_IDENTITY_HPP
#define MXP_NET_SYSTEM_IDENTITY_HPP

#if defined(_WIN32)
#include "windows/identity.hpp"
#else
#include "posix/identity.hpp"
#endif

#endif  // MXP_NET_SYSTEM_IDENTITY_HPP
