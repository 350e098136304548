/// The answers and events that a connection has not given out yet.
#ifndef MXP_NET_UNSAID_HPP
#define MXP_NET_UNSAID_HPP

#include <cstdint>
#include <functional>

#include "request.hpp"

namespace mxp::net::detail {

/// An answer that waits for room.
struct late_answer {
    std::uint64_t id;
    session::value body;
    metadata beside;
};

/// An event without an Ack, whose end is that its frame is given out.
struct late_end {
    std::uint64_t frame;
    std::function<void(const answer&)> then;
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_UNSAID_HPP
