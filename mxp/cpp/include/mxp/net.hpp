/// MXP over sockets: servers and clients. It includes nothing of Asio, whose `io_context` a program
/// includes that runs one.
#ifndef MXP_NET_HPP
#define MXP_NET_HPP

#include "net/address.hpp"
#include "net/blocking.hpp"
#include "net/blocking_typed.hpp"
#include "net/client.hpp"
#include "net/interceptors.hpp"
#include "net/request.hpp"
#include "net/server.hpp"
#include "net/service_stubs.hpp"
#include "net/services.hpp"
#include "net/stream_stubs.hpp"
#include "net/typed.hpp"
#include "net/typed_call.hpp"
#include "net/typed_stream.hpp"
#include "net/types.hpp"

#endif  // MXP_NET_HPP
