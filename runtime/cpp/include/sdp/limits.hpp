/// Bounds and options of a decode.
#ifndef SDP_LIMITS_HPP
#define SDP_LIMITS_HPP

#include <cstddef>
#include <memory_resource>

#include "spec_gen.hpp"

namespace sdp {

/// Bounds on the cost of one decode. The defaults are the same in every language. A limit allows
/// exactly its number, and zero nothing at all.
struct limits {
    /// The longest input or payload.
    std::size_t message_bytes = limit_message_bytes;
    /// The sum of all counts of lists and maps, and of the lengths of arrays that don't hold
    /// scalars.
    std::size_t elements = limit_elements;
    /// How deep structs, messages and unions are nested; the top level is 1. Values deeper than
    /// the default can be decoded with a raised limit, but neither be encoded nor written as JSON;
    /// and a decoder needs stack for every level that the bytes have.
    std::size_t depth = limit_depth;
    /// The bytes that decoding may allocate, cumulatively.
    std::size_t memory_bytes = limit_memory_bytes;

    friend constexpr bool operator==(const limits& a, const limits& b) noexcept {
        return a.message_bytes == b.message_bytes && a.elements == b.elements &&
               a.depth == b.depth && a.memory_bytes == b.memory_bytes;
    }
    friend constexpr bool operator!=(const limits& a, const limits& b) noexcept {
        return !(a == b);
    }
};

/// Chooses how a value is decoded.
struct decode_options {
    /// The bounds of the decode.
    sdp::limits limits{};
    /// Refuses what would not encode to the same bytes again: missing segments and unknown tails
    /// of messages. It is for values that are signed or hashed.
    bool exact = false;
    /// Where the borrowed and `pmr` forms of types take their memory.
    std::pmr::memory_resource* resource = std::pmr::get_default_resource();
};

}  // namespace sdp

#endif  // SDP_LIMITS_HPP
