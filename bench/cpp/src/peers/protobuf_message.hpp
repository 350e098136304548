#pragma once

#include <google/protobuf/arena.h>
#include <google/protobuf/message_lite.h>

#include "protobuf.hpp"

namespace bench {

/// An arena with memory of its own that is enough for a message, so that the arena never asks for
/// more; protobuf's strings still do.
template <class Message>
class protobuf_arena {
   public:
    explicit protobuf_arena(std::size_t size)
        : memory_(new char[size]), arena_(options(memory_.get(), size)) {}

    /// A new message in the place of the previous one.
    Message& renew() {
        arena_.Reset();
        message_ = google::protobuf::Arena::CreateMessage<Message>(&arena_);
        return *message_;
    }

    const Message& message() const { return *message_; }

   private:
    static google::protobuf::ArenaOptions options(char* memory, std::size_t size) {
        google::protobuf::ArenaOptions with;
        with.initial_block = memory;
        with.initial_block_size = size;
        return with;
    }

    std::unique_ptr<char[]> memory_;
    google::protobuf::Arena arena_;
    Message* message_ = nullptr;
};

template <class Message>
void parse(Message& into, byte_span bytes) {
    if (!into.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        throw std::runtime_error("protobuf refuses its own bytes");
    }
}

/// The encodings of a message, wherever it lies.
template <class T, class Message>
void add_protobuf_encodings(subject_builder<T>& to, const Message& message) {
    const auto itself = [](const std::string& buffer) { return bytes_of(buffer); };
    to.encode_fresh(
        task::encode_fresh, to.bytes(), [&message] { return opaque(message).SerializeAsString(); },
        itself);
    to.encode_reused(
        task::encode_reused, to.bytes(), std::string(to.bytes().size(), '\0'),
        [&message](std::string& buffer) {
            opaque(message).SerializeToArray(buffer.data(), static_cast<int>(buffer.size()));
        },
        itself);
}

/// The codecs of a data set. `Form` has the type of its message, `fill` to make one of the data,
/// and `plain` for the reverse.
template <class Form, class T>
void add_protobuf_of(std::vector<subject>& to, const std::shared_ptr<const T>& data) {
    using message_type = typename Form::message;
    const std::string version = google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION);
    message_type first;
    Form::fill(*data, first);
    const std::string encoded = first.SerializeAsString();

    subject_builder<T> heap("protobuf", version, data, bytes_of(encoded));
    add_protobuf_encodings(heap, heap.keep(message_type(first)));
    heap.decode_fresh(
        task::decode_fresh, heap.bytes(),
        [](byte_span bytes) {
            message_type message;
            parse(message, bytes);
            return message;
        },
        Form::plain);
    heap.decode_reused(
        task::decode_reused, message_type(),
        [](message_type& message, byte_span bytes) { parse(message, bytes); }, Form::plain);
    to.push_back(std::move(heap).done());

    using arena = std::unique_ptr<protobuf_arena<message_type>>;
    const std::size_t enough = 64 * 1024 + 8 * encoded.size();
    const auto make = [enough] { return std::make_unique<protobuf_arena<message_type>>(enough); };
    subject_builder<T> on_arena("protobuf-arena", version, data, bytes_of(encoded));
    const arena& kept = on_arena.keep(make());
    Form::fill(*data, kept->renew());
    add_protobuf_encodings(on_arena, kept->message());
    on_arena.decode_reused(
        task::decode_arena, make(),
        [](arena& into, byte_span bytes) { parse(into->renew(), bytes); },
        [](const arena& from) { return Form::plain(from->message()); });
    to.push_back(std::move(on_arena).done());
}

}  // namespace bench
