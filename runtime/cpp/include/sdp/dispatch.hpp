/// The decoder of messages of any type of a generated package.
#ifndef SDP_DISPATCH_HPP
#define SDP_DISPATCH_HPP

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "codec.hpp"
#include "view.hpp"

namespace sdp::wire {

/// Decodes a message of a type, and hands the value on.
template <class T, class Visitor>
[[nodiscard]] result<void> visit_one(Visitor&& visitor, bytes_view input,
                                     const decode_options& options) {
    auto value = decode_message<T>(input, options);
    if (!value) {
        return refusal_of(value);
    }
    std::forward<Visitor>(visitor)(*std::move(value));
    return {};
}

/// Puts what `visit` calls its argument with into a variant.
template <class Any, class Visit>
[[nodiscard]] result<Any> any_message(Visit visit) {
    std::optional<Any> kept;
    auto done = visit([&](auto&& value) { kept.emplace(std::forward<decltype(value)>(value)); });
    if (!done) {
        return refusal_of(done);
    }
    return *std::move(kept);
}

}  // namespace sdp::wire

#endif  // SDP_DISPATCH_HPP
