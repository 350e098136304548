/// Shapes of optionals, structs, unions and messages, and of what C++ holds in memory of its own.
#ifndef SDP_SHAPES_RECORD_HPP
#define SDP_SHAPES_RECORD_HPP

#include <cstddef>
#include <optional>
#include <type_traits>

#include "cursor.hpp"
#include "place.hpp"
#include "shape.hpp"
#include "spec_gen.hpp"
#include "values.hpp"
#include "writer.hpp"

namespace sdp::wire {

/// Whether functions of its own read and write a value that lies behind a pointer: it has so many
/// fields that compilers would take long to meet them again in all that holds it.
template <class E, class = void>
inline constexpr bool is_apart = false;
template <class E>
inline constexpr bool is_apart<E, std::enable_if_t<E::codec::apart>> = true;

template <class E, class Decoder, class T>
[[gnu::noinline, gnu::flatten]] bool read_apart(Decoder& d, cursor& s, T& value,
                                                std::size_t depth) {
    return wire::read<E>(d, s, value, depth);
}
template <class E, class Decoder, class T>
[[gnu::always_inline]] inline bool read_held(Decoder& d, cursor& s, T& value, std::size_t depth) {
    if constexpr (is_apart<E>) {
        return read_apart<E>(d, s, value, depth);
    } else {
        return wire::read<E>(d, s, value, depth);
    }
}

template <class E, class T>
[[gnu::noinline, gnu::flatten]] std::byte* write_apart(writer& w, std::byte* output, const T& value,
                                                       std::size_t depth) {
    return wire::write<E>(w, output, value, depth);
}
template <class E, class T>
[[gnu::always_inline]] inline std::byte* write_held(writer& w, std::byte* output, const T& value,
                                                    std::size_t depth) {
    if constexpr (is_apart<E>) {
        return write_apart<E>(w, output, value, depth);
    } else {
        return wire::write<E>(w, output, value, depth);
    }
}

/// The shape of a presence byte and perhaps a value.
template <class E>
struct optional {
    using element = E;
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = 1;

    template <class Decoder, class T>
    static bool read(Decoder& d, cursor& s, T& value, std::size_t depth) {
        const std::byte* start = s.at;
        bool is_present = false;
        if (!s.presence(is_present)) {
            return false;
        }
        if constexpr (std::is_same_v<T, place>) {
            place passed;
            if (is_present && !read_held<E>(d, s, passed, depth)) {
                return false;
            }
            value = {start, s.at};
            return true;
        } else {
            static_cast<void>(start);
            if (!is_present) {
                value.reset();
                return true;
            }
            if (!charge_indirect(d, s, value)) {
                return false;
            }
            return read_held<E>(d, s, present(value, d.resource()), depth);
        }
    }
    template <class T>
    static std::byte* write(writer& w, std::byte* output, const T& value, std::size_t depth) {
        output = w.octet(output, value.has_value() ? 1 : 0);
        return value.has_value() ? write_held<E>(w, output, *value, depth) : output;
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t depth) {
        return 1 + (value.has_value() ? wire::size<E>(*value, depth) : 0);
    }

   private:
    template <class Decoder, class T>
    static bool charge_indirect(Decoder&, cursor&, std::optional<T>&) noexcept {
        return true;
    }
    template <class Decoder, class T, class Allocator>
    static bool charge_indirect(Decoder& d, cursor& s, indirect_optional<T, Allocator>&) noexcept {
        return d.memory(sizeof(T), s.at);
    }
};

/// The shape of a value that C++ holds in memory of its own; its bytes are the bytes of an `E`.
template <class E>
struct boxed {
    using element = E;
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = E::least;

    template <class Decoder, class T>
    static bool read(Decoder& d, cursor& s, T& value, std::size_t depth) {
        if constexpr (std::is_same_v<T, place>) {
            return wire::read<E>(d, s, value, depth);
        } else {
            if (!d.memory(sizeof(typename T::value_type), s.at)) {
                return false;
            }
            return read_held<E>(d, s, *value, depth);
        }
    }
    template <class T>
    static std::byte* write(writer& w, std::byte* output, const T& value, std::size_t depth) {
        return write_held<E>(w, output, *value, depth);
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t depth) {
        return wire::size<E>(*value, depth);
    }
};

/// The shape of a struct or union of varying size.
template <class Codec>
struct record {
    using codec = Codec;
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = Codec::least;

    template <class Decoder, class T>
    static bool read(Decoder& d, cursor& s, T& value, std::size_t depth) {
        if constexpr (std::is_same_v<T, place>) {
            const std::byte* start = s.at;
            typename Codec::places passed;
            if (!Codec::read(d, s, passed, depth + 1)) {
                return false;
            }
            value = {start, s.at};
            return true;
        } else {
            return Codec::read(d, s, value, depth + 1);
        }
    }
    template <class T>
    static std::byte* write(writer& w, std::byte* output, const T& value, std::size_t depth) {
        return Codec::write(w, output, value, depth + 1);
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t depth) {
        return depth < limit_depth ? Codec::size(value, depth + 1) : 0;
    }
};

/// The shape of a message behind the length of its body.
template <class Codec>
struct message {
    using codec = Codec;
    static constexpr bool fixed = false;
    static constexpr bool scalar = false;
    static constexpr std::size_t least = 4 + Codec::least;

    template <class Decoder, class T>
    static bool read(Decoder& d, cursor& s, T& value, std::size_t depth) {
        const std::byte* start = s.at;
        cursor body;
        if (!s.window(body)) {
            return false;
        }
        if constexpr (std::is_same_v<T, place>) {
            typename Codec::places passed;
            if (!Codec::read(d, body, passed, depth + 1)) {
                return false;
            }
            value = {start, s.at};
            return true;
        } else {
            static_cast<void>(start);
            return Codec::read(d, body, value, depth + 1);
        }
    }
    template <class T>
    static std::byte* write(writer& w, std::byte* output, const T& value, std::size_t depth) {
        std::byte* body = w.open(output);
        output = Codec::write(w, body, value, depth + 1);
        w.close(body, output);
        return output;
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t depth) {
        return depth < limit_depth ? 4 + Codec::size(value, depth + 1) : 4;
    }
};

}  // namespace sdp::wire

#endif  // SDP_SHAPES_RECORD_HPP
