/// A value or the error that took its place.
#ifndef MXP_RESULT_HPP
#define MXP_RESULT_HPP

#if __has_include(<version>)
#include <version>
#endif

#include "error.hpp"

#if defined(__cpp_lib_expected)

#include <expected>

namespace mxp {

/// A value or an error.
template <class T, class Error = error>
using result = std::expected<T, Error>;

/// The refusal that a function returns instead of a value.
template <class Error>
using unexpected_of = std::unexpected<Error>;
using unexpected = unexpected_of<error>;

}  // namespace mxp

#else

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace mxp {

/// The refusal that a function returns instead of a value.
template <class Error>
class unexpected_of {
   public:
    explicit unexpected_of(Error refusal) noexcept : refusal_(std::move(refusal)) {}

    [[nodiscard]] const Error& error() const noexcept { return refusal_; }

   private:
    Error refusal_;
};
using unexpected = unexpected_of<error>;

namespace wire {

/// The text of a refusal.
[[nodiscard]] inline std::string text_of(const error& refusal) { return refusal.message(); }
template <class Kind>
[[nodiscard]] std::string text_of(const Kind& refusal) {
    return std::string{to_string(refusal)};
}

}  // namespace wire

#if defined(__cpp_exceptions)

/// The exception that `value()` throws where there is an error.
template <class Error>
class exception_of : public std::runtime_error {
   public:
    explicit exception_of(Error refusal)
        : std::runtime_error(wire::text_of(refusal)), refusal_(std::move(refusal)) {}

    /// The refusal.
    [[nodiscard]] const Error& error() const noexcept { return refusal_; }

   private:
    Error refusal_;
};
using exception = exception_of<error>;

#endif

namespace wire {

/// The end of `value()` where there is an error.
template <class Error>
[[noreturn]] void no_value([[maybe_unused]] const Error& refusal) {
#if defined(__cpp_exceptions)
    throw exception_of<Error>(refusal);
#else
    std::abort();
#endif
}

}  // namespace wire

/// A value or an error, by the interface of C++23's `std::expected`, which it is where the
/// standard library has it. Asking for what isn't there by `*`, `->` or `error()` is undefined.
template <class T, class Error = error>
class [[nodiscard]] result {
    template <class U>
    static constexpr bool is_value =
        !std::is_same_v<std::decay_t<U>, result> &&
        !std::is_same_v<std::decay_t<U>, unexpected_of<Error>> &&
        !std::is_same_v<std::decay_t<U>, std::in_place_t> && std::is_constructible_v<T, U>;

   public:
    using value_type = T;
    using error_type = Error;

    result() = default;

    template <class U = T, std::enable_if_t<is_value<U>, int> = 0>
    result(U&& value) : held_(std::in_place_index<0>, std::forward<U>(value)) {}

    result(unexpected_of<Error> refusal) noexcept
        : held_(std::in_place_index<1>, refusal.error()) {}

    template <class... Args>
    explicit result(std::in_place_t, Args&&... args)
        : held_(std::in_place_index<0>, std::forward<Args>(args)...) {}

    [[nodiscard]] bool has_value() const noexcept { return held_.index() == 0; }
    [[nodiscard]] explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] T& operator*() & noexcept { return *std::get_if<0>(&held_); }
    [[nodiscard]] const T& operator*() const& noexcept { return *std::get_if<0>(&held_); }
    [[nodiscard]] T&& operator*() && noexcept { return std::move(*std::get_if<0>(&held_)); }
    [[nodiscard]] T* operator->() noexcept { return std::get_if<0>(&held_); }
    [[nodiscard]] const T* operator->() const noexcept { return std::get_if<0>(&held_); }

    /// The value. Where there is none, it throws `mxp::exception`, or ends the program where
    /// exceptions are off.
    [[nodiscard]] T& value() & { return checked(*this); }
    [[nodiscard]] const T& value() const& { return checked(*this); }
    [[nodiscard]] T&& value() && { return std::move(checked(*this)); }

    [[nodiscard]] const Error& error() const noexcept { return *std::get_if<1>(&held_); }

   private:
    template <class Self>
    static auto& checked(Self& self) {
        if (!self.has_value()) {
            wire::no_value(self.error());
        }
        return *self;
    }

    std::variant<T, Error> held_;
};

/// Nothing, or an error.
template <class Error>
class [[nodiscard]] result<void, Error> {
   public:
    using value_type = void;
    using error_type = Error;

    result() = default;
    result(unexpected_of<Error> refusal) noexcept : refusal_(refusal.error()) {}

    [[nodiscard]] bool has_value() const noexcept { return !refusal_; }
    [[nodiscard]] explicit operator bool() const noexcept { return has_value(); }

    /// Returns where there is no error; else it throws `mxp::exception`, or ends the program
    /// where exceptions are off.
    void value() const {
        if (refusal_) {
            wire::no_value(*refusal_);
        }
    }

    [[nodiscard]] const Error& error() const noexcept { return *refusal_; }

   private:
    std::optional<Error> refusal_;
};

}  // namespace mxp

#endif

#endif  // MXP_RESULT_HPP
