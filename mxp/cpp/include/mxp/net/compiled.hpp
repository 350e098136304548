/// The compiled part of MXP over sockets, for one source of a program: the library that CMake
/// builds is that source.
#ifndef MXP_NET_COMPILED_HPP
#define MXP_NET_COMPILED_HPP

#include "../engine/compiled.hpp"
#include "addresses.hpp"
#include "agents_followed.hpp"
#include "announcing.hpp"
#include "blocking_asking.hpp"
#include "blocking_calls.hpp"
#include "blocking_socket.hpp"
#include "blocking_stream.hpp"
#include "choosing.hpp"
#include "client_calls.hpp"
#include "connecting.hpp"
#include "driving.hpp"
#include "events.hpp"
#include "handling.hpp"
#include "holding.hpp"
#include "leaving.hpp"
#include "listening.hpp"
#include "opening_channels.hpp"
#include "publishing.hpp"
#include "requests.hpp"
#include "sending_events.hpp"
#include "services_kept.hpp"
#include "streaming.hpp"
#include "subscribing.hpp"
#include "taking.hpp"
#include "telling.hpp"
#include "waiting.hpp"

#endif  // MXP_NET_COMPILED_HPP
