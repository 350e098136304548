/// The offers of every generated value, which have to agree.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sdp/json.hpp"
#include "sdp/sdp.hpp"

namespace runner {

/// A value as it is outside of C++: each is a text, or the refusal in its place.
struct shown {
    sdp::result<std::string> json;
    sdp::result<std::string> bytes;
    /// How many bytes of the input it took.
    std::size_t used = 0;
    /// The name of its type in the schema.
    std::string_view type{};
};

/// Says how two ways to the same result differ, or that a request makes no sense.
struct failure {
    std::string text;
};

/// The answer to a request.
using answer = std::variant<shown, sdp::error, failure>;

/// A generated value of any type and form, in byte mode or message mode.
class value {
   public:
    value() = default;
    value(const value&) = delete;
    value& operator=(const value&) = delete;
    virtual ~value() = default;

    [[nodiscard]] virtual sdp::result<std::string> to_json() const = 0;
    [[nodiscard]] virtual std::size_t encoded_size() const = 0;
    [[nodiscard]] virtual sdp::result<std::vector<std::byte>> encode() const = 0;
    [[nodiscard]] virtual sdp::result<std::size_t> encode_to(sdp::span<std::byte> out) const = 0;
    [[nodiscard]] virtual sdp::result<void> append_to(std::vector<std::byte>& out) const = 0;
    [[nodiscard]] virtual sdp::result<void> validate() const = 0;
};

/// A value that is written alone.
template <class T>
class alone final : public value {
   public:
    explicit alone(const T& held) : held_(held) {}

    sdp::result<std::string> to_json() const override { return sdp::to_json(held_); }
    std::size_t encoded_size() const override { return sdp::encoded_size(held_); }
    sdp::result<std::vector<std::byte>> encode() const override { return sdp::encode(held_); }
    sdp::result<std::size_t> encode_to(sdp::span<std::byte> out) const override {
        return sdp::encode(held_, out);
    }
    sdp::result<void> append_to(std::vector<std::byte>& out) const override {
        return sdp::append(held_, out);
    }
    sdp::result<void> validate() const override { return sdp::validate(held_); }

   private:
    const T& held_;
};

/// A value that is written as a message.
template <class T>
class framed final : public value {
   public:
    explicit framed(const T& held) : held_(held) {}

    sdp::result<std::string> to_json() const override { return sdp::to_json(held_); }
    std::size_t encoded_size() const override {
        return sdp::header_bytes + sdp::encoded_size(held_);
    }
    sdp::result<std::vector<std::byte>> encode() const override {
        return sdp::encode_message(held_);
    }
    sdp::result<std::size_t> encode_to(sdp::span<std::byte> out) const override {
        return sdp::encode_message(held_, out);
    }
    sdp::result<void> append_to(std::vector<std::byte>& out) const override {
        return sdp::append_message(held_, out);
    }
    sdp::result<void> validate() const override { return sdp::validate(held_); }

   private:
    const T& held_;
};

/// Writes a value in every way.
[[nodiscard]] answer show(const value& one);

/// The first answer, unless the second one differs.
[[nodiscard]] answer agreed(std::string_view what, answer first, const answer& second);

}  // namespace runner
