#include "latency.hpp"

#include <algorithm>

namespace rpcbench {

namespace {

/// Bits of a time that a bucket keeps.
constexpr unsigned kept_bits = 6;
constexpr std::size_t of_one = std::size_t{1} << kept_bits;

}  // namespace

std::size_t histogram::bucket(std::uint64_t time) noexcept {
    const auto log = 63U - static_cast<unsigned>(__builtin_clzll(time | 1U));
    const unsigned shift = log < kept_bits ? 0 : log - kept_bits;
    return shift * of_one + static_cast<std::size_t>(time >> shift);
}

std::uint64_t histogram::middle(std::size_t bucket) noexcept {
    if (bucket < 2 * of_one) {
        return bucket;
    }
    const std::size_t shift = bucket / of_one - 1;
    const std::uint64_t kept = bucket - shift * of_one;
    return (kept << shift) + (std::uint64_t{1} << (shift - 1));
}

void histogram::note(std::uint64_t nanoseconds) {
    ++counts_[bucket(nanoseconds)];
    ++count_;
    max_ = std::max(max_, nanoseconds);
}

std::optional<percentiles> histogram::found() const {
    if (count_ == 0) {
        return std::nullopt;
    }
    return percentiles{at(500), at(990), at(999), max_};
}

std::uint64_t histogram::at(std::uint64_t thousandths) const {
    const std::uint64_t wanted = (count_ * thousandths + 999) / 1000;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        seen += counts_[i];
        if (seen >= wanted) {
            return std::min(middle(i), max_);
        }
    }
    return max_;
}

}  // namespace rpcbench
