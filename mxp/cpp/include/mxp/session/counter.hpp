/// Numbers that any thread may look at.
#ifndef MXP_SESSION_COUNTER_HPP
#define MXP_SESSION_COUNTER_HPP

#include <atomic>
#include <cstdint>

namespace mxp::session {

/// A number that one thread at a time changes, and any looks at, for no more than a plain number
/// costs.
class counter {
   public:
    constexpr counter(std::uint64_t from = 0) noexcept : number_(from) {}
    counter(const counter& from) noexcept : number_(from) {}
    counter& operator=(const counter& from) noexcept { return *this = std::uint64_t{from}; }
    counter& operator=(std::uint64_t to) noexcept {
        number_.store(to, std::memory_order_relaxed);
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
