/// The memory of this machine.
#ifndef MXP_NET_SYSTEM_MEMORY_HPP
#define MXP_NET_SYSTEM_MEMORY_HPP

#if defined(_WIN32)
#include "windows/memory.hpp"
#else
#include "posix/memory.hpp"
#endif

#endif  // MXP_NET_SYSTEM_MEMORY_HPP
