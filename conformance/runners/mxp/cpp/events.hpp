/// Events of sessions, as lines.
#ifndef MXP_RUNNER_EVENTS_HPP
#define MXP_RUNNER_EVENTS_HPP

#include <string>

#include "mxp/session.hpp"

namespace runner {

[[nodiscard]] std::string line_of(const mxp::session::incoming& one);

}  // namespace runner

#endif  // MXP_RUNNER_EVENTS_HPP
