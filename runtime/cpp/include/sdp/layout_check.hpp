/// Checks that a walk can follow a layout, and finds the smallest sizes.
#ifndef SDP_LAYOUT_CHECK_HPP
#define SDP_LAYOUT_CHECK_HPP

#include <cstddef>
#include <cstdint>
#include <limits>

#include "layout.hpp"

namespace sdp::wire::walk {

/// The most passes in which sizes are computed again. Sizes are right for values that nest that
/// many aggregates, far beyond what a compiler lets through.
inline constexpr int measure_passes_max = 1024;

/// The size of a type of which no finite value is known yet. Adding to it and multiplying it
/// saturate, and leave it as it is.
inline constexpr std::uint64_t unmeasured = std::numeric_limits<std::uint64_t>::max();

[[nodiscard]] constexpr std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) noexcept {
    return b > unmeasured - a ? unmeasured : a + b;
}

[[nodiscard]] constexpr std::uint64_t saturating_product(std::uint64_t a,
                                                         std::uint64_t b) noexcept {
    return b != 0 && a > unmeasured / b ? unmeasured : a * b;
}

/// The smallest size of a type as a field or an element.
[[nodiscard]] inline std::uint64_t smallest(const table& layout, std::uint32_t index) noexcept {
    std::uint64_t times = 1;
    while (layout.types[index].kind == type_kind::array) {
        times = saturating_product(times, layout.types[index].n);
        index = layout.types[index].part;
    }
    const type& one = layout.types[index];
    switch (one.kind) {
    case type_kind::scalar:
        return saturating_product(times, one.scalar.width);
    case type_kind::block: {
        const block& of = layout.blocks[one.part];
        const unsigned length = of.kind == block_kind::message ? 4 : 0;
        return saturating_product(times, saturating_sum(of.smallest, length));
    }
    case type_kind::optional:
    case type_kind::array:
        return times;
    case type_kind::text:
    case type_kind::bytes:
    case type_kind::list:
    case type_kind::map:
        break;
    }
    return saturating_product(times, one.length().width);
}

[[nodiscard]] inline std::uint64_t smallest_payload(const table& layout,
                                                    const member& member) noexcept {
    return member.type == nothing ? 0 : smallest(layout, member.type);
}

/// The smallest size of a struct, or of a message's body: that of its first segment.
[[nodiscard]] inline std::uint64_t smallest_fields(const table& layout,
                                                   const block& block) noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = block.first; i < block.last && layout.members[i].number == 1; ++i) {
        sum = saturating_sum(sum, smallest_payload(layout, layout.members[i]));
    }
    return sum;
}

/// A block's smallest size, without the length that a message has inside other values.
[[nodiscard]] inline std::uint64_t smallest_body(const table& layout, const block& block) noexcept {
    if (block.kind == block_kind::is_enum) {
        return block.base.width;
    }
    if (block.kind != block_kind::is_union) {
        return smallest_fields(layout, block);
    }
    if (!block.closed) {
        return 5;
    }
    std::uint64_t least = unmeasured;
    for (std::size_t i = block.first; i < block.last; ++i) {
        const std::uint64_t payload = smallest_payload(layout, layout.members[i]);
        least = payload < least ? payload : least;
    }
    return saturating_sum(least, 1);
}

/// How many levels a struct without bytes is made of. It holds nothing but such structs, whose
/// levels were found when their size was.
[[nodiscard]] inline std::uint32_t levels_of(const table& layout, const block& block) noexcept {
    std::uint32_t deepest = 0;
    for (std::size_t i = block.first; i < block.last; ++i) {
        const type& held = layout.types[layout.members[i].type];
        if (held.kind == type_kind::block && layout.blocks[held.part].levels > deepest) {
            deepest = layout.blocks[held.part].levels;
        }
    }
    return deepest + 1;
}

/// Finds the smallest sizes, and reports whether all are finite. Types may refer to each other in
/// cycles, so it starts from "no finite value known" and repeats until nothing changes; types
/// mostly refer to later blocks, so it goes backwards.
[[nodiscard]] inline bool measure(table& layout) noexcept {
    for (block& of : layout.blocks) {
        of.smallest = unmeasured;
    }
    for (int pass = 0; pass < measure_passes_max; ++pass) {
        bool changed = false;
        bool finite = true;
        for (std::size_t i = layout.blocks.size(); i-- > 0;) {
            block& of = layout.blocks[i];
            const std::uint64_t size = smallest_body(layout, of);
            finite = finite && size != unmeasured;
            if (size != of.smallest) {
                changed = true;
                of.smallest = size;
                of.levels =
                    size == 0 && of.kind == block_kind::is_struct ? levels_of(layout, of) : 0;
            }
        }
        if (!changed) {
            return finite;
        }
    }
    return false;
}

[[nodiscard]] inline bool is_key(const table& layout, const type& type) noexcept {
    const auto scalar = layout.scalar_of(type);
    return type.kind == type_kind::text || (scalar && scalar->kind != scalar_kind::plain);
}

/// Reports whether references lead somewhere, keys can be keys, and every type has a finite value
/// and every element a byte: a walk that believes a count then ends. It also fills in the smallest
/// sizes.
[[nodiscard]] inline bool is_sound(table& layout) noexcept {
    if (layout.blocks.empty() || layout.blocks.front().kind == block_kind::is_enum) {
        return false;
    }
    for (const type& of : layout.types) {
        if (of.kind == type_kind::block && of.part >= layout.blocks.size()) {
            return false;
        }
    }
    if (!measure(layout)) {
        return false;
    }
    for (const type& of : layout.types) {
        const bool has_elements = of.kind == type_kind::list || of.kind == type_kind::array;
        if ((has_elements && smallest(layout, of.part) == 0) ||
            (of.kind == type_kind::map && !is_key(layout, layout.types[of.key]))) {
            return false;
        }
    }
    return true;
}

}  // namespace sdp::wire::walk

#endif  // SDP_LAYOUT_CHECK_HPP
