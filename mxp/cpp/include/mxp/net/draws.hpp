/// The random draws of a client: pauses between attempts, and choices among connections.
#ifndef MXP_NET_DRAWS_HPP
#define MXP_NET_DRAWS_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>

namespace mxp::net::detail {

class draws {
   public:
    /// The number that all draws are, for the player of traces; less than 0, they are random.
    static inline double fixed = -1;

    /// A number from 0 to less than 1.
    [[nodiscard]] double part() {
        return fixed < 0 ? std::generate_canonical<double, 32>(source_) : fixed;
    }

    /// A number from 0 to less than n.
    [[nodiscard]] std::size_t below(std::size_t n) {
        return static_cast<std::size_t>(part() * static_cast<double>(n));
    }

    /// Two different numbers from 0 to less than n, which is at least 2.
    [[nodiscard]] std::pair<std::size_t, std::size_t> two(std::size_t n) {
        const std::size_t first = below(n);
        return {first, (first + 1 + below(n - 1)) % n};
    }

    /// A part of a time.
    [[nodiscard]] std::chrono::microseconds pause(std::chrono::microseconds longest) {
        const double us = part() * static_cast<double>(longest.count());
        return std::chrono::microseconds{static_cast<std::int64_t>(us)};
    }

    [[nodiscard]] std::minstd_rand& source() noexcept { return source_; }

   private:
    std::minstd_rand source_{std::random_device{}()};
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_DRAWS_HPP
