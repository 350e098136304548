/// Lists of numbers that lie in the bytes they were decoded from, where the machine can read them
/// there.
#ifndef SDP_NUMBERS_HPP
#define SDP_NUMBERS_HPP

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "byte_order.hpp"
#include "span.hpp"

namespace sdp {

/// A list of numbers, borrowed from encoded bytes if they are aligned for it and in the machine's
/// byte order, else copied. Either way it reads as a span.
template <class T>
class numbers {
   public:
    using value_type = T;
    using allocator_type = std::pmr::polymorphic_allocator<T>;

    numbers() = default;
    explicit numbers(const allocator_type& allocator) : copied_(allocator) {}
    /// Numbers that lie elsewhere, and have to stay there for as long.
    numbers(span<const T> elsewhere) noexcept : borrowed_(elsewhere) {}
    numbers(const numbers&) = default;
    numbers(numbers&&) noexcept = default;
    numbers(const numbers& source, const allocator_type& allocator)
        : borrowed_(source.borrowed_), copied_(source.copied_, allocator) {}
    numbers(numbers&& source, const allocator_type& allocator)
        : borrowed_(source.borrowed_), copied_(std::move(source.copied_), allocator) {}
    ~numbers() = default;
    numbers& operator=(const numbers&) = default;
    numbers& operator=(numbers&&) = default;

    [[nodiscard]] const T* data() const noexcept { return get().data(); }
    [[nodiscard]] std::size_t size() const noexcept { return get().size(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] const T* begin() const noexcept { return data(); }
    [[nodiscard]] const T* end() const noexcept { return data() + size(); }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data()[i]; }
    operator span<const T>() const noexcept { return get(); }

    /// Whether the numbers lie elsewhere.
    [[nodiscard]] bool is_borrowed() const noexcept { return copied_.empty(); }

    void clear() noexcept {
        borrowed_ = {};
        copied_.clear();
    }

    /// Borrows or copies numbers of the wire. It is false if they can only be copied, which is
    /// then for `copy` to do.
    [[nodiscard]] bool borrow(const std::byte* data, std::size_t n) noexcept {
        clear();
        if (n == 0) {
            return true;
        }
        const T* there = wire::in_place<T>(data);
        if (there == nullptr) {
            return false;
        }
        borrowed_ = {there, n};
        return true;
    }

    void copy(const std::byte* data, std::size_t n) {
        copied_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            wire::load_number(data + i * sizeof(T), copied_[i]);
        }
    }

    friend bool operator==(const numbers& a, const numbers& b) noexcept {
        if (a.size() != b.size()) {
            return false;
        }
        // By their bits, as encodings compare.
        return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
    }
    friend bool operator!=(const numbers& a, const numbers& b) noexcept { return !(a == b); }

   private:
    [[nodiscard]] span<const T> get() const noexcept {
        return copied_.empty() ? borrowed_ : span<const T>(copied_.data(), copied_.size());
    }

    span<const T> borrowed_{};
    std::pmr::vector<T> copied_{};
};

}  // namespace sdp

#endif  // SDP_NUMBERS_HPP
