/// A value or the error that took its place.
#ifndef SDP_RESULT_HPP
#define SDP_RESULT_HPP

#if __has_include(<version>)
#include <version>
#endif

#include "error.hpp"

#if defined(__cpp_lib_expected)

#include <expected>

namespace sdp {

/// A value or an error.
template <class T>
using result = std::expected<T, error>;

/// The refusal that a function returns instead of a value.
using unexpected = std::unexpected<error>;

}  // namespace sdp

#else

#include <cstdlib>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "exception.hpp"
#include "value_or_error.hpp"

namespace sdp {

/// The refusal that a function returns instead of a value.
class unexpected {
   public:
    explicit unexpected(sdp::error refusal) noexcept : refusal_(std::move(refusal)) {}

    [[nodiscard]] const sdp::error& error() const& noexcept { return refusal_; }
    [[nodiscard]] sdp::error&& error() && noexcept { return std::move(refusal_); }

   private:
    sdp::error refusal_;
};

namespace wire {

/// The end of `value()` where there is an error.
[[noreturn]] inline void no_value([[maybe_unused]] const error& refusal) {
#if defined(__cpp_exceptions)
    throw exception(refusal);
#else
    std::abort();
#endif
}

}  // namespace wire

/// A value or an error, by the interface of C++23's `std::expected`, which it is where the
/// standard library has it. Asking for what isn't there by `*`, `->` or `error()` is undefined.
template <class T>
class [[nodiscard]] result : private wire::copied_as<T> {
    template <class U>
    static constexpr bool is_value =
        !std::is_same_v<std::decay_t<U>, result> && !std::is_same_v<std::decay_t<U>, unexpected> &&
        !std::is_same_v<std::decay_t<U>, std::in_place_t> && std::is_constructible_v<T, U>;

   public:
    using value_type = T;
    using error_type = sdp::error;

    result() = default;

    template <class U = T, std::enable_if_t<is_value<U>, int> = 0>
    result(U&& value) : held_(std::in_place, std::forward<U>(value)) {}

    result(unexpected refusal) : held_(std::move(refusal).error()) {}

    template <class... Args>
    explicit result(std::in_place_t, Args&&... args)
        : held_(std::in_place, std::forward<Args>(args)...) {}

    [[nodiscard]] bool has_value() const noexcept { return held_.has_value; }
    [[nodiscard]] explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] T& operator*() & noexcept { return held_.value; }
    [[nodiscard]] const T& operator*() const& noexcept { return held_.value; }
    [[nodiscard]] T&& operator*() && noexcept { return std::move(held_.value); }
    [[nodiscard]] T* operator->() noexcept { return std::addressof(held_.value); }
    [[nodiscard]] const T* operator->() const noexcept { return std::addressof(held_.value); }

    /// The value. Where there is none, it throws `sdp::exception`, or ends the program where
    /// exceptions are off.
    [[nodiscard]] T& value() & { return checked(*this); }
    [[nodiscard]] const T& value() const& { return checked(*this); }
    [[nodiscard]] T&& value() && { return std::move(checked(*this)); }

    [[nodiscard]] sdp::error& error() & noexcept { return held_.refusal; }
    [[nodiscard]] const sdp::error& error() const& noexcept { return held_.refusal; }
    [[nodiscard]] sdp::error&& error() && noexcept { return std::move(held_.refusal); }

    /// The value, or another where there is none.
    template <class U>
    [[nodiscard]] T value_or(U&& fallback) const& {
        return has_value() ? **this : static_cast<T>(std::forward<U>(fallback));
    }
    template <class U>
    [[nodiscard]] T value_or(U&& fallback) && {
        return has_value() ? *std::move(*this) : static_cast<T>(std::forward<U>(fallback));
    }

   private:
    template <class Self>
    static auto& checked(Self& self) {
        if (!self.has_value()) {
            wire::no_value(self.error());
        }
        return *self;
    }

    wire::value_or_error<T> held_;
};

/// Nothing, or an error.
template <>
class [[nodiscard]] result<void> {
   public:
    using value_type = void;
    using error_type = sdp::error;

    result() = default;
    result(unexpected refusal) : refusal_(std::move(refusal).error()) {}

    [[nodiscard]] bool has_value() const noexcept { return !refusal_; }
    [[nodiscard]] explicit operator bool() const noexcept { return has_value(); }

    /// Returns where there is no error; else it throws `sdp::exception`, or ends the program
    /// where exceptions are off.
    void value() const {
        if (refusal_) {
            wire::no_value(*refusal_);
        }
    }

    [[nodiscard]] sdp::error& error() & noexcept { return *refusal_; }
    [[nodiscard]] const sdp::error& error() const& noexcept { return *refusal_; }
    [[nodiscard]] sdp::error&& error() && noexcept { return *std::move(refusal_); }

   private:
    std::optional<sdp::error> refusal_;
};

}  // namespace sdp

#endif

namespace sdp::wire {

/// The refusal that took a value's place, to be handed on. It is a function of its own, like each
/// function that makes a refusal. A real-time thread has no promise behind a call of one. Without
/// such a call no memory is allocated for a refusal, and the code of the good case stays small.
template <class T>
[[nodiscard, gnu::noinline, gnu::cold]] unexpected refusal_of(result<T>& result) {
    return unexpected(std::move(result).error());
}

}  // namespace sdp::wire

#endif  // SDP_RESULT_HPP
