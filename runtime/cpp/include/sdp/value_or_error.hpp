/// The storage of results where the standard library has no `std::expected`.
#ifndef SDP_VALUE_OR_ERROR_HPP
#define SDP_VALUE_OR_ERROR_HPP

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "error.hpp"

namespace sdp::wire {

/// A value or an error. `std::variant` would do, but every type of it takes long to compile.
template <class T>
struct value_or_error {
    value_or_error() : value(), has_value(true) {}
    template <class... Args>
    explicit value_or_error(std::in_place_t, Args&&... args)
        : value(T(std::forward<Args>(args)...)), has_value(true) {}
    explicit value_or_error(error&& failure) noexcept
        : refusal(std::move(failure)), has_value(false) {}

    value_or_error(const value_or_error& source) : has_value(source.has_value) { take(source); }
    value_or_error(value_or_error&& source) noexcept(std::is_nothrow_move_constructible_v<T>)
        : has_value(source.has_value) {
        take(std::move(source));
    }
    ~value_or_error() { has_value ? value.~T() : refusal.~error(); }

    value_or_error& operator=(const value_or_error& source) {
        assign(source);
        return *this;
    }
    value_or_error& operator=(value_or_error&& source) noexcept(
        std::is_nothrow_move_constructible_v<T>&& std::is_nothrow_move_assignable_v<T>) {
        assign(std::move(source));
        return *this;
    }

    union {
        T value;
        error refusal;
    };
    bool has_value;

   private:
    /// Puts an error back whose place no value has taken, since that has thrown.
    struct restore_guard {
        value_or_error& place;
        error refusal;
        ~restore_guard() {
            if (!place.has_value) {
                ::new (static_cast<void*>(&place.refusal)) error(std::move(refusal));
            }
        }
    };

    /// Makes what the other holds, where nothing is yet.
    template <class Other>
    void take(Other&& source) {
        if (source.has_value) {
            ::new (static_cast<void*>(std::addressof(value))) T(std::forward<Other>(source).value);
        } else {
            ::new (static_cast<void*>(&refusal)) error(std::forward<Other>(source).refusal);
        }
    }

    template <class Other>
    void assign(Other&& source) {
        if (has_value && source.has_value) {
            value = std::forward<Other>(source).value;
        } else if (has_value) {
            error copied(std::forward<Other>(source).refusal);
            value.~T();
            ::new (static_cast<void*>(&refusal)) error(std::move(copied));
            has_value = false;
        } else if (source.has_value) {
            const restore_guard before{*this, std::move(refusal)};
            refusal.~error();
            take(std::forward<Other>(source));
            has_value = true;
        } else {
            refusal = std::forward<Other>(source).refusal;
        }
    }
};

/// A base that can be copied if `T` can.
template <class T, bool = std::is_copy_constructible_v<T>>
struct copied_as {};
template <class T>
struct copied_as<T, false> {
    copied_as() = default;
    copied_as(const copied_as&) = delete;
    copied_as(copied_as&&) = default;
    copied_as& operator=(const copied_as&) = delete;
    copied_as& operator=(copied_as&&) = default;
    ~copied_as() = default;
};

}  // namespace sdp::wire

#endif  // SDP_VALUE_OR_ERROR_HPP
