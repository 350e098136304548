/// Values of any shape: read, passed over, written and measured.
#ifndef SDP_SHAPE_HPP
#define SDP_SHAPE_HPP

#include <cstddef>

#include "cursor.hpp"
#include "place.hpp"
#include "shapes_fixed.hpp"
#include "writer.hpp"

namespace sdp::wire {

/// Reads a value of any shape.
template <class Shape, class Decoder, class T>
[[nodiscard, gnu::always_inline]] inline bool read(Decoder& d, cursor& s, T& value,
                                                   std::size_t depth) {
    if constexpr (Shape::fixed) {
        if (!charge<Shape>(d, depth)) {
            return false;
        }
        const std::byte* from = s.take(Shape::bytes);
        if (from == nullptr) {
            return false;
        }
        if constexpr (Shape::checked && !Decoder::trusts) {
            if (!Shape::valid(from)) {
                return false;
            }
        }
        load<Shape>(from, value);
        return true;
    } else {
        return Shape::read(d, s, value, depth);
    }
}

/// Passes over a value, which is validated unless the decoder trusts.
template <class Shape, class Decoder>
[[nodiscard]] bool pass(Decoder& d, cursor& s, std::size_t depth) {
    place passed;
    return read<Shape>(d, s, passed, depth);
}

/// Writes a value of any shape, and returns where the next one goes.
template <class Shape, class T>
[[nodiscard, gnu::always_inline]] inline std::byte* write(writer& w, std::byte* output,
                                                          const T& value, std::size_t depth) {
    if constexpr (Shape::fixed) {
        if constexpr (Shape::levels > 0) {
            if (!w.enter(depth + Shape::levels)) {
                return output;
            }
        }
        if (!encodable<Shape>(value)) {
            w.refuse();
            return output;
        }
        if (!w.room(output, Shape::bytes)) {
            return output;
        }
        Shape::store(output, value);
        return output + Shape::bytes;
    } else {
        return Shape::write(w, output, value, depth);
    }
}

/// How many bytes a value has. Of one that can't be encoded it means nothing.
template <class Shape, class T>
[[nodiscard]] std::size_t size(const T& value, std::size_t depth) {
    if constexpr (Shape::fixed) {
        static_cast<void>(value);
        static_cast<void>(depth);
        return Shape::bytes;
    } else {
        return Shape::size(value, depth);
    }
}

}  // namespace sdp::wire

#endif  // SDP_SHAPE_HPP
