/// Failures of requests, as users have them.
#ifndef MXP_NET_FAILURE_HPP
#define MXP_NET_FAILURE_HPP

#include "../engine/failure.hpp"

namespace mxp::net {

using engine::failed_outcome;
using engine::failure;
using engine::failure_of;
using engine::outcome;
using engine::refused;
using engine::to_string;
using engine::unavailable;
using engine::unusable;

}  // namespace mxp::net

#endif  // MXP_NET_FAILURE_HPP
