/// Requests that are made again by a policy [MXP-14.8].
#ifndef MXP_ENGINE_RETRY_HPP
#define MXP_ENGINE_RETRY_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

#include "../session/stats.hpp"
#include "draw.hpp"
#include "failure.hpp"
#include "retry_policy.hpp"

namespace mxp::engine {

/// The budget that a client has for making requests again.
class retries {
   public:
    using time_point = std::chrono::steady_clock::time_point;

    /// A request is made for the first time.
    void earn(const retry_policy& policy) noexcept {
        there_ = std::min(there_ + policy.budget, most);
    }

    /// How long to wait before a request is made again that was made so often; nothing if it isn't.
    template <class Draw>
    [[nodiscard]] std::optional<std::chrono::microseconds>
    pause(const retry_policy& policy, std::size_t made, bool is_idempotent, const failure& why,
          time_point now, time_point until, Draw& draw) {
        // One that has found no connection has waited as long as it may [MXP-14.4].
        const bool may_be = why.status == session::status::Unavailable &&
                            why.name != to_string(session::kind::not_connected) &&
                            (!why.acted || is_idempotent) && made < policy.attempts;
        if (!may_be) {
            return std::nullopt;
        }
        auto longest = std::min(policy.least_pause, policy.greatest_pause);
        for (std::size_t n = 1; n < made && longest < policy.greatest_pause; ++n) {
            longest = std::min(2 * longest, policy.greatest_pause);
        }
        const std::chrono::microseconds chosen = longest / 2 + part_of(longest / 2, draw);
        if (until != time_point::max() && now + chosen >= until) {
            return std::nullopt;
        }
        return spend() ? std::optional{chosen} : std::nullopt;
    }

    /// Pays for a repetition, if there is enough for it.
    [[nodiscard]] bool spend() noexcept {
        if (there_ < 1) {
            ++refused_;
            return false;
        }
        there_ -= 1;
        ++made_;
        return true;
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

}  // namespace mxp::engine

#endif  // MXP_ENGINE_RETRY_HPP
