#pragma once

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/io.h>

#include "capnproto.hpp"

namespace bench {

inline std::string_view text_of(capnp::Text::Reader of) { return {of.begin(), of.size()}; }

inline std::string string_of(capnp::Text::Reader of) { return std::string(text_of(of)); }

inline capnp::Text::Reader text_of(const std::string& of) { return {of.data(), of.size()}; }

/// The memory that a message is built in and the bytes that it is written to; both are used again.
/// Buffers of a builder, which leaves them cleared.
struct capnproto_buffers {
    std::vector<capnp::word> segment;
    std::vector<std::byte> written;
};

/// The codec of a data set. `Form` has the type of its struct, `fill` to make one of the data,
/// `plain` for the reverse, and `sum` to read every field.
template <class Form, class T>
class capnproto_codec {
    using type = typename Form::type;

   public:
    static void add(std::vector<subject>& to, const std::shared_ptr<const T>& data) {
        capnp::MallocMessageBuilder first;
        Form::fill(*data, first.initRoot<type>());
        // Of a size that is known all goes into one segment.
        const std::size_t words = capnp::computeSerializedSizeInWords(first);
        const auto fresh = [words](const T& from) {
            capnp::MallocMessageBuilder message(static_cast<unsigned>(words));
            Form::fill(from, message.initRoot<type>());
            return capnp::messageToFlatArray(message);
        };
        const kj::Array<capnp::word> encoded = fresh(*data);
        subject_builder<T> codec("capnproto", version(), data, bytes_in(encoded));
        codec.encode_fresh(
            task::encode_fresh, codec.bytes(),
            [fresh, &from = codec.data()] { return fresh(opaque(from)); }, bytes_in);
        codec.encode_reused(
            task::encode_reused, codec.bytes(),
            capnproto_buffers{std::vector<capnp::word>(words),
                              std::vector<std::byte>(encoded.size() * sizeof(capnp::word))},
            [&from = codec.data()](capnproto_buffers& into) { encode(opaque(from), into); },
            [](const capnproto_buffers& of) { return bytes_of(of.written); });
        codec.decode_fresh(
            task::decode_fresh, codec.bytes(),
            [](byte_span bytes) { return with_root(bytes, Form::plain); },
            [](const T& decoded) -> const T& { return decoded; });
        codec.read(task::read_validate,
                   [](byte_span bytes) { return with_root(bytes, Form::sum); });
        to.push_back(std::move(codec).done());
    }

   private:
    static std::string version() {
        return std::to_string(CAPNP_VERSION_MAJOR) + "." + std::to_string(CAPNP_VERSION_MINOR) +
               "." + std::to_string(CAPNP_VERSION_MICRO);
    }

    static byte_span bytes_in(const kj::Array<capnp::word>& words) {
        const auto bytes = words.asBytes();
        return std::as_bytes(std::span(bytes.begin(), bytes.size()));
    }

    static void encode(const T& from, capnproto_buffers& into) {
        capnp::MallocMessageBuilder message(kj::arrayPtr(into.segment.data(), into.segment.size()));
        Form::fill(from, message.initRoot<type>());
        kj::ArrayOutputStream out(
            kj::arrayPtr(reinterpret_cast<kj::byte*>(into.written.data()), into.written.size()));
        capnp::writeMessage(out, message);
    }

    template <class Read>
    static auto with_root(byte_span bytes, Read read) {
        const auto* const words = reinterpret_cast<const capnp::word*>(bytes.data());
        capnp::FlatArrayMessageReader message(
            kj::arrayPtr(words, bytes.size() / sizeof(capnp::word)));
        return read(message.getRoot<type>());
    }
};

}  // namespace bench
