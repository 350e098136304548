/// The functions that name what decoding, encoding and validating refuse, and decoding itself.
#ifndef SDP_REFUSAL_HPP
#define SDP_REFUSAL_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "check.hpp"
#include "codec.hpp"
#include "decoder.hpp"
#include "layout_part.hpp"
#include "limits.hpp"
#include "result.hpp"
#include "shapes.hpp"
#include "span.hpp"
#include "walk.hpp"

namespace sdp {
namespace wire {

/// The target of a decode: a value, or the places of a view.
template <class T>
auto& target(T& value) noexcept {
    if constexpr (T::sdp_codec::template is_view<T>) {
        return access::places(value);
    } else {
        return value;
    }
}

template <class T>
inline constexpr std::size_t factor =
    T::sdp_codec::template is_view<T> ? 0 : T::sdp_codec::memory_factor;

/// A type's layout: its text, and the table of what stands there.
struct layout_and_table {
    explicit layout_and_table(const layout_part& part)
        : text(join_layout(part)), table(walk::parse_layout(text)) {}
    layout_and_table(const layout_and_table&) = delete;
    layout_and_table& operator=(const layout_and_table&) = delete;

    const std::string text;
    const std::optional<walk::table> table;
};

/// A type's layout, as a table. It is read for the first refusal of the type and kept for the life
/// of the process [WIRE-8.9]: reading it for each would cost memory that grows with what peers
/// send. It is never destroyed, since threads may decode for as long as they run.
template <class Codec>
[[gnu::noinline, gnu::cold]] const std::optional<walk::table>& kept_layout() {
    static const auto& kept = *new const layout_and_table(part_of<Codec>::value);
    return kept.table;
}

/// Names a refusal.
[[gnu::noinline, gnu::cold]] inline unexpected refusal(const std::optional<walk::table>& layout,
                                                       bytes_view input, std::size_t base,
                                                       mode mode, const decode_options& options,
                                                       const decoder& d) {
    std::optional<error> found;
    const auto walk = [&](std::optional<std::size_t> memory_at) {
        return layout ? explain_by(*layout, input, base, mode, options.exact, options.limits,
                                   memory_at)
                      : std::nullopt;
    };
    if (d.is_share()) {
        found = walk(std::nullopt);
    }
    if (!found) {
        std::optional<std::size_t> starved;
        if (d.is_poor()) {
            starved = 0;
        } else if (d.starved() != nullptr) {
            starved = static_cast<std::size_t>(d.starved() - input.data());
        }
        found = walk(starved);
    }
    // Only a defect of the generated code leaves nothing to name. Its bytes stay refused.
    return unexpected(found ? std::move(*found) : error{kind::value_invalid, base, {}});
}

/// A cursor over input, which points somewhere even if that has no bytes.
[[nodiscard]] inline cursor cursor_of(bytes_view input) noexcept {
    static constexpr std::byte nowhere{};
    const std::byte* at = input.data() == nullptr ? &nowhere : input.data();
    return {at, at + input.size()};
}

template <class T>
result<std::size_t> decode_at(T& value, bytes_view input, std::size_t base, mode mode,
                              const decode_options& options) {
    using codec = typename T::sdp_codec;
    decoder d(input.size(), factor<T>, options);
    cursor s = cursor_of(input);
    if (input.size() <= options.limits.message_bytes && !d.is_poor() &&
        read<top<codec>>(d, s, target(value), 0) && (mode == mode::prefix || s.empty())) {
        return input.size() - s.left();
    }
    return refusal(kept_layout<codec>(), input, base, mode, options, d);
}

template <class T>
unexpected encode_refusal(const T& value, kind cause, bool is_message) {
    using codec = typename T::sdp_codec;
    const std::size_t n = size<top<codec>>(value, 0);
    const checker all{checks{false, n > widest<4>}};
    flaw found = all.template enter<codec>(value, 1);
    if (!found && is_message) {
        found = checker::check_window(n);
    }
    return unexpected(found ? std::move(*found) : error{cause, std::nullopt, {}});
}

}  // namespace wire

template <class T>
result<void> validate(const T& value) {
    using codec = typename T::sdp_codec;
    const wire::checker all{wire::checks{true, encoded_size(value) > wire::widest<4>}};
    if (wire::flaw found = all.template enter<codec>(value, 1)) {
        return unexpected(std::move(*found));
    }
    return {};
}

}  // namespace sdp

#endif  // SDP_REFUSAL_HPP
