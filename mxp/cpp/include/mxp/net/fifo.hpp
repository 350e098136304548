/// A queue that has no memory while it was never used.
#ifndef MXP_NET_FIFO_HPP
#define MXP_NET_FIFO_HPP

#include <cstddef>
#include <utility>
#include <vector>

namespace mxp::net::detail {

/// Values that are taken in the order in which they came. Unlike `std::deque`, one that was
/// never used has no memory: there are two in each of a peer's many streams.
template <class Value>
class fifo {
   public:
    [[nodiscard]] bool empty() const noexcept { return first_ == all_.size(); }
    [[nodiscard]] std::size_t size() const noexcept { return all_.size() - first_; }
    [[nodiscard]] Value& front() noexcept { return all_[first_]; }
    [[nodiscard]] Value& back() noexcept { return all_.back(); }

    template <class... From>
    void emplace_back(From&&... from) {
        // The place of those taken is given up when it is half of all, so that each is moved once.
        if (first_ > 0 && first_ >= all_.size() - first_ && all_.size() == all_.capacity()) {
            all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
        // By a quarter, so that there is little memory beside what waits.
        if (all_.size() == all_.capacity()) {
            all_.reserve(all_.size() + all_.size() / 4 + 1);
        }
        all_.emplace_back(std::forward<From>(from)...);
    }
    void pop_front() {
        all_[first_] = Value{};
        ++first_;
        if (empty()) {
            clear();
        }
    }
    /// The memory that it takes, with what an allocator has beside each value's own.
    [[nodiscard]] std::size_t held() const noexcept {
        return all_.capacity() * sizeof(Value) + size() * allocated_beside;
    }
    void clear() noexcept {
        all_.clear();
        first_ = 0;
        if (all_.capacity() > kept) {
            std::vector<Value>{}.swap(all_);
        }
    }

   private:
    /// The places for which an empty queue keeps its memory.
    static constexpr std::size_t kept = 16;
    /// The bytes that an allocator takes beside those that it gives.
    static constexpr std::size_t allocated_beside = 16;

    std::vector<Value> all_;
    std::size_t first_ = 0;
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_FIFO_HPP
