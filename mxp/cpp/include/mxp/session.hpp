/// MXP: sessions, which are what two programs say to each other in frames.
#ifndef MXP_SESSION_HPP
#define MXP_SESSION_HPP

#include "session/config.hpp"
#include "session/core.hpp"
#include "session/directory.hpp"
#include "session/ending.hpp"
#include "session/hello.hpp"
#include "session/incoming.hpp"
#include "session/observer.hpp"
#include "session/output_queue.hpp"
#include "session/receive.hpp"
#include "session/request.hpp"
#include "session/result.hpp"
#include "session/serve.hpp"
#include "session/stats.hpp"
#include "session/stream.hpp"
#include "session/timing.hpp"
#include "session/values.hpp"

#endif  // MXP_SESSION_HPP
