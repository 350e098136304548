/// Sockets of this system, and what is done with them.
#ifndef MXP_NET_SYSTEM_SOCKET_HPP
#define MXP_NET_SYSTEM_SOCKET_HPP

#if defined(_WIN32)
#include "windows/socket.hpp"
#else
#include "posix/socket.hpp"
#endif

#endif  // MXP_NET_SYSTEM_SOCKET_HPP
