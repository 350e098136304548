/// A queue that has no memory while it was never used.
#ifndef MXP_ENGINE_FIFO_HPP
#define MXP_ENGINE_FIFO_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace mxp::engine {

/// Values that are taken in the order in which they came. Unlike `std::deque`, one that was
/// never used has no memory: there are two in each of a peer's many streams. It grows by blocks of
/// few sizes, which other queues have when they are let go of, and no value is moved.
template <class Value>
class fifo {
   public:
    fifo() = default;
    fifo(const fifo&) = delete;
    fifo& operator=(const fifo&) = delete;
    ~fifo() { drop(); }

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] Value& front() noexcept { return first_->values[taken_]; }
    [[nodiscard]] Value& back() noexcept { return last_->values.back(); }

    template <class... From>
    void emplace_back(From&&... arguments) {
        if (last_ == nullptr || last_->values.size() == last_->values.capacity()) {
            add_block();
        }
        last_->values.emplace_back(std::forward<From>(arguments)...);
        ++size_;
    }
    void pop_front() {
        first_->values[taken_] = Value{};
        ++taken_;
        --size_;
        if (empty()) {
            clear();
        } else if (taken_ == first_->values.size()) {
            drop_first();
        }
    }
    /// The memory that it takes, with what an allocator has beside each value's own.
    [[nodiscard]] std::size_t held() const noexcept { return bytes_ + size() * allocated_beside; }
    void clear() noexcept {
        if (first_ != nullptr && first_.get() == last_ && last_->values.capacity() <= kept) {
            last_->values.clear();
            taken_ = size_ = 0;
        } else {
            drop();
        }
    }

   private:
    struct block {
        std::vector<Value> values;
        std::unique_ptr<block> next;

        [[nodiscard]] std::size_t bytes() const noexcept {
            return sizeof(block) + values.capacity() * sizeof(Value) + 2 * allocated_beside;
        }
    };

    /// The places for which an empty queue keeps its memory.
    static constexpr std::size_t kept = 16;
    /// The places of the first block, of which each next one has twice as many, and of the longest.
    static constexpr std::size_t least = 2;
    static constexpr std::size_t most = std::max<std::size_t>(4096 / sizeof(Value), least);
    /// The bytes that an allocator takes beside each piece of memory.
    static constexpr std::size_t allocated_beside = 16;

    void add_block() {
        auto made = std::make_unique<block>();
        made->values.reserve(last_ == nullptr ? least
                                              : std::min(2 * last_->values.capacity(), most));
        bytes_ += made->bytes();
        std::unique_ptr<block>& place = last_ == nullptr ? first_ : last_->next;
        place = std::move(made);
        last_ = place.get();
    }
    void drop_first() noexcept {
        bytes_ -= first_->bytes();
        first_ = std::move(first_->next);
        taken_ = 0;
    }
    /// One block after the other, since each would let go of the next one within itself.
    void drop() noexcept {
        while (first_ != nullptr) {
            drop_first();
        }
        last_ = nullptr;
        size_ = 0;
    }

    std::unique_ptr<block> first_;
    block* last_ = nullptr;
    /// How many values of the first block were taken.
    std::size_t taken_ = 0;
    std::size_t size_ = 0;
    /// The bytes of the blocks.
    std::size_t bytes_ = 0;
};

}  // namespace mxp::engine

#endif  // MXP_ENGINE_FIFO_HPP
