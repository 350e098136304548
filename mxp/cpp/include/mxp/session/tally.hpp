/// The refusals that a peer has caused [MXP-9.7].
#ifndef MXP_SESSION_TALLY_HPP
#define MXP_SESSION_TALLY_HPP

#include <algorithm>
#include <cstdint>

#include "config.hpp"
#include "exchange.hpp"

namespace mxp::session {

/// How many there are, less what was taken off.
class tally {
   public:
    tally(const limits& limits, std::uint64_t now) noexcept
        : most_(limits.refusals),
          per_ms_(std::max<std::uint64_t>(limits.refusals_per_ms, 1)),
          since_(now) {}

    /// Whether there are more than may be, as of the last time that was told.
    [[nodiscard]] bool is_over() const noexcept { return count_ > most_; }

    /// Counts one, and returns whether there are too many from now on.
    bool add(std::uint64_t now) noexcept {
        pass(now);
        ++count_;
        return count_ == sum(most_, 1);
    }

    /// Takes one off.
    void answered() noexcept { count_ -= count_ > 0 ? 1 : 0; }

    /// Takes off what time does.
    void pass(std::uint64_t now) noexcept {
        const std::uint64_t n = (now - since_) / millisecond;
        if (n >= count_ || (n > 0 && per_ms_ >= (count_ + n - 1) / n)) {
            count_ = 0;
            since_ = now;
        } else {
            count_ -= n * per_ms_;
            since_ += n * millisecond;
        }
    }

    /// When there are no more than may be.
    [[nodiscard]] std::uint64_t due() const noexcept {
        return is_over() ? sum(since_, ((count_ - most_ - 1) / per_ms_ + 1) * millisecond) : never;
    }

   private:
    static constexpr std::uint64_t millisecond = 1000;

    std::uint64_t most_;
    std::uint64_t per_ms_;
    std::uint64_t count_ = 0;
    /// When the count was 0, or what time has taken off last.
    std::uint64_t since_;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_TALLY_HPP
