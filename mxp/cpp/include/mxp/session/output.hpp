/// The bytes that a session gives out.
#ifndef MXP_SESSION_OUTPUT_HPP
#define MXP_SESSION_OUTPUT_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "../frame.hpp"
#include "../growable_bytes.hpp"

namespace mxp::session {

/// A frame that was given out, in the pieces in which it is to be written. They stay until the
/// session is used again. `value` and `trailer` are empty unless the value was not copied.
struct outgoing {
    bytes_view head{};
    bytes_view value{};
    bytes_view trailer{};

    [[nodiscard]] std::size_t size() const noexcept {
        return head.size() + value.size() + trailer.size();
    }
};

/// How much memory is kept for frames while there are none.
inline constexpr std::size_t idle_bytes = 1024;

/// Bytes one behind the other, which are not filled with zeros before they are written.
class out_buffer {
   public:
    out_buffer() = default;
    out_buffer(out_buffer&& source) noexcept
        : memory_(std::move(source.memory_)), size_(std::exchange(source.size_, 0)) {}
    out_buffer& operator=(out_buffer&& source) noexcept {
        memory_ = std::move(source.memory_);
        size_ = std::exchange(source.size_, 0);
        return *this;
    }

    [[nodiscard]] std::byte* data() const noexcept { return memory_.data(); }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return memory_.capacity(); }

    /// Room for `n` more bytes, which `add` takes.
    [[nodiscard]] std::byte* room(std::size_t n) {
        if (memory_.capacity() - size_ < n) {
            memory_.grow(std::max(size_ + n, 2 * memory_.capacity()));
        }
        return memory_.data() + size_;
    }
    void add(std::size_t n) noexcept { size_ += n; }

    /// Removes bytes from the front.
    void drop_front(std::size_t n) noexcept {
        if (n > 0 && n < size_) {
            std::memmove(data(), data() + n, size_ - n);
        }
        size_ -= n;
    }

    /// Removes all, and keeps no more memory than this.
    void clear(std::size_t room = kept_bytes) noexcept {
        size_ = 0;
        memory_.shrink(room);
    }

    void truncate(std::size_t n) noexcept { size_ = n; }

   private:
    static constexpr std::size_t kept_bytes = 65536;

    wire::growable_bytes memory_;
    std::size_t size_ = 0;
};

/// Many frames that were given out at once. It is to be used again, for the sake of its memory.
class batch {
   public:
    /// Hands the pieces that are to be written, one after the other, to a function.
    template <class Function>
    void each(Function function) const {
        std::size_t at = 0;
        for (const cut& one : cuts_) {
            if (one.at > at) {
                function(bytes_view{buffer_.data() + at, one.at - at});
            }
            function(bytes_view{*one.value});
            at = one.at;
        }
        if (buffer_.size() > at) {
            function(bytes_view{buffer_.data() + at, buffer_.size() - at});
        }
    }

    /// How many bytes the frames have.
    [[nodiscard]] std::size_t size() const noexcept { return buffer_.size() + large_; }
    [[nodiscard]] bool empty() const noexcept { return buffer_.size() == 0; }

    void clear() noexcept {
        buffer_.clear();
        large_ = 0;
        cuts_.clear();
    }

    /// Removes all, and gives memory back.
    void shrink() noexcept {
        buffer_.clear(idle_bytes);
        large_ = 0;
        cuts_ = {};
    }

   private:
    friend class queue;

    /// A value that was not copied, and the place in the buffer where it belongs.
    struct cut {
        std::size_t at;
        std::shared_ptr<const std::vector<std::byte>> value;
    };

    void copy(bytes_view piece) {
        std::memcpy(buffer_.room(piece.size()), piece.data(), piece.size());
        buffer_.add(piece.size());
    }

    out_buffer buffer_;
    /// How many bytes the values have.
    std::size_t large_ = 0;
    std::vector<cut> cuts_;
};

}  // namespace mxp::session

#endif  // MXP_SESSION_OUTPUT_HPP
