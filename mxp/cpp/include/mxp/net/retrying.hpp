/// When requests are made again that have failed [MXP-14.8].
#ifndef MXP_NET_RETRYING_HPP
#define MXP_NET_RETRYING_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <random>

#include "failure.hpp"

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

namespace detail {

/// The budget that a client has for making requests again.
class repetitions {
   public:
    using clock = std::chrono::steady_clock;

    /// A request is made for the first time.
    void earn(const retry_policy& policy) noexcept {
        there_ = std::min(there_ + policy.budget, most);
    }

    /// How long to wait before a request is made again that was made so often; nothing if it isn't.
    template <class Random>
    [[nodiscard]] std::optional<std::chrono::microseconds>
    pause(const retry_policy& policy, std::size_t made, bool is_idempotent, const failure& why,
          clock::time_point until, Random& random) {
        const bool may_be = why.status == session::status::Unavailable &&
                            (!why.acted || is_idempotent) && made < policy.attempts;
        if (!may_be) {
            return std::nullopt;
        }
        auto longest = std::min(policy.least_pause, policy.greatest_pause);
        for (std::size_t n = 1; n < made && longest < policy.greatest_pause; ++n) {
            longest = std::min(2 * longest, policy.greatest_pause);
        }
        std::uniform_int_distribution<std::int64_t> any{longest.count() / 2, longest.count()};
        const std::chrono::microseconds chosen{any(random)};
        if (until != clock::time_point::max() && clock::now() + chosen >= until) {
            return std::nullopt;
        }
        if (there_ < 1) {
            ++refused_;
            return std::nullopt;
        }
        there_ -= 1;
        ++made_;
        return chosen;
    }

    /// For any thread.
    void add_to(session::statistics& to) const noexcept {
        to.retries += made_;
        to.retries_over_budget += refused_;
    }

   private:
    static constexpr double most = 10;

    double there_ = most;
    session::counter made_;
    session::counter refused_;
};

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_RETRYING_HPP
