/// The wake-up of a thread that waits in an event loop of another library.
#ifndef MXP_NET_SYSTEM_WAKE_SIGNAL_HPP
#define MXP_NET_SYSTEM_WAKE_SIGNAL_HPP

#if defined(_WIN32)
#include "windows/wake_signal.hpp"
#else
#include "posix/wake_signal.hpp"
#endif

#endif  // MXP_NET_SYSTEM_WAKE_SIGNAL_HPP
