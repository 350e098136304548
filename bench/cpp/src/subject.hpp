#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "operation.hpp"
#include "task.hpp"

namespace bench {

using byte_span = std::span<const std::byte>;

/// One codec on one data set: what it can do, each thing ready to run and checked against the data.
struct subject {
    struct entry {
        task what;
        std::unique_ptr<operation> how;
    };

    /// The name in results.
    std::string codec;
    /// The codec's version, or the compiler's where there is no codec.
    std::string version;
    /// Size of the encoded data.
    std::size_t bytes = 0;
    /// The operations that it has.
    std::vector<entry> entries;
    /// The owners of the values that the operations refer to.
    std::vector<std::shared_ptr<const void>> kept;
};

/// The bytes of a buffer of any kind of byte.
template <class Buffer>
byte_span bytes_of(const Buffer& buffer) {
    return std::as_bytes(std::span(buffer.data(), buffer.size()));
}

/// Collects the operations of a codec on the data set `T`.
template <class T>
class subject_builder {
   public:
    /// Starts with the codec's encoding of `data`.
    subject_builder(std::string codec, std::string version, std::shared_ptr<const T> data,
                    byte_span encoded)
        : subject_{std::move(codec), std::move(version), encoded.size(), {}, {data}},
          data_(std::move(data)),
          bytes_(keep_bytes(encoded)) {}

    const T& data() const noexcept { return *data_; }
    byte_span bytes() const noexcept { return bytes_; }

    /// Keeps a value for as long as the operations are there.
    template <class Value>
    const Value& keep(Value value) {
        auto kept = std::make_shared<const Value>(std::move(value));
        subject_.kept.push_back(kept);
        return *kept;
    }

    /// Keeps bytes where the allocator aligns them, which is how the pickiest codec needs them.
    byte_span keep_bytes(byte_span bytes) {
        return keep(std::vector<std::byte>(bytes.begin(), bytes.end()));
    }

    /// Encoding into a new buffer: `encode()` gives it, `view(buffer)` shows its bytes, which are
    /// to be `want`.
    template <class Encode, class View>
    void encode_fresh(task what, byte_span want, Encode encode, View view) {
        add<fresh>(what, std::move(encode), [want, view = std::move(view)](const auto& got) {
            return same_bytes(view(got), want);
        });
    }

    /// Encoding into a buffer that was used before, a codec's own kind of it: `encode(state)`,
    /// `view(state)`.
    template <class State, class Encode, class View>
    void encode_reused(task what, byte_span want, State state, Encode encode, View view) {
        add_reused(
            what, std::move(state), std::move(encode),
            [want, view = std::move(view)](State& got) { return same_bytes(view(got), want); });
    }

    /// Decoding to a new value, which `plain` turns into the data's type.
    template <class Decode, class Plain>
    void decode_fresh(task what, byte_span from, Decode decode, Plain plain) {
        add<fresh>(
            what, [from, decode = std::move(decode)] { return decode(opaque(from)); },
            [&want = data(), plain = std::move(plain)](const auto& got) {
                return same(plain(got), want);
            });
    }

    /// Decoding into what is there: `decode(state, bytes)`.
    template <class State, class Decode, class Plain>
    void decode_reused(task what, State state, Decode decode, Plain plain) {
        add_reused(
            what, std::move(state),
            [from = bytes(), decode = std::move(decode)](State& into) {
                decode(into, opaque(from));
            },
            [&want = data(), plain = std::move(plain)](State& got) {
                return same(plain(got), want);
            });
    }

    /// Reading of every field to its checksum.
    template <class Read>
    void read(task what, Read read) {
        add<fresh>(
            what, [from = bytes(), read = std::move(read)] { return read(opaque(from)); },
            [want = data().sum()](std::uint64_t got) { return same_sum(got, want); });
    }

    /// Reading of every field after decoding into what is there: `read(state, bytes)` gives the
    /// checksum.
    template <class State, class Read>
    void read_reused(task what, State state, Read read) {
        add<fresh>(
            what,
            [from = bytes(), state = std::make_shared<State>(std::move(state)),
             read = std::move(read)] { return read(*state, opaque(from)); },
            [want = data().sum()](std::uint64_t got) { return same_sum(got, want); });
    }

    /// Validation alone. That it looks at the bytes is checked with bytes that lack the last ones.
    template <class IsValid>
    void access(IsValid is_valid) {
        const byte_span half = bytes().first(bytes().size() / 2 / 16 * 16);
        if (!half.empty() && is_valid(half)) {
            throw std::logic_error(subject_.codec + ": half of the bytes are valid");
        }
        add<fresh>(
            task::access,
            [from = bytes(), is_valid = std::move(is_valid)] { return is_valid(opaque(from)); },
            [](bool valid) { return valid ? flaw() : flaw("the bytes are refused"); });
    }

    /// An operation on a value without bytes: `copy(value)`, which `plain` turns into the data's
    /// type.
    template <class Value, class Copy, class Plain>
    void copy(task what, const Value& value, Copy copy, Plain plain) {
        add<fresh>(
            what, [&value, copy = std::move(copy)] { return copy(opaque(value)); },
            [&want = data(), plain = std::move(plain)](const auto& got) {
                return same(plain(got), want);
            });
    }

    /// The subject that was collected.
    subject done() && { return std::move(subject_); }

   private:
    template <template <class, class> class Kind, class Work, class Check>
    void add(task what, Work work, Check check) {
        subject_.entries.push_back(
            {what, std::make_unique<Kind<Work, Check>>(std::move(work), std::move(check))});
    }

    template <class State, class Work, class Check>
    void add_reused(task what, State state, Work work, Check check) {
        subject_.entries.push_back(
            {what, std::make_unique<reused<State, Work, Check>>(std::move(state), std::move(work),
                                                                std::move(check))});
    }

    static flaw same_bytes(byte_span got, byte_span want) {
        if (std::ranges::equal(got, want)) {
            return {};
        }
        return std::to_string(got.size()) + " bytes differ from the " +
               std::to_string(want.size()) + " of the first encoding";
    }

    static flaw same(const T& got, const T& want) {
        return got == want ? flaw() : flaw("the value differs from the data");
    }

    static flaw same_sum(std::uint64_t got, std::uint64_t want) {
        if (got == want) {
            return {};
        }
        return "the checksum is " + std::to_string(got) + " instead of the data's " +
               std::to_string(want);
    }

    subject subject_;
    std::shared_ptr<const T> data_;
    byte_span bytes_;
};

}  // namespace bench
