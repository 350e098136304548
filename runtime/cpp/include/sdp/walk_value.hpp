/// The walk through what holds no fields.
#ifndef SDP_WALK_VALUE_HPP
#define SDP_WALK_VALUE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "layout_check.hpp"
#include "text.hpp"
#include "walker.hpp"

namespace sdp::wire::walk {

/// Walks a value that takes no frame, or only as far as its first element or field: then a frame is
/// left for the steps that follow.
inline bool walker::value(std::uint32_t index) {
    while (layout_.types[index].kind == type_kind::optional) {
        bool present = false;
        if (!presence(present)) {
            return false;
        }
        if (!present) {
            return true;
        }
        index = layout_.types[index].part;
    }
    const type& of = layout_.types[index];
    switch (of.kind) {
    case type_kind::scalar:
        return scalar_value(of.scalar);
    case type_kind::text:
        return text(of.length());
    case type_kind::bytes:
        return bytes(of.length());
    case type_kind::list:
        return list(of);
    case type_kind::array:
        return array(of);
    case type_kind::map:
        return map(of);
    case type_kind::optional:
    case type_kind::block:
        break;
    }
    const block& named = layout_.blocks[of.part];
    return named.kind == block_kind::is_enum ? enumeration(named) : aggregate(of.part);
}

/// Passes a byte that is 0 or 1.
inline bool walker::flag(kind invalid, bool& set) noexcept {
    const std::size_t at = at_;
    std::uint64_t n = 0;
    if (!number(1, n)) {
        return false;
    }
    set = n == 1;
    return n <= 1 || refuse(invalid, at);
}

/// Passes an optional's presence byte.
inline bool walker::presence(bool& present) noexcept {
    const std::size_t at = at_;
    return flag(kind::presence_invalid, present) && (!present || ask(at));
}

inline bool walker::scalar_value(scalar scalar) noexcept {
    bool set = false;
    return scalar.kind == scalar_kind::is_bool ? flag(kind::bool_invalid, set) : item(scalar.width);
}

/// Passes an enum and checks a closed one's number.
inline bool walker::enumeration(const block& block) noexcept {
    const std::size_t at = at_;
    std::uint64_t n = 0;
    if (!number(block.base.width, n)) {
        return false;
    }
    return !block.closed || layout_.numbered(block, n) || refuse(kind::enum_unknown, at);
}

/// Passes a length and makes its checks in the order of WIRE-3.4. The bytes that it counts are left
/// to be read.
inline bool walker::length_item(length length, std::size_t& n) noexcept {
    const std::size_t at = at_;
    std::uint64_t read = 0;
    if (!number(length.width, read)) {
        return false;
    }
    if (read > length.max) {
        return refuse(kind::limit_max, at);
    }
    if (read > rest()) {
        return refuse(kind::length_exceeds_input, at);
    }
    n = static_cast<std::size_t>(read);
    return ask(at);
}

inline bool walker::bytes(length length) noexcept {
    std::size_t n = 0;
    return length_item(length, n) && item(n);
}

/// Passes a string. The offset of a refused one is the end of its longest well-formed prefix
/// [WIRE-5.2].
inline bool walker::text(length length) noexcept {
    std::size_t n = 0;
    if (!length_item(length, n) || !item(n)) {
        return false;
    }
    const std::size_t at = at_ - n;
    const std::size_t fine = utf8_prefix(input_.data() + at, n);
    return fine == n || refuse(kind::utf8_invalid, at + fine);
}

/// Passes the count of a list or map whose elements take at least `least` bytes each [WIRE-3.4].
inline bool walker::count(length length, std::uint64_t least, std::uint64_t& n) noexcept {
    const std::size_t at = at_;
    if (!number(length.width, n)) {
        return false;
    }
    if (n > length.max) {
        return refuse(kind::limit_max, at);
    }
    if (saturating_product(n, least) > rest()) {
        return refuse(kind::count_exceeds_input, at);
    }
    return charge(n, at) && ask(at);
}

/// Takes elements from the budget.
inline bool walker::charge(std::uint64_t n, std::size_t position) noexcept {
    if (n > elements_) {
        return refuse(kind::limit_elements, position);
    }
    elements_ -= n;
    return true;
}

inline bool walker::list(const type& type) {
    std::uint64_t n = 0;
    if (!count(type.length(), smallest(layout_, type.part), n)) {
        return false;
    }
    elements(type.part, n);
    return true;
}

inline bool walker::array(const type& type) {
    const bool charges = !layout_.scalar_of(layout_.types[type.part]);
    if ((charges && !charge(type.n, at_)) || !ask(at_)) {
        return false;
    }
    elements(type.part, type.n);
    return true;
}

/// Leaves `n` elements to the steps that follow. Numbers can only be missing, so that they are
/// passed at once.
inline void walker::elements(std::uint32_t element, std::uint64_t n) {
    const type& of = layout_.types[element];
    std::uint64_t whole = 0;
    if (of.kind == type_kind::scalar && of.scalar.kind != scalar_kind::is_bool) {
        const std::size_t fit = rest() / of.scalar.width;
        const std::size_t there = n < fit ? static_cast<std::size_t>(n) : fit;
        at_ += there * of.scalar.width;
        whole = there;
    }
    frame each;
    each.kind = frame_kind::elements;
    each.index = element;
    each.next = whole;
    each.n = n;
    frames_.push_back(each);
}

inline bool walker::map(const type& type) {
    const std::uint64_t least =
        saturating_sum(smallest(layout_, type.key), smallest(layout_, type.part));
    std::uint64_t n = 0;
    if (!count(type.length(), least, n)) {
        return false;
    }
    frame each;
    each.kind = frame_kind::entries;
    each.key = type.key;
    each.index = type.part;
    each.n = n;
    frames_.push_back(each);
    return true;
}

/// Walks the next entry of a map: the key, then its order, then the value [WIRE-5.11]. Keys need no
/// frames.
inline bool walker::entry(frame frame) {
    const std::size_t at = at_;
    const bool is_first = frame.next == 0;
    ++frame.next;
    frame.part = "key";
    frames_.push_back(frame);
    if (!value(frame.key)) {
        return false;
    }
    const bytes_view key = passed(at);
    if (!is_first && !is_less(layout_.types[frame.key], frame.last, key)) {
        return refuse(kind::map_order, at);
    }
    frame.part = "value";
    frame.last = key;
    frames_.back() = frame;
    return value(frame.index);
}

/// Orders two keys, given as they stand on the wire [WIRE-5.12].
inline bool walker::is_less(const type& key, bytes_view a, bytes_view b) const noexcept {
    if (key.kind == type_kind::text) {
        const std::size_t width = key.length().width;
        const std::size_t n = (a.size() < b.size() ? a.size() : b.size()) - width;
        const int order = n == 0 ? 0 : std::memcmp(a.data() + width, b.data() + width, n);
        return order < 0 || (order == 0 && a.size() < b.size());
    }
    const auto number = layout_.scalar_of(key);
    const bool is_signed = number && number->kind == scalar_kind::is_signed;
    const std::uint64_t sign = is_signed ? std::uint64_t{1} << (8 * number->width - 1) : 0;
    return (bits(a) ^ sign) < (bits(b) ^ sign);
}

}  // namespace sdp::wire::walk

#endif  // SDP_WALK_VALUE_HPP
