/// Connections within this machine, as Asio has them, below shared memory.
#ifndef MXP_NET_TRANSPORT_SHM_LOCAL_STREAM_HPP
#define MXP_NET_TRANSPORT_SHM_LOCAL_STREAM_HPP

#if defined(_WIN32)
#include "windows/local_stream.hpp"
#else
#include "posix/local_stream.hpp"
#endif

#endif  // MXP_NET_TRANSPORT_SHM_LOCAL_STREAM_HPP
