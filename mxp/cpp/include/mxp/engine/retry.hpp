/// Requests that are made again by a policy [MXP-14.8], or on several connections [MXP-14.11].
#ifndef MXP_ENGINE_RETRY_HPP
#define MXP_ENGINE_RETRY_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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

    /// The pause before a failed request is made again, after so many attempts; none if it isn't.
    template <class Draw>
    [[nodiscard]] std::optional<std::chrono::microseconds>
    pause(const retry_policy& policy, std::size_t attempts, bool is_idempotent, const failure& why,
          time_point now, time_point deadline, Draw& draw) {
        // A request that has found no connection has waited as long as it may [MXP-14.4].
        const bool may_be = why.status == session::status::Unavailable &&
                            why.name != to_string(session::kind::not_connected) &&
                            (!why.acted || is_idempotent) && attempts < policy.attempts;
        if (!may_be) {
            return std::nullopt;
        }
        auto longest = std::min(policy.least_pause, policy.greatest_pause);
        for (std::size_t n = 1; n < attempts && longest < policy.greatest_pause; ++n) {
            longest = std::min(2 * longest, policy.greatest_pause);
        }
        const std::chrono::microseconds chosen = longest / 2 + part_of(longest / 2, draw);
        if (deadline != time_point::max() && now + chosen >= deadline) {
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
    void add_to(session::statistics& sum) const noexcept {
        sum.retries += made_;
        sum.retries_over_budget += refused_;
    }

   private:
    static constexpr double most = 10;

    double there_ = most;
    session::counter made_;
    session::counter refused_;
};

/// After how long a call that was made so often is made on another connection, too; nothing if it
/// isn't.
[[nodiscard]] inline std::optional<std::chrono::microseconds>
hedge_pause(const std::optional<retry_policy>& policy, bool is_idempotent, std::size_t attempts) {
    if (!policy || policy->hedge.count() <= 0 || !is_idempotent || attempts >= policy->attempts) {
        return std::nullopt;
    }
    return std::max(policy->hedge, std::chrono::microseconds{1'000});
}

/// The attempts of a call that are in flight together, by their tickets.
class hedge {
   public:
    explicit hedge(std::uint64_t ticket) : flying_{ticket} {}

    [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }
    [[nodiscard]] const std::vector<std::uint64_t>& flying() const noexcept { return flying_; }
    void add(std::uint64_t ticket) { flying_.push_back(ticket); }
    /// Notes the end of an attempt, and returns whether it is that of the call: not where others go
    /// on, or one has ended it already.
    [[nodiscard]] bool ends(std::uint64_t ticket, const std::optional<failure>& why) {
        flying_.erase(std::remove(flying_.begin(), flying_.end(), ticket), flying_.end());
        const bool may_go_on = why && why->status == session::status::Unavailable;
        if (has_ended_ || (may_go_on && !flying_.empty())) {
            return false;
        }
        return has_ended_ = true;
    }

   private:
    std::vector<std::uint64_t> flying_;
    bool has_ended_ = false;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_RETRY_HPP
