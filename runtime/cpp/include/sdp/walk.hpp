/// Names the refusal of bytes that generated code would not take.
#ifndef SDP_WALK_HPP
#define SDP_WALK_HPP

#include <cstddef>
#include <optional>
#include <string_view>

#include "error.hpp"
#include "layout_parse.hpp"
#include "limits.hpp"
#include "span.hpp"
#include "walk_aggregate.hpp"
#include "walk_value.hpp"
#include "walker.hpp"

namespace sdp::wire {

/// `explain` by a layout that was read.
[[nodiscard]] inline std::optional<error> explain_by(const walk::table& layout, bytes_view input,
                                                     std::size_t base, mode mode, bool exact,
                                                     const limits& most,
                                                     std::optional<std::size_t> memory_at) {
    if (input.size() > most.message_bytes) {
        return error{kind::limit_message_bytes, base, {}};
    }
    walk::walker walker{layout, input, exact, most, memory_at};
    const auto refused = walker.walk(mode);
    if (!refused) {
        return std::nullopt;
    }
    return error{refused->kind, base + refused->at, walker.path()};
}

/// Names the refusal of input that generated code would not take: walks the input item by item, as
/// WIRE-1.7 says, and stops at the first check that fails. `layout` is the layout text of the
/// value's type, `input` the value's bytes, and `base` what comes before them in the caller's
/// bytes: 0, or the size of a header. `exact` refuses missing segments and unknown tails
/// [WIRE-7.7] [WIRE-7.8].
///
/// `memory_at` is for a decoder that ran out of memory: the place in `input` of the length or count
/// that asked for it, or the place behind that. Refusals of earlier items come first.
///
/// The walk decodes nothing. It takes time linear in layout and input, and heap for the layout, the
/// path and each level of nesting of the input. It takes no stack for any of them, so that it
/// cannot overflow under any limits. Nothing is kept of the layout, which may be any text. It
/// returns nothing if it finds nothing wrong or can't read the layout, which only a defect of the
/// generated code explains.
[[nodiscard]] inline std::optional<error> explain(std::string_view layout, bytes_view input,
                                                  std::size_t base, mode mode, bool exact,
                                                  const limits& most,
                                                  std::optional<std::size_t> memory_at) {
    const auto table = walk::parse_layout(layout);
    return table ? explain_by(*table, input, base, mode, exact, most, memory_at) : std::nullopt;
}

}  // namespace sdp::wire

#endif  // SDP_WALK_HPP
