/// A histogram of times, with buckets of at most 1/64 of their values.
#ifndef RPCBENCH_LATENCY_HPP
#define RPCBENCH_LATENCY_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rpcbench {

/// Times, in nanoseconds.
struct percentiles {
    std::uint64_t p50 = 0;
    std::uint64_t p99 = 0;
    std::uint64_t p999 = 0;
    std::uint64_t max = 0;
};

class histogram {
   public:
    void note(std::uint64_t nanoseconds);
    /// Nothing where nothing was noted.
    [[nodiscard]] std::optional<percentiles> found() const;
    void clear() { *this = histogram{}; }

    /// The bucket of a time; times below 128 have a bucket of their own.
    [[nodiscard]] static std::size_t bucket(std::uint64_t time) noexcept;
    /// The middle of a bucket.
    [[nodiscard]] static std::uint64_t middle(std::size_t bucket) noexcept;

    /// More than the buckets of 64 bits.
    static constexpr std::size_t buckets = 64U << 6U;

   private:
    /// The time that so many of a thousand are not above.
    [[nodiscard]] std::uint64_t at(std::uint64_t thousandths) const;

    std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(buckets);
    std::uint64_t count_ = 0;
    std::uint64_t max_ = 0;
};

}  // namespace rpcbench

#endif  // RPCBENCH_LATENCY_HPP
