/// Values of threads.
#ifndef MXP_NET_SYSTEM_THREAD_VALUE_HPP
#define MXP_NET_SYSTEM_THREAD_VALUE_HPP

#if defined(_WIN32)
#include "windows/thread_value.hpp"
#else
#include "posix/thread_value.hpp"
#endif

#endif  // MXP_NET_SYSTEM_THREAD_VALUE_HPP
