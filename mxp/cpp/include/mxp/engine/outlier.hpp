/// Connections that are left out for a while, since requests fail on them [MXP-14.10].
#ifndef MXP_ENGINE_OUTLIER_HPP
#define MXP_ENGINE_OUTLIER_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "../session.hpp"

namespace mxp::engine {

/// The record of a connection's requests: it is left out while they fail one after the other.
class outlier {
   public:
    using time_point = std::chrono::steady_clock::time_point;

    explicit outlier(session::role side) noexcept : made_odd_(side == session::role::opener) {}

    /// Whether requests are to be made on other connections.
    template <class Clock>
    [[nodiscard]] bool is_left_out(Clock now) const {
        return until_ != time_point{} && now() < until_;
    }
    /// The number of times that it was left out. For any thread.
    [[nodiscard]] const session::counter& times() const noexcept { return times_; }

    /// Counts the end of a request of this side's, if the news is one.
    template <class In>
    void note(const In& /*in*/, time_point /*now*/) noexcept {}
    void note(const session::in::response& /*in*/, time_point /*now*/) noexcept { row_ = 0; }
    void note(const session::in::acked& event, time_point /*now*/) noexcept {
        ends_if(event.chunk == 0);
    }
    void note(const session::in::chunk& event, time_point /*now*/) noexcept {
        ends_if(event.is_final && has_made(event.id));
    }
    void note(const session::in::chunks& event, time_point /*now*/) noexcept {
        ends_if(event.is_final && has_made(event.id));
    }
    void note(const session::in::finished& event, time_point /*now*/) noexcept {
        ends_if(has_made(event.id));
    }
    void note(const session::in::ended& event, time_point now) {
        failed(event.why.status, event.why.acted, now);
    }

    /// Notes a failure of a request, on which somebody may have acted or nobody has.
    void failed(session::status why, bool has_acted, time_point now) {
        switch (why) {
        case session::status::Cancelled:
            return;
        case session::status::DeadlineExceeded:
            if (has_acted) {
                count(now);
            }
            return;
        case session::status::Unknown:
        case session::status::Internal:
        case session::status::Unavailable:
        case session::status::DataLoss:
            count(now);
            return;
        default:
            row_ = 0;
        }
    }

    /// The time for which a connection is left out, by the times that it was left out since a
    /// request on it last ended well.
    [[nodiscard]] static std::chrono::microseconds pause(std::size_t times) noexcept {
        const std::uint64_t longest = session::outlier_min_us << std::min<std::size_t>(times, 16);
        return std::chrono::microseconds{
            static_cast<std::int64_t>(std::min(longest, session::outlier_max_us))};
    }

   private:
    [[nodiscard]] bool has_made(std::uint64_t id) const noexcept {
        return (id % 2 == 1) == made_odd_;
    }
    void ends_if(bool is_end) noexcept { row_ = is_end ? 0 : row_; }
    void count(time_point now) {
        if (now < until_) {  // what was made before is not counted
            return;
        }
        if (++row_ >= session::outlier_failures) {
            until_ = now + pause(row_ - session::outlier_failures);
            ++times_;
        }
    }

    bool made_odd_;
    /// Requests that have failed since one has not.
    std::size_t row_ = 0;
    time_point until_{};
    session::counter times_{};
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_OUTLIER_HPP
