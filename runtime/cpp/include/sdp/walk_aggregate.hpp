/// The walk through structs, messages and unions.
#ifndef SDP_WALK_AGGREGATE_HPP
#define SDP_WALK_AGGREGATE_HPP

#include <cstddef>
#include <cstdint>
#include <limits>

#include "walker.hpp"

namespace sdp::wire::walk {

/// The length of a nested message's body and of an open union's payload.
inline constexpr length body_length{4, std::numeric_limits<std::uint64_t>::max()};

/// Walks the next part of the value that the innermost frame is for. A frame is put back as long as
/// parts follow, and is away while nothing of it is walked, so that the frames are the path to a
/// refused part.
inline bool walker::step() {
    frame of = frames_.back();
    frames_.pop_back();
    switch (of.kind) {
    case frame_kind::fields:
        return field(of);
    case frame_kind::alternative:
        return leave_union(of);
    case frame_kind::entries:
        return of.next == of.n || entry(of);
    case frame_kind::elements:
        break;
    }
    if (of.next == of.n) {
        return true;
    }
    ++of.next;
    frames_.push_back(of);
    return value(of.index);
}

/// Enters the message at the top level, whose body is all of the input.
inline bool walker::top_message() {
    if (!enter()) {
        return false;
    }
    window_.over = kind::segment_partial;
    fields(0, window_);
    return true;
}

/// Enters a struct, a message with its length, or a union.
inline bool walker::aggregate(std::uint32_t index) {
    if (!enter()) {
        return false;
    }
    const block& of = layout_.blocks[index];
    if (of.kind == block_kind::is_union) {
        return union_value(of);
    }
    if (of.kind == block_kind::message) {
        std::size_t n = 0;
        if (!length_item(body_length, n)) {
            return false;
        }
        fields(index, narrow(n, kind::segment_partial));
    } else if (of.levels > 0 && of.levels - 1 <= depth_max_ - depth_) {
        // Structs that take no bytes can hold each other in ways whose number doubles with each
        // level; nothing but the depth can be wrong with one, so it is walked only where that is.
        --depth_;
    } else {
        fields(index, window_);
    }
    return true;
}

/// Checks the depth of an aggregate before any byte of it is read.
inline bool walker::enter() noexcept {
    if (depth_ >= depth_max_) {
        return refuse(kind::limit_depth, at_);
    }
    ++depth_;
    return true;
}

/// Leaves the fields of a block to the steps that follow.
inline void walker::fields(std::uint32_t index, window outer) {
    frame of;
    of.kind = frame_kind::fields;
    of.index = index;
    of.next = layout_.blocks[index].first;
    of.outer = outer;
    frames_.push_back(of);
}

/// Walks the next field of a struct or message, or leaves it behind the last. A message's body may
/// end before any segment but the first.
inline bool walker::field(frame frame) {
    const block& in = layout_.blocks[frame.index];
    if (frame.next == in.last) {
        return leave_fields(frame);
    }
    if (rest() == 0 && starts_segment(in, frame.next)) {
        return exact_ ? refuse(kind::segment_partial, at_) : leave_fields(frame);
    }
    ++frame.next;
    frames_.push_back(frame);
    return contents(layout_.members[frame.next - 1]);
}

/// Whether a member is the first of a segment behind the first.
inline bool walker::starts_segment(const block& block, std::size_t index) const noexcept {
    const std::uint64_t before = index == block.first ? 1 : layout_.members[index - 1].number;
    return layout_.members[index].number != before;
}

inline bool walker::leave_fields(const frame& frame) {
    const block& in = layout_.blocks[frame.index];
    if (in.kind == block_kind::message && !tail(in.keeps)) {
        return false;
    }
    window_ = frame.outer;
    --depth_;
    return true;
}

/// Passes what follows the segments that the reader knows.
inline bool walker::tail(bool keeps) noexcept {
    if (rest() > 0) {
        if (exact_) {
            return refuse(kind::trailing_bytes, at_);
        }
        if (keeps && !ask(at_)) {
            return false;
        }
    }
    at_ = window_.end;
    return true;
}

/// Walks a union's tag and, if it is open, its payload's length.
inline bool walker::union_value(const block& block) {
    const std::size_t at = at_;
    std::uint64_t tag = 0;
    if (!number(1, tag)) {
        return false;
    }
    const auto alternative = layout_.numbered(block, tag);
    if (tag == 0 || (block.closed && !alternative)) {
        return refuse(kind::union_unknown, at);
    }
    std::size_t n = 0;
    if (block.closed ? !ask(at) : !length_item(body_length, n)) {
        return false;
    }
    if (!alternative) {
        // Nothing of an unknown payload is checked.
        at_ += n;
        --depth_;
        return true;
    }
    frame payload;
    payload.kind = frame_kind::alternative;
    payload.next = *alternative;
    if (!block.closed) {
        payload.narrows = true;
        payload.outer = narrow(n, kind::union_length);
    }
    frames_.push_back(payload);
    return contents(layout_.members[*alternative]);
}

/// Leaves a union behind the contents of its payload.
inline bool walker::leave_union(const frame& frame) noexcept {
    if (frame.narrows) {
        if (rest() > 0) {
            return refuse(kind::union_length, at_);
        }
        window_ = frame.outer;
    }
    --depth_;
    return true;
}

/// Walks a member's value, if it has one.
inline bool walker::contents(const member& row) { return row.type == nothing || value(row.type); }

}  // namespace sdp::wire::walk

#endif  // SDP_WALK_AGGREGATE_HPP
