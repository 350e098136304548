/// The output of a session: events, frames and numbers.
#ifndef MXP_SESSION_OUTPUT_QUEUE_HPP
#define MXP_SESSION_OUTPUT_QUEUE_HPP

#include "core.hpp"
#include "ending.hpp"

namespace mxp::session {

inline std::optional<incoming> session::next() {
    if (given_ == told_.size()) {
        return std::nullopt;
    }
    const incoming one = told_[given_++];
    if (given_ == told_.size()) {
        told_.clear();
        given_ = 0;
    }
    return one;
}

inline std::optional<outgoing> session::poll_frame(std::uint64_t now) {
    advance(now);
    frame_type type{};
    const auto made = queue_.take(type);
    if (made) {
        stats_.gave(type, made->size());
        stirred(type);
        progress_ = gave_ = clock_;
        settle();
    }
    return made;
}

inline void session::poll_batch(batch& batch, std::uint64_t now, std::size_t most) {
    advance(now);
    const auto gave = [this](frame_type type, std::size_t n) {
        stats_.gave(type, n);
        stirred(type);
    };
    if (queue_.bytes() <= most) {
        queue_.take_all(batch, gave);
    } else {
        queue_.take_some(batch, most, gave);
    }
    if (!batch.empty()) {
        progress_ = gave_ = clock_;
        settle();
    }
}

inline void session::shrink() noexcept {
    if (is_over()) {
        reader_.forget();
    }
    reader_.shrink();
    queue_.shrink();
}

inline statistics session::stats() const {
    statistics made = counters();
    made.held_bytes = held();
    return made;
}

inline statistics session::counters() const {
    statistics made = stats_;
    made.in_flight_here = own_.size();
    made.in_flight_peer = peers_.size();
    made.queue_bytes = queue_.bytes();
    made.queue_frames = queue_.frames();
    return made;
}

}  // namespace mxp::session

#endif  // MXP_SESSION_OUTPUT_QUEUE_HPP
