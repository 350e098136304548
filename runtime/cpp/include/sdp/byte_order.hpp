/// Numbers in memory: little-endian on the wire, in the machine's order in values.
#ifndef SDP_BYTE_ORDER_HPP
#define SDP_BYTE_ORDER_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sdp::wire {

/// Whether numbers lie in this machine's memory as they do on the wire.
#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__) &&                                    \
    __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
inline constexpr bool little_endian = false;
#else
inline constexpr bool little_endian = true;
#endif

/// The unsigned integer of a size.
template <std::size_t Bytes>
using unsigned_of = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t,
                       std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

// Numbers stay in memory until they are used: floats that are passed or returned go through a
// register that changes signalling NaNs, where 32-bit x86 has its convention from before SSE.

// With full optimization, gcc 12 takes an earlier alternative of a std::variant for the alternative
// that is read into it, and warns that it is too small.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

/// Reads a number of any kind, or an enum, out of its bytes. They need no alignment.
template <class T>
void load_number(const std::byte* data, T& value) noexcept {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    if constexpr (little_endian || sizeof(T) == 1) {
        std::memcpy(&value, data, sizeof(T));
    } else {
        std::byte turned[sizeof(T)];
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            turned[i] = data[sizeof(T) - 1 - i];
        }
        std::memcpy(&value, turned, sizeof(T));
    }
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// The same, returned.
template <class T>
[[nodiscard]] T load_number(const std::byte* data) noexcept {
    T value;
    load_number(data, value);
    return value;
}

/// Numbers where their bytes lie; null if this machine can't read them there, by their alignment or
/// its order of bytes. (C++20 [intro.object] lets an array of `std::byte` hold the objects that
/// make these reads defined, and applies to the standards before, as a defect of them.)
template <class T>
[[nodiscard]] const T* in_place(const std::byte* data) noexcept {
    const bool aligned = reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0;
    return little_endian && aligned ? reinterpret_cast<const T*>(data) : nullptr;
}

/// Writes a number's bytes.
template <class T>
void store_number(std::byte* output, const T& value) noexcept {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    if constexpr (little_endian || sizeof(T) == 1) {
        std::memcpy(output, &value, sizeof(T));
    } else {
        std::byte turned[sizeof(T)];
        std::memcpy(turned, &value, sizeof(T));
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            output[i] = turned[sizeof(T) - 1 - i];
        }
    }
}

}  // namespace sdp::wire

#endif  // SDP_BYTE_ORDER_HPP
