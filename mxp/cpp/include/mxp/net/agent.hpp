/// Agents, as clients find them [MXP-12].
#ifndef MXP_NET_AGENT_HPP
#define MXP_NET_AGENT_HPP

namespace mxp::registry {
struct Agent;
struct Agents;
struct Lease;
struct Query;
struct Registration;
}  // namespace mxp::registry

namespace mxp::net {

/// An agent whose lease is live: its name, what it can do, and how many microseconds are left. It
/// is defined in `mxp/agents.hpp`.
using agent = registry::Agent;

}  // namespace mxp::net

#endif  // MXP_NET_AGENT_HPP
