/// Elements that lie elsewhere.
#ifndef SDP_SPAN_HPP
#define SDP_SPAN_HPP

#if __has_include(<version>)
#include <version>
#endif

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__cpp_lib_span)

#include <span>

namespace sdp {

/// Elements that lie elsewhere, one after the other.
template <class T>
using span = std::span<T>;

}  // namespace sdp

#else

#include <iterator>

namespace sdp {

/// Elements that lie elsewhere, one after the other, by the interface of C++20's `std::span`, which
/// it is where the standard library has it.
template <class T>
class span {
    // A container whose elements are `T` or can be read as `T`: a span of constant elements needs
    // more conditions.
    template <class C>
    using element_of = std::remove_pointer_t<decltype(std::data(std::declval<C&>()))>;
    template <class C>
    using if_fits = std::enable_if_t<
        std::is_convertible_v<element_of<C> (*)[], T (*)[]> &&
        std::is_convertible_v<decltype(std::size(std::declval<C&>())), std::size_t>>;

   public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;
    using iterator = T*;

    constexpr span() noexcept = default;
    constexpr span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

    template <class C, class = if_fits<C>>
    constexpr span(C& container) : data_(std::data(container)), size_(std::size(container)) {}

    template <class C, class = if_fits<const C>,
              std::enable_if_t<std::is_const_v<T> && !std::is_same_v<C, span>, int> = 0>
    constexpr span(const C& container) : data_(std::data(container)), size_(std::size(container)) {}

    [[nodiscard]] constexpr T* data() const noexcept { return data_; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] constexpr T* begin() const noexcept { return data_; }
    [[nodiscard]] constexpr T* end() const noexcept { return data_ + size_; }
    [[nodiscard]] constexpr T& operator[](std::size_t i) const noexcept { return data_[i]; }
    [[nodiscard]] constexpr T& front() const noexcept { return data_[0]; }
    [[nodiscard]] constexpr T& back() const noexcept { return data_[size_ - 1]; }

    [[nodiscard]] constexpr span first(std::size_t n) const noexcept { return {data_, n}; }
    [[nodiscard]] constexpr span last(std::size_t n) const noexcept {
        return {data_ + (size_ - n), n};
    }
    [[nodiscard]] constexpr span subspan(std::size_t position) const noexcept {
        return {data_ + position, size_ - position};
    }
    [[nodiscard]] constexpr span subspan(std::size_t position, std::size_t n) const noexcept {
        return {data_ + position, n};
    }

   private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace sdp

#endif

namespace sdp {

namespace wire {

/// Whether a type is a type of bytes in memory. `char` is for strings.
template <class B>
inline constexpr bool is_byte =
    std::is_same_v<B, std::byte> || std::is_same_v<B, unsigned char> || std::is_same_v<B, char>;

/// The elements of a container that has `data()`.
template <class C>
using element_of = std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<C&>().data())>>;

}  // namespace wire

/// Bytes that lie elsewhere. They are made from any container of `std::byte`, `unsigned char` or
/// `char` that lies in one piece, and compare by their content.
class bytes_view : public span<const std::byte> {
   public:
    constexpr bytes_view() noexcept = default;

    template <class B, std::enable_if_t<wire::is_byte<B>, int> = 0>
    constexpr bytes_view(const B* data, std::size_t size) noexcept : span(as_bytes(data), size) {}

    template <class C, std::enable_if_t<wire::is_byte<wire::element_of<const C>>, int> = 0>
    constexpr bytes_view(const C& container) noexcept
        : bytes_view(container.data(), container.size()) {}

    // Arrays of `char` are left out: most are texts, with a zero behind them that isn't one of
    // their bytes.
    template <class B, std::size_t N,
              std::enable_if_t<wire::is_byte<B> && !std::is_same_v<B, char>, int> = 0>
    constexpr bytes_view(const B (&array)[N]) noexcept : bytes_view(array, N) {}

    friend bool operator==(bytes_view a, bytes_view b) noexcept {
        return a.size() == b.size() &&
               (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
    }
    friend bool operator!=(bytes_view a, bytes_view b) noexcept { return !(a == b); }

   private:
    template <class B>
    static constexpr const std::byte* as_bytes(const B* data) noexcept {
        if constexpr (std::is_same_v<B, std::byte>) {
            return data;
        } else {
            return reinterpret_cast<const std::byte*>(data);
        }
    }
};

}  // namespace sdp

#endif  // SDP_SPAN_HPP
