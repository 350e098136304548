/// Shapes of fixed size: scalars, and structs and arrays of nothing else.
///
/// A shape says how a type lies in bytes. One of fixed size has
///   bytes      how many bytes a value has, and so `least`
///   levels     how many levels of structs it adds
///   elements   what it takes from the budget of elements
///   checked    whether some bytes are refused, which `valid` tells
///   partial    whether some values of the C++ type have no encoding, which `encodable` tells
/// and loads and stores values without any check: those come before.
#ifndef SDP_SHAPES_FIXED_HPP
#define SDP_SHAPES_FIXED_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "byte_order.hpp"
#include "place.hpp"
#include "time.hpp"
#include "uuid.hpp"
#include "values.hpp"

namespace sdp::wire {

/// The shape of a number, a bool or an enum that may have any number.
template <class T>
struct leaf {
    using value_type = T;
    static constexpr bool fixed = true;
    static constexpr bool scalar = true;
    /// Whether a row of values lies in memory as on the wire.
    static constexpr bool bulk =
        little_endian && std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
    static constexpr std::size_t bytes = sizeof(T);
    static constexpr std::size_t least = bytes;
    static constexpr std::size_t levels = 0;
    static constexpr std::size_t elements = 0;
    static constexpr bool checked = false;
    static constexpr bool partial = false;

    static bool valid(const std::byte*) noexcept { return true; }
    static void load(const std::byte* data, T& value) noexcept { load_number(data, value); }
    static void store(std::byte* output, const T& value) noexcept { store_number(output, value); }
};

/// The shape of a bool.
template <>
struct leaf<bool> {
    using value_type = bool;
    static constexpr bool fixed = true;
    static constexpr bool scalar = true;
    static constexpr bool bulk = false;
    static constexpr std::size_t bytes = 1;
    static constexpr std::size_t least = bytes;
    static constexpr std::size_t levels = 0;
    static constexpr std::size_t elements = 0;
    static constexpr bool checked = true;
    static constexpr bool partial = false;

    static bool valid(const std::byte* data) noexcept {
        return std::to_integer<unsigned>(*data) <= 1;
    }
    static void load(const std::byte* data, bool& value) noexcept { value = *data != std::byte{0}; }
    static void store(std::byte* output, bool value) noexcept {
        *output = static_cast<std::byte>(value ? 1 : 0);
    }
};

/// The shape of a timestamp or duration.
template <class T>
struct nanoseconds {
    using value_type = T;
    static constexpr bool fixed = true;
    static constexpr bool scalar = true;
    static constexpr bool bulk = false;
    static constexpr std::size_t bytes = 8;
    static constexpr std::size_t least = bytes;
    static constexpr std::size_t levels = 0;
    static constexpr std::size_t elements = 0;
    static constexpr bool checked = false;
    static constexpr bool partial = false;

    static bool valid(const std::byte*) noexcept { return true; }
    static void load(const std::byte* data, T& value) noexcept {
        value.nanoseconds = load_number<std::int64_t>(data);
    }
    static void store(std::byte* output, const T& value) noexcept {
        store_number(output, value.nanoseconds);
    }
};

template <>
struct leaf<timestamp> : nanoseconds<timestamp> {};

template <>
struct leaf<duration> : nanoseconds<duration> {};

/// The shape of a UUID.
template <>
struct leaf<uuid> {
    using value_type = uuid;
    static constexpr bool fixed = true;
    static constexpr bool scalar = true;
    static constexpr bool bulk = false;
    static constexpr std::size_t bytes = 16;
    static constexpr std::size_t least = bytes;
    static constexpr std::size_t levels = 0;
    static constexpr std::size_t elements = 0;
    static constexpr bool checked = false;
    static constexpr bool partial = false;

    static bool valid(const std::byte*) noexcept { return true; }
    static void load(const std::byte* data, uuid& value) noexcept {
        std::memcpy(value.bytes.data(), data, 16);
    }
    static void store(std::byte* output, const uuid& value) noexcept {
        std::memcpy(output, value.bytes.data(), 16);
    }
};

/// The shape of an enum; its codec tells the names of its numbers.
template <class Codec>
struct enumeration : leaf<typename Codec::type> {
    using codec = Codec;
};

/// The shape of an enum that has no numbers without a name.
template <class Codec>
struct closed_enumeration : leaf<typename Codec::type> {
    using codec = Codec;
    using type = typename Codec::type;
    static constexpr bool checked = true;
    static constexpr bool partial = true;

