#pragma once

#include <memory_resource>
#include <optional>
#include <string>

#include "build.hpp"
#include "sdp/sdp.hpp"
#include "subjects.hpp"

namespace bench {

/// The value, or what SDP says against it.
template <class T>
const T& taken(const sdp::result<T>& from) {
    if (!from) {
        throw std::runtime_error("SDP refuses: " + from.error().message());
    }
    return *from;
}

template <class T>
void accepted(const sdp::result<T>& from) {
    if (!from) {
        throw std::runtime_error("SDP refuses: " + from.error().message());
    }
}

/// The buffer into which a benchmark encodes again and again.
inline sdp::span<std::byte> span_of(std::vector<std::byte>& buffer) {
    return {buffer.data(), buffer.size()};
}

inline sdp::bytes_view view_of(byte_span bytes) { return {bytes.data(), bytes.size()}; }

/// The encodings of a value of any form.
template <class T, class Value>
void add_sdp_encodings(subject_builder<T>& to, const Value& value, byte_span message) {
    // The results themselves are what is timed: a move out of them would be timed as well.
    const auto taken_bytes = [](const sdp::result<std::vector<std::byte>>& encoded) {
        return byte_span(taken(encoded));
    };
    const auto itself = [](const std::vector<std::byte>& buffer) { return byte_span(buffer); };
    to.encode_fresh(
        task::encode_fresh, to.bytes(), [&value] { return sdp::encode(opaque(value)); },
        taken_bytes);
    to.encode_reused(
        task::encode_reused, to.bytes(), std::vector<std::byte>(to.bytes().size()),
        [&value](std::vector<std::byte>& buffer) {
            accepted(sdp::encode(opaque(value), span_of(buffer)));
        },
        itself);
    to.encode_fresh(
        task::encode_fresh_message, message,
        [&value] { return sdp::encode_message(opaque(value)); }, taken_bytes);
    to.encode_reused(
        task::encode_reused_message, message, std::vector<std::byte>(message.size()),
        [&value](std::vector<std::byte>& buffer) {
            accepted(sdp::encode_message(opaque(value), span_of(buffer)));
        },
        itself);
}

/// The owned form: encoding, decoding, copying. `Form` has the owned type, `make` for the value of
/// the data, and `plain` for the reverse.
template <class Form, class T>
subject_builder<T> sdp_owned(const std::shared_ptr<const T>& data) {
    using owned = typename Form::owned;
    const auto taken_plain = [](const sdp::result<owned>& from) {
        return Form::plain(taken(from));
    };
    const owned made = Form::make(*data);
    subject_builder<T> codec("sdp", std::string(build::sdp_version), data,
                             byte_span(taken(sdp::encode(made))));
    const byte_span message = codec.keep_bytes(byte_span(taken(sdp::encode_message(made))));
    // The value that is encoded and copied was decoded, so that it lies in memory like those.
    const owned& value = codec.keep(owned(taken(sdp::decode<owned>(view_of(codec.bytes())))));
    add_sdp_encodings(codec, value, message);
    codec.decode_fresh(
        task::decode_fresh, codec.bytes(),
        [](byte_span bytes) { return sdp::decode<owned>(view_of(bytes)); }, taken_plain);
    codec.decode_fresh(
        task::decode_fresh_message, message,
        [](byte_span bytes) { return sdp::decode_message<owned>(view_of(bytes)); }, taken_plain);
    codec.decode_reused(
        task::decode_reused, owned(),
        [](owned& into, byte_span bytes) { accepted(sdp::decode_into(into, view_of(bytes))); },
        Form::plain);
    codec.copy(
        task::clone, value, [](const owned& from) { return owned(from); }, Form::plain);
    return codec;
}

/// The view: validation, and reading with and without. `sum` reads every field.
template <class View, class T>
void add_sdp_view(subject_builder<T>& to, std::uint64_t (*sum)(const View&)) {
    const View& validated = to.keep(View(taken(sdp::decode<View>(view_of(to.bytes())))));
    to.access([](byte_span bytes) { return sdp::decode<View>(view_of(bytes)).has_value(); });
    to.read(task::read, [&validated, sum](byte_span) { return sum(opaque(validated)); });
    to.read(task::read_validate,
            [sum](byte_span bytes) { return sum(taken(sdp::decode<View>(view_of(bytes)))); });
}

/// A value of any form whose memory all comes from a buffer that is there.
template <class Value>
class sdp_arena {
   public:
    explicit sdp_arena(std::size_t size) : memory_(size) {}

    /// Decodes a new value in the place of the previous one.
    void decode(byte_span bytes) {
        decoded_.reset();
        arena_.emplace(memory_.data(), memory_.size(), std::pmr::null_memory_resource());
        sdp::decode_options options;
        options.resource = &*arena_;
        decoded_.emplace(sdp::decode<Value>(view_of(bytes), options));
    }

    const Value& value() const { return taken(*decoded_); }

   private:
    std::vector<std::byte> memory_;
    std::optional<std::pmr::monotonic_buffer_resource> arena_;
    std::optional<sdp::result<Value>> decoded_;
};

}  // namespace bench
