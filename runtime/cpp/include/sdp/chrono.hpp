/// Conversions of times between SDP and `std::chrono`. They have a header of their own, since
/// `<chrono>` costs every file that includes it time to compile.
#ifndef SDP_CHRONO_HPP
#define SDP_CHRONO_HPP

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

#include "time.hpp"

namespace sdp {

/// The system clock's time to the nanosecond.
using system_nanoseconds =
    std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

[[nodiscard]] constexpr std::chrono::nanoseconds to_chrono(duration length) noexcept {
    return std::chrono::nanoseconds{length.nanoseconds};
}

[[nodiscard]] constexpr system_nanoseconds to_chrono(timestamp time) noexcept {
    return system_nanoseconds{std::chrono::nanoseconds{time.nanoseconds}};
}

/// Refuses what 64 bits of nanoseconds can't count with a `kind::value_invalid`: more than 292
/// years.
template <class Count, class Period>
[[nodiscard]] result<duration> to_duration(std::chrono::duration<Count, Period> length) {
    using scale = std::ratio_divide<Period, std::nano>;
    static_assert(std::is_integral_v<Count> && scale::den == 1,
                  "round what is finer than nanoseconds first, by std::chrono::duration_cast");
    using range = std::numeric_limits<std::int64_t>;
    using wide = std::conditional_t<std::is_signed_v<Count>, std::intmax_t, std::uintmax_t>;
    const auto count = static_cast<wide>(length.count());
    bool fits = count <= static_cast<wide>(range::max() / scale::num);
    if constexpr (std::is_signed_v<Count>) {
        fits = fits && count >= range::min() / scale::num;
    }
    if (!fits) {
        return unexpected{error{kind::value_invalid}};
    }
    return duration{static_cast<std::int64_t>(count) * scale::num};
}

/// Refuses a time before 1677 or after 2262 with a `kind::value_invalid`.
template <class Duration>
[[nodiscard]] result<timestamp>
to_timestamp(std::chrono::time_point<std::chrono::system_clock, Duration> time) {
    const auto since = to_duration(time.time_since_epoch());
    if (!since) {
        return unexpected{since.error()};
    }
    return timestamp{since->nanoseconds};
}

}  // namespace sdp

#endif  // SDP_CHRONO_HPP
