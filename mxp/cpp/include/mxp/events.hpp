/// Events through a mesh [MESH-5]: a client that publishes the events of any stubs, and
/// subscriptions by which the handlers of services hear them.
#ifndef MXP_EVENTS_HPP
#define MXP_EVENTS_HPP

#include "net/mxp_mesh.hpp"
#include "net/publisher.hpp"
#include "net/subscription.hpp"

#endif  // MXP_EVENTS_HPP
