/// Encoding and decoding: the functions that programs call, for generated types of every form.
///
/// `T` is a generated type: owned (`plugins::Registry`), borrowed (`plugins::RegistryRef`), with
/// memory from a resource (`plugins::pmr::Registry`) or, for decoding, a view
/// (`plugins::RegistryView`). All types and forms refuse the same input with the same `sdp::kind`.
#ifndef SDP_CODEC_HPP
#define SDP_CODEC_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "decoder.hpp"
#include "header.hpp"
#include "limits.hpp"
#include "result.hpp"
#include "shapes.hpp"
#include "span.hpp"
#include "values.hpp"

namespace sdp {

/// The type id of a type in message mode.
template <class T>
inline constexpr std::uint16_t type_id = T::sdp_codec::type_id;

/// Identifies the layout of a type, all segments together.
template <class T>
inline constexpr std::uint64_t fingerprint = T::sdp_codec::fingerprint;

/// The fingerprints up to and with each segment: two peers understand each other if one's list
/// begins with the other's.
template <class T>
inline constexpr auto& fingerprints = T::sdp_codec::fingerprints;

/// Decoding n bytes asks for at most this many times n bytes of memory, and 64 KiB. The first
/// refusal of a type in a process asks for more, to read its layout: at most 16 bytes for each of
/// the text's.
template <class T>
inline constexpr std::size_t memory_factor = T::sdp_codec::memory_factor;

/// The canonical text of a type's layout, from which a peer can tell which field differs. It is
/// put together anew each time.
template <class T>
[[nodiscard]] std::string layout();

/// A value at the start of bytes, and how many of them it took.
template <class T>
struct prefix {
    T value;
    std::size_t size = 0;
};

namespace wire {

/// The codecs of types.
template <class... Codecs>
struct codec_list;

/// The shape of a type at the top level, where a message has no length.
template <class Codec>
using top = std::conditional_t<Codec::fixed, fixed_record<Codec>, record<Codec>>;

// The functions that name refusals are declared here, and defined in refusal.hpp: sources that
// include a header which was split from its functions have no need of that.

/// Decodes into a value what lies behind `base` bytes: byte mode and message mode are this one
/// function, so that neither is slower for what an optimizer makes of it.
template <class T>
[[gnu::noinline]] result<std::size_t> decode_at(T& value, bytes_view input, std::size_t base,
                                                mode mode, const decode_options& options);

/// Names what can't be encoded: something in the value, or else `cause`.
template <class T>
[[gnu::noinline, gnu::cold]] unexpected encode_refusal(const T& value, kind cause, bool is_message);

/// Writes a value: it, and `decode_at`, are what all ways of encoding and decoding come to.
template <class T>
[[nodiscard]] std::byte* write_value(writer& w, std::byte* output, const T& value) {
    return write<top<typename T::sdp_codec>>(w, output, value, 0);
}

/// Writes a header and a value.
template <class T>
[[nodiscard]] std::byte* write_message(writer& w, std::byte* output, const T& value) {
    using codec = typename T::sdp_codec;
    if (!w.room(output, header_bytes)) {
        return output;
    }
    std::byte* payload = output + header_bytes;
    std::byte* end = write_value(w, payload, value);
    const auto n = static_cast<std::size_t>(end - payload);
    if (n > widest<4>) {
        w.refuse();
    } else if (!w.refused()) {
        store_header(output, codec::type_id, static_cast<std::uint32_t>(n));
    }
    return end;
}

/// Appends what `write` makes of a value to a vector or string of bytes.
template <class T, class Bytes, class Write>
result<void> append_by(const T& value, Bytes& output, std::size_t n, bool is_message, Write write) {
    static_assert(is_byte<typename Bytes::value_type>);
    const std::size_t start = output.size();
    if (n > output.max_size() - start) {
        return encode_refusal(value, kind::value_too_large, is_message);
    }
    output.resize(start + n);
    auto* out = reinterpret_cast<std::byte*>(output.data()) + start;
    writer w(out + n);
    const std::byte* end = write(w, out);
    if (w.refused() || end != out + n) {
        output.resize(start);
        return encode_refusal(value, kind::value_too_large, is_message);
    }
    return {};
}

}  // namespace wire

// Byte mode: the value alone.

/// How many bytes the encoding has. Of a value that can't be encoded it means nothing.
template <class T>
[[nodiscard]] std::size_t encoded_size(const T& value) {
    return wire::size<wire::top<typename T::sdp_codec>>(value, 0);
}

/// Writes the encoding to the front of `output` and returns its length. It allocates nothing.
template <class T>
[[nodiscard]] result<std::size_t> encode(const T& value, span<std::byte> output) {
    wire::writer w(output.data() + output.size());
    const std::byte* end = wire::write_value(w, output.data(), value);
    if (w.refused()) {
        return wire::encode_refusal(value, kind::buffer_too_small, false);
    }
    return static_cast<std::size_t>(end - output.data());
}

/// Appends the encoding to a vector or string of bytes, which stays as it was if the value can't be
/// encoded.
template <class T, class Bytes>
[[nodiscard]] result<void> append(const T& value, Bytes& output) {
    return wire::append_by(
        value, output, encoded_size(value), false,
        [&](wire::writer& w, std::byte* sink) { return wire::write_value(w, sink, value); });
}

/// Returns the encoding in memory of its own.
template <class T>
[[nodiscard]] result<std::vector<std::byte>> encode(const T& value) {
    std::vector<std::byte> bytes;
    if (auto done = append(value, bytes); !done) {
        return wire::refusal_of(done);
    }
    return bytes;
}

/// Reports the first thing in a value that encoding would refuse, or a string that isn't UTF-8,
/// which encoding trusts.
template <class T>
[[nodiscard]] result<void> validate(const T& value);

/// Decodes bytes that are one value into one that is there, and reuses its memory. After an error
/// it holds a part of the value.
template <class T>
[[nodiscard]] result<void> decode_into(T& value, bytes_view input,
                                       const decode_options& options = {}) {
    auto done = wire::decode_at(value, input, 0, wire::mode::whole, options);
    if (!done) {
        return wire::refusal_of(done);
    }
    return {};
}

/// Decodes bytes that are one value and nothing else. Borrowed values and views point into them.
template <class T>
[[nodiscard]] result<T> decode(bytes_view input, const decode_options& options = {}) {
    result<T> value(std::in_place, wire::made<T>(options.resource));
    if (auto done = decode_into(*value, input, options); !done) {
        value = wire::refusal_of(done);
    }
    return value;
}

/// Decodes only bytes that encode to the same bytes again: no segment may be missing or unknown.
/// It is for values that are signed or hashed.
template <class T>
[[nodiscard]] result<T> decode_exact(bytes_view input, decode_options options = {}) {
    options.exact = true;
    return decode<T>(input, options);
}

/// Decodes a value from the start of bytes, and says how many it has. A message has no end of its
/// own and takes all of them.
template <class T>
[[nodiscard]] result<prefix<T>> decode_prefix(bytes_view data, const decode_options& options = {}) {
    result<prefix<T>> value(std::in_place, prefix<T>{wire::made<T>(options.resource), 0});
    auto done = wire::decode_at(value->value, data, 0, wire::mode::prefix, options);
    if (done) {
        value->size = *done;
    } else {
        value = wire::refusal_of(done);
    }
    return value;
}

// Message mode: a header with the type's id and the length, then the value.

/// Writes a message to the front of `output` and returns its length. It allocates nothing.
template <class T>
[[nodiscard]] result<std::size_t> encode_message(const T& value, span<std::byte> output) {
    wire::writer w(output.data() + output.size());
    const std::byte* end = wire::write_message(w, output.data(), value);
    if (w.refused()) {
        return wire::encode_refusal(value, kind::buffer_too_small, true);
    }
    return static_cast<std::size_t>(end - output.data());
}

/// Appends a message to a vector or string of bytes, which stays as it was if the value can't be
/// encoded.
template <class T, class Bytes>
[[nodiscard]] result<void> append_message(const T& value, Bytes& output) {
    return wire::append_by(
        value, output, header_bytes + encoded_size(value), true,
        [&](wire::writer& w, std::byte* sink) { return wire::write_message(w, sink, value); });
}

/// Returns a message in memory of its own.
template <class T>
[[nodiscard]] result<std::vector<std::byte>> encode_message(const T& value) {
    std::vector<std::byte> bytes;
    if (auto done = append_message(value, bytes); !done) {
        return wire::refusal_of(done);
    }
    return bytes;
}

/// Decodes bytes that are one message of this type into a value that is there.
template <class T>
[[nodiscard]] result<void> decode_message_into(T& value, bytes_view input,
                                               const decode_options& options = {}) {
    bytes_view payload;
    const std::size_t most = options.limits.message_bytes;
    if (!wire::find_payload(input, type_id<T>, most, payload)) {
        return wire::header_refusal(input, type_id<T>, most);
    }
    auto done = wire::decode_at(value, payload, header_bytes, wire::mode::whole, options);
    if (!done) {
        return wire::refusal_of(done);
    }
    const std::size_t end = header_bytes + payload.size();
    if (input.size() > end) {
        return wire::trailing_bytes(end);
    }
    return {};
}

/// Decodes bytes that are one message of this type and nothing else.
template <class T>
[[nodiscard]] result<T> decode_message(bytes_view input, const decode_options& options = {}) {
    result<T> value(std::in_place, wire::made<T>(options.resource));
    if (auto done = decode_message_into(*value, input, options); !done) {
        value = wire::refusal_of(done);
    }
    return value;
}

}  // namespace sdp

#endif  // SDP_CODEC_HPP
