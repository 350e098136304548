/// Shapes of strings and bytes.
#ifndef SDP_SHAPES_TEXT_HPP
#define SDP_SHAPES_TEXT_HPP

#include <cstddef>
#include <type_traits>

#include "cursor.hpp"
#include "place.hpp"
#include "shapes_fixed.hpp"
#include "text.hpp"
#include "values.hpp"
#include "writer.hpp"

namespace sdp::wire {

/// The shape of a string behind a length of `Width` bytes.
template <std::size_t Width, std::size_t Max = any>
struct text {
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = Width;
    static constexpr std::size_t width = Width;
    static constexpr std::size_t max = Max;

    template <class Decoder, class T>
    [[gnu::always_inline]] static bool read(Decoder&, cursor& s, T& value, std::size_t) {
        const std::byte* start = s.at;
        const std::byte* from = nullptr;
        std::size_t n = 0;
        if (!s.bytes<Width>(from, n, Max)) {
            return false;
        }
        if constexpr (!Decoder::trusts) {
            if (!is_utf8(from, n)) {
                return false;
            }
        }
        if constexpr (std::is_same_v<T, place>) {
            value = {start, s.at};
        } else {
            static_cast<void>(start);
            assign(value, from, n, static_cast<std::size_t>(s.end - from));
        }
        return true;
    }
    template <class T>
    [[gnu::always_inline]] static std::byte* write(writer& w, std::byte* output, const T& value,
                                                   std::size_t) {
        return w.bytes<Width>(output, data_of(value), value.size(), Max);
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t) noexcept {
        return Width + value.size();
    }
};

/// The shape of bytes behind a length of `Width` bytes.
template <std::size_t Width, std::size_t Max = any>
struct blob {
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = Width;
    static constexpr std::size_t width = Width;
    static constexpr std::size_t max = Max;

    template <class Decoder, class T>
    static bool read(Decoder&, cursor& s, T& value, std::size_t) {
        const std::byte* start = s.at;
        const std::byte* from = nullptr;
        std::size_t n = 0;
        if (!s.bytes<Width>(from, n, Max)) {
            return false;
        }
        if constexpr (std::is_same_v<T, place>) {
            value = {start, s.at};
        } else {
            static_cast<void>(start);
            assign(value, from, n);
        }
        return true;
    }
    template <class T>
    static std::byte* write(writer& w, std::byte* output, const T& value, std::size_t) {
        return w.bytes<Width>(output, data_of(value), value.size(), Max);
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t) noexcept {
        return Width + value.size();
    }
};

}  // namespace sdp::wire

#endif  // SDP_SHAPES_TEXT_HPP
