/// The operations of codecs on values of all forms: assign, construct in place, clear, compare.
#ifndef SDP_VALUES_HPP
#define SDP_VALUES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory_resource>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "byte_order.hpp"
#include "construction.hpp"
#include "indirect.hpp"
#include "place.hpp"
#include "span.hpp"

namespace sdp::wire {

/// Whether a type is an unknown alternative.
template <class T, class = void>
inline constexpr bool has_payload = false;
template <class T>
inline constexpr bool has_payload<T, std::void_t<decltype(T::payload)>> = true;

/// Whether a type is the value of a struct, message or union.
template <class T, class = void>
inline constexpr bool has_codec = false;
template <class T>
inline constexpr bool has_codec<T, std::void_t<typename T::sdp_codec>> = true;

// Strings and blobs: owned ones copy, borrowed ones point.

/// The longest text that a string of the standard library has in itself. That of libc++ has longer
/// ones, which are assigned like any other.
inline constexpr std::size_t text_in_string = 15;

/// Assigns a text that may need memory. It is one function of its own with all that it calls:
/// compilers stop inlining in sources that are large, and the functions of strings are small.
template <class Allocator>
[[gnu::noinline, gnu::flatten]] void
assign_long(std::basic_string<char, std::char_traits<char>, Allocator>& target, const char* text,
            std::size_t n) {
    using string = std::basic_string<char, std::char_traits<char>, Allocator>;
    if (n <= target.capacity()) {
        target.assign(text, n);
        return;
    }
    // Memory of exactly the length, which assigning would round up.
    string made(text, n, target.get_allocator());
    if (target.capacity() == text_in_string) {
        // A string without memory needs no comparison of allocators: that is half of moving.
        target.~string();
        ::new (static_cast<void*>(&target)) string(std::move(made));
    } else {
        target = std::move(made);
    }
}

/// Assigns the first `n` of `readable` bytes. Strings of few bytes are made in themselves, where
/// they are asked for.
template <class Allocator>
[[gnu::always_inline]] inline void
assign(std::basic_string<char, std::char_traits<char>, Allocator>& target, const std::byte* data,
       std::size_t n, std::size_t readable) {
    using string = std::basic_string<char, std::char_traits<char>, Allocator>;
    const auto* text = reinterpret_cast<const char*>(data);
    if (n <= text_in_string && readable >= text_in_string && target.capacity() == text_in_string) {
        // A new string is made by a few instructions, where assigning is a call; it takes no
        // memory, so that it can't fail. A copy of a constant number of bytes is no call either;
        // surplus bytes are cut off.
        const Allocator allocator = target.get_allocator();
        target.~string();
        ::new (static_cast<void*>(&target)) string(text, text_in_string, allocator);
        target.resize(n);
    } else {
        assign_long(target, text, n);
    }
}

inline void assign(std::string_view& text, const std::byte* data, std::size_t n,
                   std::size_t) noexcept {
    text = {reinterpret_cast<const char*>(data), n};
}

template <class Allocator>
void assign(std::vector<std::byte, Allocator>& bytes, const std::byte* data, std::size_t n) {
    bytes.assign(data, data + n);
}

inline void assign(bytes_view& bytes, const std::byte* data, std::size_t n) noexcept {
    bytes = {data, n};
}

template <class Text>
[[nodiscard]] const std::byte* data_of(const Text& text) noexcept {
    return reinterpret_cast<const std::byte*>(text.data());
}

// Optional values. A present value is decoded into, so that it keeps its memory.

template <class T>
T& present(std::optional<T>& optional, std::pmr::memory_resource* resource) {
    return optional.has_value() ? *optional : optional.emplace(made<T>(resource));
}

template <class T, class Allocator>
T& present(indirect_optional<T, Allocator>& optional, std::pmr::memory_resource*) {
    return optional.has_value() ? *optional : optional.emplace();
}

/// A new element at the end of a list.
template <class T, class Allocator>
T& added(std::vector<T, Allocator>& list, std::pmr::memory_resource* resource) {
    static_cast<void>(resource);
    if constexpr (is_array<T> && takes_resource<T>) {
        return list.emplace_back(made<T>(resource));
    } else if constexpr (has_codec<T> && !takes_resource<T>) {
        return list.emplace_back(fresh<T>{});
    } else {
        return list.emplace_back();
    }
}

/// The value of a new entry at the end of a map.
template <class K, class V, class Compare, class Allocator>
V& added(std::map<K, V, Compare, Allocator>& map, K&& key, std::pmr::memory_resource* resource) {
    static_cast<void>(resource);
    if constexpr (is_array<V> && takes_resource<V>) {
        return map.emplace_hint(map.end(), std::move(key), made<V>(resource))->second;
    } else {
        return map
            .emplace_hint(map.end(), std::piecewise_construct,
                          std::forward_as_tuple(std::move(key)), std::forward_as_tuple())
            ->second;
    }
}

inline place& present(place& optional, std::pmr::memory_resource*) noexcept { return optional; }

template <class T>
inline constexpr bool is_indirect = false;
template <class T, class Allocator>
inline constexpr bool is_indirect<indirect<T, Allocator>> = true;

/// The value of an alternative: itself if it is a struct declared in the union.
template <class Alternative>
auto& payload_of(Alternative& alternative) noexcept {
    using type = std::remove_const_t<Alternative>;
    if constexpr (has_codec<type> || is_indirect<type>) {
        return alternative;
    } else {
        return alternative.value;
    }
}

/// Makes an alternative the current one, if it isn't.
template <std::size_t Index, class... Alternatives>
auto& alternative(std::variant<Alternatives...>& variant, std::pmr::memory_resource* resource) {
    using type = std::variant_alternative_t<Index, std::variant<Alternatives...>>;
    if (auto* there = std::get_if<Index>(&variant)) {
        return *there;
    }
    if constexpr (has_codec<type> || is_indirect<type>) {
        return variant.template emplace<Index>(made<type>(resource));
    } else if constexpr (std::is_empty_v<type>) {
        static_cast<void>(resource);
        return variant.template emplace<Index>();
    } else if constexpr (has_payload<type>) {
        return variant.template emplace<Index>(type{0, made<decltype(type::payload)>(resource)});
    } else {
        return variant.template emplace<Index>(type{made<decltype(type::value)>(resource)});
    }
}

// Values of a segment that the bytes lack: they are empty, or a default, whose memory is the
// value's or that of the resource.

inline void clear(place& value, std::pmr::memory_resource*) noexcept { value = {}; }
inline void clear(choice& value, std::pmr::memory_resource*) noexcept { value = {}; }

template <class T>
void clear(T& value, std::pmr::memory_resource* resource) {
    static_cast<void>(resource);
    if constexpr (has_codec<T>) {
        T::sdp_codec::reset(value, resource);
    } else if constexpr (is_array<T>) {
        for (auto& item : value) {
            clear(item, resource);
        }
    } else if constexpr (std::is_scalar_v<T> || std::is_trivially_copyable_v<T>) {
        value = T{};
    } else {
        value.clear();
    }
}

template <class T>
void clear(std::optional<T>& value, std::pmr::memory_resource*) noexcept {
    value.reset();
}

template <class T, class Allocator>
void clear(indirect_optional<T, Allocator>& value, std::pmr::memory_resource*) noexcept {
    value.reset();
}

template <class T, class Allocator>
void clear(indirect<T, Allocator>& value, std::pmr::memory_resource* resource) {
    if (value.is_made()) {
        clear(*value, resource);
    }
}

template <class Default>
void fall_back(place& value, const Default&, std::pmr::memory_resource*) noexcept {
    value = {};
}

template <class T, class Default>
void fall_back(T& value, const Default& spare, std::pmr::memory_resource*) {
    if constexpr (std::is_arithmetic_v<T>) {
        value = static_cast<T>(spare);
    } else {
        value = spare;
    }
}

// Where a short text is assigned, gcc 12 warns of an overlap that there is not.
template <class Allocator>
void fall_back(std::basic_string<char, std::char_traits<char>, Allocator>& value,
               const std::string_view& spare, std::pmr::memory_resource*) {
    value.clear();
    value.append(spare);
}

template <class T, class Default>
void fall_back(std::optional<T>& value, const Default& spare, std::pmr::memory_resource* resource) {
    fall_back(present(value, resource), spare, resource);
}

// Equality is that of the encodings: floats compare by their bits [WIRE-14.4].

template <class T>
[[nodiscard]] bool same(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::memcmp(&a, &b, sizeof(T)) == 0;
    } else {
        return a == b;
    }
}

