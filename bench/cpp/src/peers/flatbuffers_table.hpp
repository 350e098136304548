#pragma once

#include <flatbuffers/flatbuffers.h>

#include "flatbuffers.hpp"

namespace bench {

/// A string's view; its pointer is never null where the schema requires the field.
inline std::string_view text_of(const ::flatbuffers::String* of) {
    return {of->c_str(), of->size()};
}

inline std::string string_of(const ::flatbuffers::String* of) { return std::string(text_of(of)); }

/// The version of the headers, which are all that is used of the library.
inline std::string flatbuffers_version() {
    return std::to_string(FLATBUFFERS_VERSION_MAJOR) + "." +
           std::to_string(FLATBUFFERS_VERSION_MINOR) + "." +
           std::to_string(FLATBUFFERS_VERSION_REVISION);
}

/// A builder of tables; the lists of a form keep offsets until they are written.
template <class Form>
struct table_builder {
    ::flatbuffers::FlatBufferBuilder builder;
    typename Form::lists lists;

    template <class T>
    void build(const T& from) {
        builder.Clear();
        builder.Finish(Form::build(from, builder, lists));
    }
};

/// Whether the bytes hold the form's table. The verifier follows every offset; it doesn't look
/// whether strings are UTF-8.
template <class Form>
bool is_table(byte_span bytes) {
    ::flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                     bytes.size());
    return verifier.VerifyBuffer<typename Form::table>(nullptr);
}

template <class Form>
const typename Form::table& table_in(byte_span bytes) {
    return *::flatbuffers::GetRoot<typename Form::table>(bytes.data());
}

template <class Form>
const typename Form::table& verified_table_in(byte_span bytes) {
    if (!is_table<Form>(bytes)) {
        throw std::runtime_error("flatbuffers refuses its own bytes");
    }
    return table_in<Form>(bytes);
}

/// The codec of a data set. `Form` has the type of its table, `build` to make one of the data,
/// `plain` for the reverse, and `sum` to read every field.
template <class Form, class T>
void add_flatbuffers_of(std::vector<subject>& to, const std::shared_ptr<const T>& data) {
    using tables = table_builder<Form>;
    const auto finished = [](const tables& of) {
        return std::as_bytes(std::span(of.builder.GetBufferPointer(), of.builder.GetSize()));
    };
    tables first;
    first.build(*data);
    subject_builder<T> codec("flatbuffers", flatbuffers_version(), data, finished(first));
    codec.encode_fresh(
        task::encode_fresh, codec.bytes(),
        [&from = codec.data()] {
            tables made;
            made.build(opaque(from));
            return made;
        },
        finished);
    codec.encode_reused(
        task::encode_reused, codec.bytes(), std::move(first),
        [&from = codec.data()](tables& made) { made.build(opaque(from)); }, finished);
    codec.decode_fresh(
        task::decode_fresh, codec.bytes(),
        [](byte_span bytes) { return Form::plain(verified_table_in<Form>(bytes)); },
        [](const T& decoded) -> const T& { return decoded; });
    codec.access(is_table<Form>);
    codec.read(task::read, [](byte_span bytes) { return Form::sum(table_in<Form>(bytes)); });
    codec.read(task::read_validate,
               [](byte_span bytes) { return Form::sum(verified_table_in<Form>(bytes)); });
    to.push_back(std::move(codec).done());
}

}  // namespace bench
