/// The largest number, and sums that are no more.
#ifndef MXP_SESSION_NUMBER_HPP
#define MXP_SESSION_NUMBER_HPP

#include <cstdint>
#include <limits>

namespace mxp::session {

/// The time of what doesn't happen, and the largest number of anything.
inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// A sum that is at most the largest number.
[[nodiscard]] constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
    return a > never - b ? never : a + b;
}

}  // namespace mxp::session

#endif  // MXP_SESSION_NUMBER_HPP