template <class Sequence>
[[nodiscard]] bool same_elements(const Sequence& a, const Sequence& b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (auto at = a.begin(), other = b.begin(); at != a.end(); ++at, ++other) {
        if (!same(*at, *other)) {
            return false;
        }
    }
    return true;
}

template <class T, class Allocator>
[[nodiscard]] bool same(const std::vector<T, Allocator>& a, const std::vector<T, Allocator>& b);
template <class T, std::size_t N>
[[nodiscard]] bool same(const std::array<T, N>& a, const std::array<T, N>& b);
template <class T>
[[nodiscard]] bool same(const std::optional<T>& a, const std::optional<T>& b);
template <class T, class Allocator>
[[nodiscard]] bool same(const indirect_optional<T, Allocator>& a,
                        const indirect_optional<T, Allocator>& b);
template <class T, class Allocator>
[[nodiscard]] bool same(const indirect<T, Allocator>& a, const indirect<T, Allocator>& b);
template <class K, class V, class Compare, class Allocator>
[[nodiscard]] bool same(const std::map<K, V, Compare, Allocator>& a,
                        const std::map<K, V, Compare, Allocator>& b);

template <class T, class Allocator>
bool same(const std::vector<T, Allocator>& a, const std::vector<T, Allocator>& b) {
    return same_elements(a, b);
}

template <class T, std::size_t N>
bool same(const std::array<T, N>& a, const std::array<T, N>& b) {
    return same_elements(a, b);
}

template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
    return a.has_value() == b.has_value() && (!a.has_value() || same(*a, *b));
}

template <class T, class Allocator>
bool same(const indirect_optional<T, Allocator>& a, const indirect_optional<T, Allocator>& b) {
    return a.has_value() == b.has_value() && (!a.has_value() || same(*a, *b));
}

template <class T, class Allocator>
bool same(const indirect<T, Allocator>& a, const indirect<T, Allocator>& b) {
    return same(*a, *b);
}

template <class K, class V, class Compare, class Allocator>
bool same(const std::map<K, V, Compare, Allocator>& a,
          const std::map<K, V, Compare, Allocator>& b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (auto at = a.begin(), other = b.begin(); at != a.end(); ++at, ++other) {
        if (!(at->first == other->first) || !same(at->second, other->second)) {
            return false;
        }
    }
    return true;
}

/// There for types that have codecs, and are no views.
template <class T>
using has_equality = std::enable_if_t<!T::sdp_codec::template is_view<T>>;

template <class T, class = has_equality<T>>
[[nodiscard]] bool operator==(const T& a, const T& b) {
    return T::sdp_codec::equal(a, b);
}
template <class T, class = has_equality<T>>
[[nodiscard]] bool operator!=(const T& a, const T& b) {
    return !(a == b);
}

}  // namespace sdp::wire

#endif  // SDP_VALUES_HPP
