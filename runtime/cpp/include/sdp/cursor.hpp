/// Where a decoder stands in its input, and the items that it reads there.
#ifndef SDP_CURSOR_HPP
#define SDP_CURSOR_HPP

#include <cstddef>
#include <cstdint>
#include <limits>

#include "byte_order.hpp"

namespace sdp::wire {

/// No bound but that of the width.
inline constexpr std::size_t any = std::numeric_limits<std::size_t>::max();

/// A product that stays at the largest number if it is larger.
[[nodiscard]] constexpr std::size_t times(std::size_t a, std::size_t b) noexcept {
    return b != 0 && a > any / b ? any : a * b;
}

/// The rest of the innermost window. Codecs work on copies, which stay in registers.
struct cursor {
    const std::byte* at = nullptr;
    const std::byte* end = nullptr;

    [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end - at); }
    [[nodiscard]] bool empty() const noexcept { return at == end; }

    /// Takes bytes, or returns null if there are not so many.
    [[nodiscard]] const std::byte* take(std::size_t n) noexcept {
        if (n > left()) {
            return nullptr;
        }
        const std::byte* taken = at;
        at += n;
        return taken;
    }

    /// Takes a length or count of so many bytes that is at most `max`. It is not compared with the
    /// number of bytes left.
    template <std::size_t Width>
    [[nodiscard]] bool length(std::size_t& n, std::size_t max) noexcept {
        const std::byte* from = take(Width);
        if (from == nullptr) {
            return false;
        }
        n = static_cast<std::size_t>(load_number<unsigned_of<Width>>(from));
        return n <= max;
    }

    /// Takes a length and so many bytes.
    template <std::size_t Width>
    [[nodiscard]] bool bytes(const std::byte*& data, std::size_t& n, std::size_t max) noexcept {
        if (!length<Width>(n, max)) {
            return false;
        }
        data = take(n);
        return data != nullptr;
    }

    /// Takes the length of a window and the window.
    [[nodiscard]] bool window(cursor& inner) noexcept {
        std::size_t n = 0;
        if (!bytes<4>(inner.at, n, any)) {
            return false;
        }
        inner.end = inner.at + n;
        return true;
    }

    /// Takes a presence byte.
    [[nodiscard]] bool presence(bool& present) noexcept {
        const std::byte* from = take(1);
        if (from == nullptr || std::to_integer<unsigned>(*from) > 1) {
            return false;
        }
        present = *from != std::byte{0};
        return true;
    }
};

}  // namespace sdp::wire

#endif  // SDP_CURSOR_HPP
