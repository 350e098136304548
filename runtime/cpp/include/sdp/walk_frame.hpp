/// A frame of a walk: a value that it is inside of. Frames are no function calls, so that
/// no input and no limit can overflow the stack.
#ifndef SDP_WALK_FRAME_HPP
#define SDP_WALK_FRAME_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "layout.hpp"
#include "span.hpp"
#include "spec_gen.hpp"

namespace sdp::wire::walk {

/// A range of bytes that a value must not read beyond [WIRE-3.1].
struct window {
    std::size_t end = 0;
    /// The refusal of an item that goes beyond the end [WIRE-3.3].
    kind over = kind::truncated;
};

enum class frame_kind : std::uint8_t {
    /// A struct's or message's fields.
    fields,
    /// A union's payload.
    alternative,
    /// The elements of a list or array.
    elements,
    /// The entries of a map.
    entries,
};

/// A value of which the walk has begun some part. A kind uses the members that are for it. It is no
/// variant: each source that decodes would compile all that one is made of.
struct frame {
    frame_kind kind = frame_kind::fields;
    /// Whether an open union has narrowed the window to its payload; a closed one doesn't.
    bool narrows = false;
    /// The block of fields, and the type of elements and of a map's values.
    std::uint32_t index = nothing;
    /// The type of a map's keys.
    std::uint32_t key = nothing;
    /// The index of the field that comes next, and that of the alternative. Of elements and
    /// entries, how many the walk has begun.
    std::uint64_t next = 0;
    /// How many elements or entries there are.
    std::uint64_t n = 0;
    /// The window around a message's body or an open union's payload; for a struct, the window that
    /// it lies in.
    window outer{};
    /// The part of the entry before `next` that is walked.
    std::string_view part{};
    /// The last key as it stands on the wire.
    bytes_view last{};
};

/// How many elements or entries of a frame the walk has begun.
[[nodiscard]] inline std::uint64_t begun(const frame& frame) noexcept {
    const bool counts = frame.kind == frame_kind::elements || frame.kind == frame_kind::entries;
    return counts ? frame.next : 0;
}

/// The name that a frame's part appends to the path; elements have none.
[[nodiscard]] inline std::string_view part_name(const frame& frame, const table& layout) noexcept {
    switch (frame.kind) {
    case frame_kind::fields:
        return layout.members[frame.next - 1].name;
    case frame_kind::alternative:
        return layout.members[frame.next].name;
    case frame_kind::elements:
    case frame_kind::entries:
        break;
    }
    return frame.part;
}

}  // namespace sdp::wire::walk

#endif  // SDP_WALK_FRAME_HPP
