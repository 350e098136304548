/// How much a connection let go of lately.
#ifndef MXP_ENGINE_MOVEMENT_HPP
#define MXP_ENGINE_MOVEMENT_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

namespace mxp::engine {

/// The bytes that a connection let go of in the last second at least, and in the last two
/// at most, but for the times in which it was not read.
class movement {
   public:
    using time_point = std::chrono::steady_clock::time_point;

    void add(std::size_t n, time_point now) {
        turn(now);
        now_ += n;
    }
    [[nodiscard]] std::size_t bytes(time_point now) {
        turn(now);
        return now_ + before_;
    }
    /// Says that the connection is not read any more, or is again.
    void pause(time_point now) { paused_ = now; }
    void resume(time_point now) {
        passed_ += skipped(now);
        paused_.reset();
    }

   private:
    /// How much of a time in which a connection is not read counts at most: it can't let go of
    /// what waits for bytes that are not read.
    static constexpr std::chrono::milliseconds pause_counts{100};

    [[nodiscard]] time_point::duration skipped(time_point now) const {
        const time_point::duration none{};
        return paused_ ? std::max(now - *paused_ - pause_counts, none) : none;
    }
    void turn(time_point now) {
        now -= passed_ + skipped(now);
        const auto past = now - began_;
        if (past < std::chrono::seconds{1}) {
            return;
        }
        const bool is_next = past < std::chrono::seconds{2};
        before_ = is_next ? now_ : 0;
        now_ = 0;
        began_ = is_next ? began_ + std::chrono::seconds{1} : now;
    }

    time_point began_{};
    std::size_t now_ = 0;
    std::size_t before_ = 0;
    std::optional<time_point> paused_;
    /// How much of pauses does not count.
    time_point::duration passed_{};
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_MOVEMENT_HPP
