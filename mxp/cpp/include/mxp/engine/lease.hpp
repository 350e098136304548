/// The lease of a name, which a program renews for as long as it runs [MESH-3.4].
#ifndef MXP_ENGINE_LEASE_HPP
#define MXP_ENGINE_LEASE_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "../session/mxp_registry.hpp"
#include "../session/parts.hpp"
#include "../session/spec_gen.hpp"
#include "failure.hpp"

namespace mxp::engine {

/// A name that is kept. One request for it at a time is under way, so that the epoch that is told
/// is that of the last: a registration that may have gone over an older connection is made again
/// behind its answer.
class lease {
   public:
    using time_point = std::chrono::steady_clock::time_point;
    using microseconds = std::chrono::microseconds;

    /// The next request, behind a pause, and whether the program is told of a change before.
    struct next {
        bool registers = false;
        microseconds pause{0};
        bool is_told = false;
    };

    explicit lease(registry::Registration registration) : registration_(std::move(registration)) {
        if (registration_.lease == 0) {
            registration_.lease = 10'000'000;
        }
    }

    /// The registration, with the last epoch.
    [[nodiscard]] const registry::Registration& registration() const noexcept {
        return registration_;
    }
    /// The epoch of the lease; 0 while the name is not registered.
    [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }
    /// How many registrations there were: answers to requests before the last count no more.
    [[nodiscard]] std::uint64_t round() const noexcept { return round_; }
    /// The time that is left for a renewal.
    [[nodiscard]] microseconds left(time_point now) const {
        return std::max(std::chrono::duration_cast<microseconds>(until_ - now), microseconds{1000});
    }

    /// Notes a new connection. Returns whether the name is asked for on it at once.
    [[nodiscard]] bool connected() noexcept {
        const bool is_first = !std::exchange(was_connected_, true);
        is_due_ = is_due_ || (is_asking_ && !is_first);
        return !is_asking_;
    }
    /// Notes that the name is asked for.
    void begin() noexcept {
        ++round_;
        is_asking_ = true;
    }
    /// Notes the answer to a registration.
    [[nodiscard]] next registered(const outcome<registry::Lease>& answer, time_point now) {
        is_asking_ = false;
        const bool is_anew = std::exchange(is_due_, false);
        if (!answer) {
            return {true, after_failure, lost(answer.error())};
        }
        registration_.epoch = answer->epoch;
        const std::uint64_t epoch = std::max<std::uint64_t>(answer->epoch, 1);  // 0.3 counts none
        const bool is_new = std::exchange(epoch_, epoch) != epoch;
        loss_.clear();
        time_ = microseconds{static_cast<std::int64_t>(
            std::clamp(answer->lease, session::lease_min_us, session::lease_max_us))};
        until_ = now + time_;
        return {is_anew, is_anew ? microseconds{0} : time_ / renewals, is_new};
    }
    /// Notes the answer to a renewal, which is a failure or none.
    [[nodiscard]] next renewed(const failure* why, time_point start, time_point now) {
        if (why == nullptr) {
            until_ = start + time_;
        } else if (why->name == to_string(session::kind::agent_unknown) || now >= until_) {
            return {true, microseconds{0}, lost(*why)};
        }
        return {false, time_ / renewals, false};
    }
    /// Notes a loss, and returns whether it is another.
    [[nodiscard]] bool lost(const failure& why) {
        const bool was_held = std::exchange(epoch_, 0) != 0;
        const bool is_other = loss_ != why.name;
        loss_ = why.name;
        return was_held || is_other;
    }

   private:
    /// Renewals of a lease within its time.
    static constexpr int renewals = 3;
    /// How soon a name is asked for again that was not given.
    static constexpr microseconds after_failure{500'000};

    registry::Registration registration_;
    std::uint64_t epoch_ = 0;
    std::uint64_t round_ = 0;
    /// Whether an answer to the last round is awaited, whether the name is to be asked for anew
    /// behind it, and whether there ever was a connection.
    bool is_asking_ = false;
    bool is_due_ = false;
    bool was_connected_ = false;
    microseconds time_{0};
    time_point until_{};
    /// The name of the failure that was told last.
    std::string loss_{};
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_LEASE_HPP
