/// A frame of a walk: a value that it is inside of. Frames are no function calls, so that
/// no input and no limit can overflow the stack.
#ifndef SDP_WALK_FRAME_HPP
#define SDP_WALK_FRAME_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

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

/// A struct's or message's fields.
struct fields_frame {
    std::uint32_t block;
    /// The index of the member that comes next.
    std::size_t next;
    /// The window around a message's body; of a struct, the one that it is in.
    window outer;
};

/// A union's payload.
struct alternative_frame {
    /// The index of the member.
    std::size_t member;
    /// The window around an open union's payload; a closed one makes none.
    std::optional<window> outer;
};

/// The elements of a list or array.
struct elements_frame {
    std::uint32_t element;
    std::uint64_t next;
    std::uint64_t n;
};

/// The entries of a map.
struct entries_frame {
    std::uint32_t key;
    std::uint32_t value;
    std::uint64_t next;
    std::uint64_t n;
    /// The part of the entry before `next` that is walked.
    std::string_view part;
    /// The last key as it stands on the wire.
    bytes_view last;
};

/// A value of which the walk has begun some part.
using frame = std::variant<fields_frame, alternative_frame, elements_frame, entries_frame>;

/// How many elements or entries of a frame the walk has begun.
[[nodiscard]] inline std::uint64_t begun(const frame& of) noexcept {
    if (const auto* elements = std::get_if<elements_frame>(&of)) {
        return elements->next;
    }
    const auto* entries = std::get_if<entries_frame>(&of);
    return entries != nullptr ? entries->next : 0;
}

/// The name that a frame's part appends to the path; elements have none.
[[nodiscard]] inline std::string_view part_name(const frame& of, const table& layout) noexcept {
    if (const auto* fields = std::get_if<fields_frame>(&of)) {
        return layout.members[fields->next - 1].name;
    }
    if (const auto* alternative = std::get_if<alternative_frame>(&of)) {
        return layout.members[alternative->member].name;
    }
    const auto* entries = std::get_if<entries_frame>(&of);
    return entries != nullptr ? entries->part : std::string_view{};
}

}  // namespace sdp::wire::walk

#endif  // SDP_WALK_FRAME_HPP
