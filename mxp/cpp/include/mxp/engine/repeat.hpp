/// Requests that are made again, since nobody has acted on them [MXP-14.6] [MXP-14.7].
#ifndef MXP_ENGINE_REPEAT_HPP
#define MXP_ENGINE_REPEAT_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "draw.hpp"
#include "outage.hpp"

namespace mxp::engine {

/// Where a request can be made again that has failed: nowhere, on the next connection, or on any
/// when the peer may have a place for it.
enum class again : std::uint8_t { never, elsewhere, later };

/// The same for a request that has failed on a connection, whose session may be over.
[[nodiscard]] inline again again_after(const failure& why, bool is_over) {
    if (why.acted) {
        return again::never;
    }
    if (why.name == to_string(session::kind::limit_in_flight) ||
        why.name == to_string(session::kind::limit_in_flight_bytes)) {
        return again::later;
    }
    const bool is_lost = is_over && may_heal(why);
    return is_lost || why.name == to_string(session::kind::draining) ? again::elsewhere
                                                                     : again::never;
}

/// The pauses of a request for which its peer has no place.
class repeats {
   public:
    using time_point = std::chrono::steady_clock::time_point;
    using microseconds = std::chrono::microseconds;

    /// A random part of a time that doubles; nothing if the request would be made too late then:
    /// behind its deadline, or, where it has none, when the client's patience is over.
    template <class Draw>
    [[nodiscard]] std::optional<microseconds> next(time_point now, time_point deadline,
                                                   microseconds patience, Draw& draw) {
        most_ = std::clamp(2 * most_, microseconds{1'000}, microseconds{100'000});
        if (until_ == time_point{}) {
            until_ = deadline != time_point::max() ? deadline : now + patience;
        }
        const auto pause = part_of(most_, draw);
        return now + pause < until_ ? std::optional{pause} : std::nullopt;
    }
    /// Begins with the least pause again.
    void restart() noexcept { most_ = {}; }

   private:
    /// The longest of the last pause.
    microseconds most_{0};
    /// When the request is made for the last time.
    time_point until_{};
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_REPEAT_HPP
