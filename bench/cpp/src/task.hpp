#pragma once

#include <string_view>

namespace bench {

/// A task that codecs are compared at; results call it a case. Codecs leave out those they have no
/// form of.
enum class task {
    /// Into a new buffer each time.
    encode_fresh,
    /// Into the buffer of the time before.
    encode_reused,
    /// `encode_fresh` with SDP's message header.
    encode_fresh_message,
    /// `encode_reused` with SDP's message header.
    encode_reused_message,
    /// Into a new value that owns all it has, and is destroyed.
    decode_fresh,
    /// `decode_fresh` with SDP's message header.
    decode_fresh_message,
    /// Into a new value on an arena, whose memory is there and is used again.
    decode_arena,
    /// Into the value of the time before.
    decode_reused,
    /// Into a new value whose strings and arrays are the bytes.
    decode_borrowed,
    /// Validation of the bytes alone.
    access,
    /// Every field in place, of bytes that are known to be valid.
    read,
    /// Validation, then `read`.
    read_validate,
    /// Into the borrowing value of the time before, then every field of it.
    read_borrowed,
    /// A reference without a codec: a copy of the value, and its destruction.
    clone,
    /// A reference without a codec: allocation of the arrays and copying into them, and their
    /// destruction.
    copy,
};

/// The name in results, as their schema has it.
constexpr std::string_view name(task which) noexcept {
    switch (which) {
    case task::encode_fresh:
        return "encode_fresh";
    case task::encode_reused:
        return "encode_reused";
    case task::encode_fresh_message:
        return "encode_fresh_message";
    case task::encode_reused_message:
        return "encode_reused_message";
    case task::decode_fresh:
        return "decode_fresh";
    case task::decode_fresh_message:
        return "decode_fresh_message";
    case task::decode_arena:
        return "decode_arena";
    case task::decode_reused:
        return "decode_reused";
    case task::decode_borrowed:
        return "decode_borrowed";
    case task::access:
        return "access";
    case task::read:
        return "read";
    case task::read_validate:
        return "read_validate";
    case task::read_borrowed:
        return "read_borrowed";
    case task::clone:
        return "clone";
    case task::copy:
        return "copy";
    }
    return {};
}

}  // namespace bench
