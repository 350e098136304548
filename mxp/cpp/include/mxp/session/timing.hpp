/// The timers and deadlines of a session [MXP-10].
#ifndef MXP_SESSION_TIMING_HPP
#define MXP_SESSION_TIMING_HPP

#include <algorithm>

#include "core.hpp"
#include "ending.hpp"
#include "request.hpp"
#include "serve.hpp"

namespace mxp::session {

inline std::uint64_t session::hello_due() const noexcept {
    return phase_ < phase::ready ? sum(began_, bounds().hello_us) : never;
}

inline std::uint64_t session::frame_due() const noexcept {
    if (!partial_since_ || paused_) {
        return never;
    }
    const std::uint64_t come =
        reader_.buffered() * std::uint64_t{1'000'000} / bounds().frame_bytes_per_s;
    return sum(sum(*partial_since_, bounds().frame_us), come);
}

inline std::uint64_t session::ping_due() const noexcept {
    if (phase_ != phase::ready || bounds().ping_us == 0) {
        return never;
    }
    if (paused_) {
        // Nothing is awaited, but the peer is to know that this side lives [MXP-10.8].
        return sum(std::max(gave_, last_ping_), bounds().ping_us);
    }
    return pinged_ ? sum(std::max(*pinged_, moved_), bounds().pong_us)
                   : sum(heard_, bounds().ping_us);
}

inline std::uint64_t session::stall_due() const noexcept {
    return queue_.empty() ? never : sum(std::max(progress_, moved_), bounds().stall_us);
}

/// When an acceptor has been idle for long enough [MXP-10.7].
inline std::uint64_t session::idle_due() const noexcept {
    const bool may_drain = phase_ == phase::ready && role_ == role::acceptor && !has_drained_ &&
                           is_idle() && bounds().idle_us > 0;
    return may_drain ? sum(busy_, bounds().idle_us) : never;
}

/// When a peer is not waited for any more that answers no Drain [MXP-11.1].
inline std::uint64_t session::linger_due() const noexcept {
    return rested_ ? sum(*rested_, bounds().linger_us) : never;
}

/// When a peer whose Hello has not come is not waited for any more [MXP-11.1].
inline std::uint64_t session::leaving_due() const noexcept {
    return phase_ < phase::ready && leaving_ ? sum(left_, bounds().linger_us) : never;
}

/// Notes that a frame came or went.
inline void session::stirred(frame_type type) noexcept {
    if (!is_pulse(type)) {
        busy_ = clock_;
    }
}

inline void session::moved(std::uint64_t now) noexcept {
    advance(now);
    moved_ = clock_;
}

inline void session::pause(std::uint64_t now) noexcept {
    advance(now);
    if (!paused_) {
        paused_ = clock_;
    }
}

inline void session::resume(std::uint64_t now) noexcept {
    advance(now);
    if (paused_) {
        heard_ = clock_;
        pinged_.reset();
        if (partial_since_) {
            *partial_since_ = sum(*partial_since_, clock_ - *paused_);
        }
        paused_.reset();
    }
}

inline std::optional<std::uint64_t> session::next_timeout() const {
    if (is_over()) {
        return std::nullopt;
    }
    const auto time_of = [](const deadlines& deadlines) {
        const auto first = deadlines.first();
        return first ? first->time : never;
    };
    const std::uint64_t at = std::min({time_of(own_deadlines_), time_of(peers_deadlines_),
                                       hello_due(), frame_due(), ping_due(), stall_due(),
                                       idle_due(), linger_due(), leaving_due(), refused_.due()});
    return at == never ? std::nullopt : std::optional{at};
}

inline void session::tick(std::uint64_t now) {
    advance(now);
    if (is_over()) {
        return;
    }
    refused_.pass(clock_);
    expire_own();
    expire_peers();
    if (is_due(hello_due())) {
        end(kind::silent);
    } else if (is_due(leaving_due())) {
        // Nobody can have acted on requests that the peer may make before it knows.
        end(kind::draining, {}, true);
    } else if (is_due(frame_due())) {
        end(kind::slow);
    } else if (pinged_ && !paused_ && is_due(ping_due())) {
        end(kind::silent);
    } else {
        if (is_due(ping_due())) {
            ping();
        }
        if (is_due(stall_due())) {
            end(kind::stalled);
        } else {
            if (is_due(idle_due())) {
                farewell("idle");
            }
            if (is_due(linger_due())) {
                phase_ = phase::finished;
            }
        }
    }
    settle();
}

/// Ends the requests made here whose deadline has passed [MXP-7.7].
inline void session::expire_own() {
    for (auto due = own_deadlines_.first(); due && is_due(due->time);
         due = own_deadlines_.first()) {
        take_back(*own_.find(due->id), kind::deadline_exceeded);
    }
}

/// Ends the peer's.
inline void session::expire_peers() {
    for (auto due = peers_deadlines_.first(); due && is_due(due->time);
         due = peers_deadlines_.first()) {
        exchange& of = *peers_.find(due->id);
        refuse(of.id, of.trace, kind::deadline_exceeded, false);
        abandon(of, reason::deadline);
    }
}

/// Asks the peer for a sign of life [MXP-10.3], or gives one [MXP-10.8].
inline void session::ping() {
    last_own_ = awaited_pong_ = next_id();
    last_ping_ = clock_;
    if (!paused_) {
        pinged_ = clock_;
    }
    send({frame_type::ping, flags::none, last_own_}, empty_start{});
}

}  // namespace mxp::session

#endif  // MXP_SESSION_TIMING_HPP
