/// Encoding and decoding for programs that use exceptions: the functions of `codec.hpp` with a last
/// argument `sdp::throws`, which return the plain value or throw `sdp::exception`.
#ifndef SDP_THROWING_HPP
#define SDP_THROWING_HPP

#if defined(__cpp_exceptions)

#include <cstddef>
#include <utility>
#include <vector>

#include "codec.hpp"
#include "exception.hpp"
#include "limits.hpp"
#include "result.hpp"
#include "span.hpp"

namespace sdp {

/// The type of `sdp::throws`. Nothing else becomes one, so that `{}` stays short for no options.
class throws_t {
   public:
    struct only {};
    constexpr explicit throws_t(only) noexcept {}
};

/// Says that a function throws `sdp::exception` where it would return an error.
inline constexpr throws_t throws{throws_t::only{}};

/// The value of a result; throws `sdp::exception` if there is an error.
template <class T>
[[nodiscard]] T or_throw(result<T> result) {
    if (!result) {
        throw exception(std::move(result).error());
    }
    return *std::move(result);
}

/// Throws `sdp::exception` if there is an error.
inline void or_throw(result<void> result) {
    if (!result) {
        throw exception(std::move(result).error());
    }
}

// Byte mode.

template <class T>
[[nodiscard]] std::size_t encode(const T& value, span<std::byte> output, throws_t) {
    return or_throw(encode(value, output));
}

template <class T>
[[nodiscard]] std::vector<std::byte> encode(const T& value, throws_t) {
    return or_throw(encode(value));
}

template <class T, class Bytes>
void append(const T& value, Bytes& output, throws_t) {
    or_throw(append(value, output));
}

template <class T>
void validate(const T& value, throws_t) {
    or_throw(validate(value));
}

template <class T>
void decode_into(T& value, bytes_view input, const decode_options& options, throws_t) {
    or_throw(decode_into(value, input, options));
}

template <class T>
void decode_into(T& value, bytes_view input, throws_t) {
    or_throw(decode_into(value, input));
}

template <class T>
[[nodiscard]] T decode(bytes_view input, const decode_options& options, throws_t) {
    return or_throw(decode<T>(input, options));
}

template <class T>
[[nodiscard]] T decode(bytes_view input, throws_t) {
    return or_throw(decode<T>(input));
}

template <class T>
[[nodiscard]] T decode_exact(bytes_view input, const decode_options& options, throws_t) {
    return or_throw(decode_exact<T>(input, options));
}

template <class T>
[[nodiscard]] T decode_exact(bytes_view input, throws_t) {
    return or_throw(decode_exact<T>(input));
}

template <class T>
[[nodiscard]] prefix<T> decode_prefix(bytes_view data, const decode_options& options, throws_t) {
    return or_throw(decode_prefix<T>(data, options));
}

template <class T>
[[nodiscard]] prefix<T> decode_prefix(bytes_view data, throws_t) {
    return or_throw(decode_prefix<T>(data));
}

// Message mode.

template <class T>
[[nodiscard]] std::size_t encode_message(const T& value, span<std::byte> output, throws_t) {
    return or_throw(encode_message(value, output));
}

template <class T>
[[nodiscard]] std::vector<std::byte> encode_message(const T& value, throws_t) {
    return or_throw(encode_message(value));
}

template <class T, class Bytes>
void append_message(const T& value, Bytes& output, throws_t) {
    or_throw(append_message(value, output));
}

template <class T>
void decode_message_into(T& value, bytes_view input, const decode_options& options, throws_t) {
    or_throw(decode_message_into(value, input, options));
}

template <class T>
void decode_message_into(T& value, bytes_view input, throws_t) {
    or_throw(decode_message_into(value, input));
}

template <class T>
[[nodiscard]] T decode_message(bytes_view input, const decode_options& options, throws_t) {
    return or_throw(decode_message<T>(input, options));
}

template <class T>
[[nodiscard]] T decode_message(bytes_view input, throws_t) {
    return or_throw(decode_message<T>(input));
}

}  // namespace sdp

#endif

#endif  // SDP_THROWING_HPP
