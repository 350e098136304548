/// A histogram of times.
#ifndef MXP_SESSION_LATENCY_HPP
#define MXP_SESSION_LATENCY_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "counter.hpp"
#include "number.hpp"

namespace mxp::session {

/// The times of requests: a histogram of microseconds.
class latency {
   public:
    /// The bounds go from 1 to 2^25 by powers of two; the last bucket has the rest.
    static constexpr std::size_t bounds = 26;

    /// The bucket of what took so many microseconds.
    [[nodiscard]] static constexpr std::size_t bucket_of(std::uint64_t took) noexcept {
        std::size_t least = 0;
        std::size_t most = bounds;
        while (least < most) {
            const std::size_t middle = (least + most) / 2;
            if (took > std::uint64_t{1} << middle) {
                least = middle + 1;
            } else {
                most = middle;
            }
        }
        return least;
    }

    void add(std::uint64_t took) noexcept { add(bucket_of(took), 1, took); }
    /// Adds what belongs into a bucket, with the sum of its times.
    void add(std::size_t bucket, std::uint64_t n, std::uint64_t took) noexcept {
        buckets_[bucket] += n;
        count_ += n;
        sum_ = mxp::session::sum(sum_, took);
    }
    void add(const latency& source) noexcept {
        for (std::size_t i = 0; i < buckets_.size(); ++i) {
            buckets_[i] += source.buckets_[i];
        }
        count_ += source.count_;
        sum_ = mxp::session::sum(sum_, source.sum_);
    }

    /// The number of times greater than the previous bound, and at most the bound of bucket `i`.
    [[nodiscard]] std::uint64_t bucket(std::size_t i) const noexcept { return buckets_[i]; }
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }

   private:
    std::array<counter, bounds + 1> buckets_{};
    counter count_;
    counter sum_;
};

/// Microseconds as seconds, for metrics.
[[nodiscard]] inline std::string seconds_of(std::uint64_t us) {
    return std::to_string(us / 1000000) + std::to_string(1000000 + us % 1000000).replace(0, 1, ".");
}

}  // namespace mxp::session

#endif  // MXP_SESSION_LATENCY_HPP
