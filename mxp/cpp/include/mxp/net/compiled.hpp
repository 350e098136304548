/// The compiled part of MXP over sockets, for one source of a program: the library that CMake
/// builds is that source.
#ifndef MXP_NET_COMPILED_HPP
#define MXP_NET_COMPILED_HPP

#include "../engine/compiled.hpp"
#include "addresses.hpp"
#include "agent_follower.hpp"
#include "announcement_state.hpp"
#include "balancer.hpp"
#include "blocking_calls.hpp"
#include "blocking_requests.hpp"
#include "blocking_socket.hpp"
#include "blocking_stream.hpp"
#include "chunk_queue.hpp"
#include "client_calls.hpp"
#include "client_end.hpp"
#include "client_links.hpp"
#include "connection_budget.hpp"
#include "connection_driver.hpp"
#include "connection_handler.hpp"
#include "event_handlers.hpp"
#include "events.hpp"
#include "listener.hpp"
#include "observation.hpp"
#include "opening_channels.hpp"
#include "publication.hpp"
#include "requests.hpp"
#include "sending_events.hpp"
#include "server_channels.hpp"
#include "service_tables.hpp"
#include "stream_chunks.hpp"
#include "waiters.hpp"

#endif  // MXP_NET_COMPILED_HPP
