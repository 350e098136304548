/// The ends of connections within this machine, below shared memory.
#ifndef MXP_NET_SYSTEM_LOCAL_SOCKET_HPP
#define MXP_NET_SYSTEM_LOCAL_SOCKET_HPP

#if defined(_WIN32)
#include "windows/local_socket.hpp"
#else
#include "posix/local_socket.hpp"
#endif

#endif  // MXP_NET_SYSTEM_LOCAL_SOCKET_HPP
