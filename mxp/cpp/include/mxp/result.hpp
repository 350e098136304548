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
template <class T>
using result = std::expected<T, error>;

/// What a function returns instead of a value.
using unexpected = std::unexpected<error>;

}  // namespace mxp

#else

#include <cstdlib>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace mxp {

/// What a function returns instead of a value.
class unexpected {
   public:
    explicit unexpected(mxp::error refusal) noexcept : refusal_(refusal) {}

    [[nodiscard]] const mxp::error& error() const noexcept { return refusal_; }

   private:
    mxp::error refusal_;
};

#if defined(__cpp_exceptions)

/// What `value()` throws where there is an error.
class exception : public std::exception {
   public:
    explicit exception(mxp::error refusal) noexcept : refusal_(refusal) {}

    /// The refusal.
    [[nodiscard]] const mxp::error& error() const noexcept { return refusal_; }

    /// The refusal's name.
    [[nodiscard]] const char* what() const noexcept override {
        return to_string(refusal_.kind).data();
    }

   private:
    mxp::error refusal_;
};

#endif

namespace wire {

/// What `value()` does where there is an error.
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
class [[nodiscard]] result {
    template <class U>
    static constexpr bool is_value =
        !std::is_same_v<std::decay_t<U>, result> && !std::is_same_v<std::decay_t<U>, unexpected> &&
        !std::is_same_v<std::decay_t<U>, std::in_place_t> && std::is_constructible_v<T, U>;

   public:
    using value_type = T;
    using error_type = mxp::error;

    result() = default;

    template <class U = T, std::enable_if_t<is_value<U>, int> = 0>
    result(U&& value) : held_(std::in_place_index<0>, std::forward<U>(value)) {}

    result(unexpected refused) noexcept : held_(std::in_place_index<1>, refused.error()) {}

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

    [[nodiscard]] const mxp::error& error() const noexcept { return *std::get_if<1>(&held_); }

   private:
    template <class Self>
    static auto& checked(Self& self) {
        if (!self.has_value()) {
            wire::no_value(self.error());
        }
        return *self;
    }

    std::variant<T, mxp::error> held_;
};

/// Nothing, or an error.
template <>
class [[nodiscard]] result<void> {
   public:
    using value_type = void;
    using error_type = mxp::error;

    result() = default;
    result(unexpected refused) noexcept : refusal_(refused.error()) {}

    [[nodiscard]] bool has_value() const noexcept { return !refusal_; }
    [[nodiscard]] explicit operator bool() const noexcept { return has_value(); }

    /// Returns where there is no error; else it throws `mxp::exception`, or ends the program
    /// where exceptions are off.
    void value() const {
        if (refusal_) {
            wire::no_value(*refusal_);
        }
    }

    [[nodiscard]] const mxp::error& error() const noexcept { return *refusal_; }

   private:
    std::optional<mxp::error> refusal_;
};

}  // namespace mxp

#endif

#endif  // MXP_RESULT_HPP
