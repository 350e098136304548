/// When requests are made again that have failed [MXP-14.8].
#ifndef MXP_NET_RETRYING_HPP
#define MXP_NET_RETRYING_HPP

#include <chrono>
#include <cstddef>

namespace mxp::net {

/// How a client makes requests again that have ended with status Unavailable: calls, and events
/// that require an Ack, on which nobody has acted, or whose method is `@idempotent`.
struct retry_policy {
    /// How often a request is made at most, the first time included; 1 makes none again.
    std::size_t attempts = 3;
    /// The longest pause before the second attempt. It doubles from one attempt to the next up to
    /// the greatest; a random part of it, between half and all, is waited, and nothing is made
    /// that would be later than the deadline.
    std::chrono::microseconds least_pause{10'000};
    std::chrono::microseconds greatest_pause{1'000'000};
    /// How much each request adds to what a client may spend on repetitions, of which each costs 1.
    /// There is at most 10, as there is at first.
    double budget = 0.1;
};

}  // namespace mxp::net

#endif  // MXP_NET_RETRYING_HPP
