/// Agents, their descriptions and their queries [MXP-12]. `mxp/net.hpp` declares `net::agent`
/// alone: programs that look into agents include this, and others don't compile their codecs.
#ifndef MXP_AGENTS_HPP
#define MXP_AGENTS_HPP

#include "net/agent.hpp"
#include "net/announcement.hpp"
#include "session/mxp_registry.hpp"

#endif  // MXP_AGENTS_HPP
