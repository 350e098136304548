/// Events of sessions, as lines.
#ifndef MXP_RUNNER_EVENTS_HPP
#define MXP_RUNNER_EVENTS_HPP

#include <string>
#include <vector>

#include "mxp/session.hpp"

namespace runner {

/// The lines of an event: of a batch, one for each value.
[[nodiscard]] std::vector<std::string> lines_of(const mxp::session::incoming& one);

}  // namespace runner

#endif  // MXP_RUNNER_EVENTS_HPP
