/// Memory that two processes of this system share.
#ifndef MXP_NET_SYSTEM_SHARED_MEMORY_HPP
#define MXP_NET_SYSTEM_SHARED_MEMORY_HPP

#if defined(_WIN32)
#include "windows/shared_memory.hpp"
#else
#include "posix/shared_memory.hpp"
#endif

#endif  // MXP_NET_SYSTEM_SHARED_MEMORY_HPP
