/// Endpoints: the attempts of a client to have a connection, and why it has none [MXP-14.3].
#ifndef MXP_ENGINE_ENDPOINT_HPP
#define MXP_ENGINE_ENDPOINT_HPP

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "draw.hpp"
#include "outage.hpp"

namespace mxp::engine {

/// A connection that a client keeps, as far as it is there or not.
class endpoint {
   public:
    using time_point = std::chrono::steady_clock::time_point;
    using microseconds = std::chrono::microseconds;

    /// An endpoint whose pauses, behind the first attempt, have a least and a greatest time.
    endpoint(microseconds least, microseconds most, const std::string& address)
        : least_(least), most_(most), trouble_(unavailable("nothing has answered yet", address)) {}

    /// Why there is no connection.
    [[nodiscard]] const failure& trouble() const noexcept { return trouble_; }
    [[nodiscard]] bool may_heal() const noexcept { return engine::may_heal(trouble_); }

    /// The pause before the next attempt: at first none, then a random part of a time that doubles.
    template <class Draw>
    [[nodiscard]] microseconds pause(Draw& draw) {
        const auto chosen = part_of(pause_, draw);
        pause_ = std::min(std::max(2 * pause_, least_), most_);
        return chosen;
    }

    /// Notes that there can be no connection.
    void give_up(failure why) { trouble_ = std::move(why); }
    /// Notes that the peer is there, and its Hello is awaited.
    void opened(const std::string& address) {
        if (!has_tried_) {
            trouble_ = silent(address);
        }
    }
    /// Notes that requests can be made. Returns whether the log is told: a peer that has let nobody
    /// in last time may not do so now either.
    [[nodiscard]] bool ready(time_point now) noexcept {
        ready_at_ = now;
        row_pause_ = std::exchange(pause_, microseconds{0});
        return !was_rejected_;
    }
    /// Notes that the peer takes requests. Returns whether the log is told now.
    [[nodiscard]] bool admitted() noexcept { return std::exchange(was_rejected_, false); }

    /// Notes an attempt that has failed.
    void failed(failure why) {
        trouble_ = std::move(why);
        has_tried_ = true;
        pause_ = std::max(pause_, least_);
    }
    /// Notes the end of a connection, and whether the peer has said nothing on it but that it lets
    /// nobody in. Returns whether that is an attempt that has failed [MXP-14.2].
    [[nodiscard]] bool is_attempt(const failure& why, bool was_ready, bool is_rejected) noexcept {
        if (was_ready && is_rejected && !engine::may_heal(why)) {
            was_rejected_ = true;
            pause_ = row_pause_;
            return true;
        }
        return !was_ready;
    }
    /// Notes the end of a connection that was ready, with which the next attempt waits if it was
    /// refused soon.
    void ended(const failure& why, time_point now, const std::string& address) {
        if (why.name != to_string(session::kind::lost)) {
            wait_if_soon(now);
        }
        lost("the connection has ended: " + why.name + (why.text.empty() ? "" : ": ") + why.text,
             address);
    }
    /// Notes that the peer takes no more requests, with which the next attempt waits if that is
    /// soon.
    void drained(time_point now, const std::string& address) {
        wait_if_soon(now);
        lost("the peer takes no more requests", address);
    }
    /// Notes that requests can't be made any more, and wait for the next connection.
    void lost(std::string why, const std::string& address) {
        trouble_ = unavailable(std::move(why), address);
        has_tried_ = false;
    }

   private:
    /// The time after a session became ready in which its end still counts as a failed attempt
    /// [MXP-14.3].
    static constexpr std::chrono::milliseconds soon{10};

    void wait_if_soon(time_point now) noexcept {
        if (now - ready_at_ < soon) {
            pause_ = std::max(row_pause_, least_);
        }
    }

    microseconds least_;
    microseconds most_;
    microseconds pause_{0};
    failure trouble_;
    /// Whether that is the failure of an attempt.
    bool has_tried_ = false;
    /// The peer has let nobody in on the last connection.
    bool was_rejected_ = false;
    /// When the last connection was ready, and the pause that was to come if it had not been.
    time_point ready_at_{};
    microseconds row_pause_{0};
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_ENDPOINT_HPP
