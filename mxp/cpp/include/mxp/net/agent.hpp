/// Agents, as clients find them [MXP-12].
#ifndef MXP_NET_AGENT_HPP
#define MXP_NET_AGENT_HPP

#include "../session/mxp_control.hpp"

namespace mxp::net {

/// An agent whose lease is live: its name, what it can do, and how many microseconds are left.
using agent = control::Agent;

}  // namespace mxp::net

#endif  // MXP_NET_AGENT_HPP
