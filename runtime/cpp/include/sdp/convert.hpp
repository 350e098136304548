/// Conversions between the forms of a value.
#ifndef SDP_CONVERT_HPP
#define SDP_CONVERT_HPP

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include "codec.hpp"
#include "limits.hpp"
#include "result.hpp"

namespace sdp {

/// Makes a value that holds all of its memory, `plugins::Registry` or `plugins::pmr::Registry`, of
/// one of any form but a view. It encodes and decodes, and refuses what encoding refuses, and
/// strings that aren't UTF-8. A view is decoded instead from the bytes that it is of.
template <class To, class From>
[[nodiscard]] result<To>
convert(const From& source,
        std::pmr::memory_resource* resource = std::pmr::get_default_resource()) {
    using codec = typename To::sdp_codec;
    static_assert(std::is_same_v<codec, typename From::sdp_codec>, "these are different types");
    static_assert(!codec::template is_view<From>, "a view has no encoding");
    static_assert(!codec::template is_view<To> && !codec::template is_borrowed<To>,
                  "it would point into bytes that are gone");
    const auto bytes = encode(source);
    if (!bytes) {
        return unexpected(bytes.error());
    }
    // Encoded values are trusted not to be too much.
    constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
    const limits all{any, any, limit_depth, any};
    auto value = decode<To>(*bytes, decode_options{all, false, resource});
    if (!value) {
        // Its offset would be one in bytes that nobody sees.
        value.error().offset.reset();
    }
    return value;
}

}  // namespace sdp

#endif  // SDP_CONVERT_HPP
