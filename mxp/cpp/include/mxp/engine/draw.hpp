/// The use of random draws: numbers from 0 to less than 1 that a driver gives.
#ifndef MXP_ENGINE_DRAW_HPP
#define MXP_ENGINE_DRAW_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace mxp::engine {

/// A number from 0 to less than n.
template <class Draw>
[[nodiscard]] std::size_t below(std::size_t n, Draw& draw) {
    return static_cast<std::size_t>(draw() * static_cast<double>(n));
}

/// Two different numbers from 0 to less than n, which is at least 2.
template <class Draw>
[[nodiscard]] std::pair<std::size_t, std::size_t> two(std::size_t n, Draw& draw) {
    const std::size_t first = below(n, draw);
    return {first, (first + 1 + below(n - 1, draw)) % n};
}

/// A part of a time.
template <class Draw>
[[nodiscard]] std::chrono::microseconds part_of(std::chrono::microseconds longest, Draw& draw) {
    const double us = draw() * static_cast<double>(longest.count());
    return std::chrono::microseconds{static_cast<std::int64_t>(us)};
}

/// Puts things into any order.
template <class Things, class Draw>
void shuffle(Things& things, Draw& draw) {
    for (std::size_t n = things.size(); n > 1; --n) {
        std::swap(things[n - 1], things[below(n, draw)]);
    }
}

}  // namespace mxp::engine

#endif  // MXP_ENGINE_DRAW_HPP
