/// Sockets of this system.
#ifndef MXP_NET_SYSTEM_SOCKET_HPP
#define MXP_NET_SYSTEM_SOCKET_HPP

#if defined(_WIN32)
#include "windows/socket.hpp"
#else
#include "posix/socket.hpp"
#endif

#endif  // MXP_NET_SYSTEM_SOCKET_HPP
