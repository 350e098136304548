/// Making values whose memory comes from a resource, and all that lies in them does, too.
#ifndef SDP_CONSTRUCTION_HPP
#define SDP_CONSTRUCTION_HPP

#include <array>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sdp::wire {

using resource_allocator = std::pmr::polymorphic_allocator<std::byte>;

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;

/// Whether a type is a struct whose members have initializers, as generated structs do. Braces
/// would initialize each member at this place, so that gcc would warn here of deprecated members.
template <class T>
inline constexpr bool is_struct = std::is_class_v<T> && std::is_aggregate_v<T> && !is_array<T>;

/// A new value without a resource.
template <class T>
[[nodiscard]] T initial() {
    if constexpr (is_struct<T>) {
        T value;
        return value;
    } else {
        return T{};
    }
}

/// Assigns in a function of its own: all that a deep value has to move would be compiled into each
/// loop that reads a list of them, which never moves one.
template <class T, class Other>
[[gnu::noinline]] void assign_apart(T& slot, Other&& value) {
    slot = std::forward<Other>(value);
}

/// An argument of what compilers look into only where the template with the parameter is made:
/// a list, whose elements are defined by then.
template <int>
const resource_allocator& later(const resource_allocator& allocator) noexcept {
    return allocator;
}

/// Whether values of a type take their memory from a resource. Arrays do if their elements do;
/// they have to be told of it element by element.
template <class T>
inline constexpr bool takes_resource = std::uses_allocator_v<T, resource_allocator>;
template <class T, std::size_t N>
inline constexpr bool takes_resource<std::array<T, N>> = takes_resource<T>;

/// The elements of an array that are being made. They are destroyed if one of them fails.
template <class T>
struct element_guard {
    explicit element_guard(T* start) noexcept : first(start) {}
    element_guard(const element_guard&) = delete;
    element_guard& operator=(const element_guard&) = delete;
    ~element_guard() { std::destroy_n(first, count); }

    T* first;
    std::size_t count = 0;
};

/// Makes a new value in memory that has none.
template <class T>
void make(T* place, std::pmr::memory_resource* resource) {
    static_cast<void>(resource);
    if constexpr (!takes_resource<T>) {
        if constexpr (is_struct<T>) {
            ::new (static_cast<void*>(place)) T;
        } else {
            ::new (static_cast<void*>(place)) T{};
        }
    } else if constexpr (is_array<T>) {
        using element = typename T::value_type;
        // An array is its elements, and begins to live with them.
        element_guard<element> elements(reinterpret_cast<element*>(place));
        for (; elements.count < std::tuple_size_v<T>; ++elements.count) {
            make(elements.first + elements.count, resource);
        }
        elements.count = 0;
    } else {
        ::new (static_cast<void*>(place)) T(resource_allocator(resource));
    }
}

template <class Array, std::size_t... Index>
Array made_elements(std::pmr::memory_resource* resource, std::index_sequence<Index...>);

/// A new value by itself. It is for arrays of few elements.
template <class T>
[[nodiscard]] T made(std::pmr::memory_resource* resource) {
    static_cast<void>(resource);
    if constexpr (!takes_resource<T>) {
        return initial<T>();
    } else if constexpr (is_array<T>) {
        return made_elements<T>(resource, std::make_index_sequence<std::tuple_size_v<T>>());
    } else {
        return T(resource_allocator(resource));
    }
}

template <class Array, std::size_t... Index>
Array made_elements(std::pmr::memory_resource* resource, std::index_sequence<Index...>) {
    return {{(static_cast<void>(Index), made<typename Array::value_type>(resource))...}};
}

/// Is converted to a new struct where a container makes one. Its members have initializers: braces,
/// with which containers make values, would fill all of it with zeros before.
template <class T>
struct fresh {
    operator T() const {
        T value;
        return value;
    }
};

}  // namespace sdp::wire

#endif  // SDP_CONSTRUCTION_HPP
