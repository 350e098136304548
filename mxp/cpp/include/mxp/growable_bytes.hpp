/// Memory that grows in place where the system can do so.
#ifndef MXP_GROWABLE_BYTES_HPP
#define MXP_GROWABLE_BYTES_HPP

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace mxp::wire {

/// Bytes that keep their content when there become more of them. Large ones `realloc` moves
/// without a copy, and without both places being there at once.
class growable_bytes {
   public:
    growable_bytes() = default;
    growable_bytes(growable_bytes&& source) noexcept
        : memory_(std::move(source.memory_)), capacity_(std::exchange(source.capacity_, 0)) {}
    growable_bytes& operator=(growable_bytes&& source) noexcept {
        memory_ = std::move(source.memory_);
        capacity_ = std::exchange(source.capacity_, 0);
        return *this;
    }

    [[nodiscard]] std::byte* data() const noexcept { return memory_.get(); }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    /// Makes room for `n` bytes, which are more than there are.
    void grow(std::size_t n) {
        void* const moved = std::realloc(memory_.get(), n);
        if (moved == nullptr) {
#if defined(__cpp_exceptions)
            throw std::bad_alloc{};
#else
            std::abort();
#endif
        }
        static_cast<void>(memory_.release());
        memory_.reset(static_cast<std::byte*>(moved));
        capacity_ = n;
    }

    /// Forgets the bytes, and gives their memory back if it is more than `room`.
    void shrink(std::size_t room) noexcept {
        if (capacity_ > room) {
            memory_.reset();
            capacity_ = 0;
        }
    }

   private:
    struct free_deleter {
        void operator()(std::byte* memory) const noexcept { std::free(memory); }
    };

    std::unique_ptr<std::byte, free_deleter> memory_;
    std::size_t capacity_ = 0;
};

}  // namespace mxp::wire

#endif  // MXP_GROWABLE_BYTES_HPP
