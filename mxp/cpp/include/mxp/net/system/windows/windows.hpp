/// Windows's own header, as Asio includes it.
#ifndef MXP_NET_SYSTEM_WINDOWS_WINDOWS_HPP
#define MXP_NET_SYSTEM_WINDOWS_WINDOWS_HPP

// Asio has the threads of POSIX where they are declared before it: here always, as all sources of a
// program have to have the same.
#include <thread>

#include <asio/detail/socket_types.hpp>

#endif  // MXP_NET_SYSTEM_WINDOWS_WINDOWS_HPP
