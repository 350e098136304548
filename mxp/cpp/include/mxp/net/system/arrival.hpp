/// The taking of connections that peers have made.
#ifndef MXP_NET_SYSTEM_ARRIVAL_HPP
#define MXP_NET_SYSTEM_ARRIVAL_HPP

#if defined(_WIN32)
#include "windows/arrival.hpp"
#else
#include "posix/arrival.hpp"
#endif

#endif  // MXP_NET_SYSTEM_ARRIVAL_HPP
