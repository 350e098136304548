/// When requests are made again that have failed [MXP-14.8].
#ifndef MXP_ENGINE_RETRY_POLICY_HPP
#define MXP_ENGINE_RETRY_POLICY_HPP

#include <chrono>
#include <cstddef>

namespace mxp::engine {

/// How a client makes requests again that have ended with status Unavailable: calls, and events
/// that require an Ack, on which nobody has acted, or whose method is `@idempotent`.
struct retry_policy {
    /// The most attempts of a request, the first included; 1 makes none again.
    std::size_t attempts = 3;
    /// The longest pause before the second attempt. It doubles from one attempt to the next up to
    /// the greatest; a random part of it, between half and all, is waited, and nothing is made
    /// that would be later than the deadline.
    std::chrono::microseconds least_pause{10'000};
    std::chrono::microseconds greatest_pause{1'000'000};
    /// The part of a repetition that each request adds to the client's budget; a repetition costs
    /// 1. There is at most 10, as there is at first.
    double budget = 0.1;
    /// The deadline of calls that have none, repetitions included; none if it is 0.
    std::chrono::microseconds timeout{0};
    /// After how long a call of an `@idempotent` method that has not ended is made on another
    /// connection, too, at least 1 ms, and so again after each further such time; never if it is 0.
    /// Each counts for `attempts` and costs 1 of the budget. The first answer is that of the call,
    /// and the others are cancelled [MXP-14.11]. Blocking clients have one connection, and don't.
    std::chrono::microseconds hedge{0};
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_RETRY_POLICY_HPP