    static bool valid(const std::byte* data) noexcept {
        return Codec::is_known(load_number<type>(data));
    }
    static bool encodable(type value) noexcept { return Codec::is_known(value); }
};

/// Whether a value of fixed size has an encoding.
template <class Shape, class T>
[[nodiscard]] bool encodable(const T& value) noexcept {
    if constexpr (Shape::partial) {
        return Shape::encodable(value);
    } else {
        static_cast<void>(value);
        return true;
    }
}

/// The shape of an array of elements of fixed size.
template <class E, std::size_t N>
struct fixed_array {
    using element = E;
    static constexpr bool fixed = true;
    static constexpr bool scalar = false;
    static constexpr bool bulk = false;
    static constexpr std::size_t count = N;
    static constexpr std::size_t bytes = N * E::bytes;
    static constexpr std::size_t least = bytes;
    static constexpr std::size_t levels = E::levels;
    static constexpr std::size_t elements = E::scalar ? 0 : N + N * E::elements;
    static constexpr bool checked = E::checked;
    static constexpr bool partial = E::partial;

    static bool valid(const std::byte* data) noexcept {
        if constexpr (checked) {
            for (std::size_t i = 0; i < N; ++i) {
                if (!E::valid(data + i * E::bytes)) {
                    return false;
                }
            }
        } else {
            static_cast<void>(data);
        }
        return true;
    }
    template <class T>
    static void load(const std::byte* data, std::array<T, N>& value) noexcept {
        if constexpr (E::bulk) {
            std::memcpy(value.data(), data, bytes);
        } else {
            for (std::size_t i = 0; i < N; ++i) {
                E::load(data + i * E::bytes, value[i]);
            }
        }
    }
    template <class T>
    static void store(std::byte* output, const std::array<T, N>& value) noexcept {
        if constexpr (E::bulk) {
            std::memcpy(output, value.data(), bytes);
        } else {
            for (std::size_t i = 0; i < N; ++i) {
                E::store(output + i * E::bytes, value[i]);
            }
        }
    }
    template <class T>
    static bool encodable(const std::array<T, N>& value) noexcept {
        for (const T& item : value) {
            if (!wire::encodable<E>(item)) {
                return false;
            }
        }
        return true;
    }
};

/// The shape of a struct of fixed size.
template <class Codec>
struct fixed_record {
    using codec = Codec;
    static constexpr bool fixed = true;
    static constexpr bool scalar = false;
    static constexpr bool bulk = false;
    static constexpr std::size_t bytes = Codec::bytes;
    static constexpr std::size_t least = bytes;
    static constexpr std::size_t levels = Codec::levels;
    static constexpr std::size_t elements = Codec::elements;
    static constexpr bool checked = Codec::checked;
    static constexpr bool partial = Codec::partial;

    static bool valid(const std::byte* data) noexcept { return Codec::valid(data); }
    template <class T>
    static void load(const std::byte* data, T& value) noexcept {
        Codec::load(data, value);
    }
    template <class T>
    static void store(std::byte* output, const T& value) noexcept {
        Codec::store(output, value);
    }
    template <class T>
    static bool encodable(const T& value) noexcept {
        return Codec::encodable(value);
    }
};

/// Loads a value of fixed size, or notes where it lies.
template <class Shape, class T>
void load(const std::byte* data, T& value) noexcept {
    if constexpr (std::is_same_v<T, place>) {
        value = {data, data + Shape::bytes};
    } else {
        Shape::load(data, value);
    }
}

/// Charges for a value of fixed size.
template <class Shape, class Decoder>
[[nodiscard]] bool charge(Decoder& d, std::size_t depth) noexcept {
    if constexpr (Shape::levels > 0) {
        if (!d.enter(depth + Shape::levels)) {
            return false;
        }
    }
    if constexpr (Shape::elements > 0) {
        if (!d.elements(Shape::elements)) {
            return false;
        }
    }
    static_cast<void>(d);
    static_cast<void>(depth);
    return true;
}

}  // namespace sdp::wire

#endif  // SDP_SHAPES_FIXED_HPP
