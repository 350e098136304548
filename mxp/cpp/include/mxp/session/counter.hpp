/// Numbers that any thread may look at.
#ifndef MXP_SESSION_COUNTER_HPP
#define MXP_SESSION_COUNTER_HPP

#include <atomic>
#include <cstdint>

namespace mxp::session {

/// A number with one writing thread at a time and any readers, at the cost of a plain number.
class counter {
   public:
    constexpr counter(std::uint64_t number = 0) noexcept : number_(number) {}
    counter(const counter& source) noexcept : number_(source) {}
    counter& operator=(const counter& source) noexcept { return *this = std::uint64_t{source}; }
    counter& operator=(std::uint64_t number) noexcept {
        number_.store(number, std::memory_order_relaxed);
        return *this;
    }
    ~counter() = default;

    operator std::uint64_t() const noexcept { return number_.load(std::memory_order_relaxed); }

    counter& operator+=(std::uint64_t n) noexcept { return *this = *this + n; }
    counter& operator-=(std::uint64_t n) noexcept { return *this = *this - n; }
    counter& operator++() noexcept { return *this += 1; }
    counter& operator--() noexcept { return *this -= 1; }

   private:
    std::atomic<std::uint64_t> number_;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_COUNTER_HPP
