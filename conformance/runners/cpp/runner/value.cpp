#include "value.hpp"

#include <utility>

namespace runner {

namespace {

std::string text_of(sdp::bytes_view bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A result as text, to be compared.
std::string told(const sdp::result<std::string>& part) {
    return part ? "=" + *part : part.error().message();
}

std::string told(const sdp::result<void>& part) { return part ? "=" : part.error().message(); }

std::string told(const answer& one) {
    if (const auto* value = std::get_if<shown>(&one)) {
        return told(value->json) + " " + told(value->bytes) + " " + std::string(value->type);
    }
    if (const auto* refusal = std::get_if<sdp::error>(&one)) {
        return refusal->message();
    }
    return std::get<failure>(one).text;
}

sdp::result<std::string> appended(const value& one) {
    const std::vector<std::byte> before(3, std::byte{0xaa});
    std::vector<std::byte> out = before;
    auto done = one.append_to(out);
    const bool is_kept = sdp::bytes_view(out.data(), before.size()) == before;
    if (!is_kept || (!done && out != before)) {
        return "what was there has changed";
    }
    if (!done) {
        return sdp::unexpected(done.error());
    }
    return text_of({out.data() + before.size(), out.size() - before.size()});
}

sdp::result<std::string> written(const value& one, std::size_t room) {
    std::vector<std::byte> out(room);
    auto size = one.encode_to(sdp::span<std::byte>(out.data(), out.size()));
    if (!size) {
        return sdp::unexpected(size.error());
    }
    return text_of({out.data(), *size});
}

/// Says what differs, or nothing.
std::string differs(std::string_view what, const std::string& one, const std::string& other) {
    return one == other ? std::string() : std::string(what) + ": " + one + " is not " + other;
}

/// Holds all ways to encode a value against its encoding.
std::string differing(const value& one, const sdp::result<std::string>& bytes) {
    const std::size_t size = bytes ? bytes->size() : 1024;
    const sdp::result<void> whether = bytes ? sdp::result<void>() : sdp::unexpected(bytes.error());
    if (auto text = differs("validate", told(one.validate()), told(whether)); !text.empty()) {
        return text;
    }
    if (auto text = differs("append", told(appended(one)), told(bytes)); !text.empty()) {
        return text;
    }
    if (auto text = differs("encode", told(written(one, size)), told(bytes)); !text.empty()) {
        return text;
    }
    if (bytes && one.encoded_size() != size) {
        return "encoded_size: " + std::to_string(one.encoded_size());
    }
    if (bytes && size > 0) {
        const sdp::result<std::string> short_of =
            sdp::unexpected(sdp::error{sdp::kind::buffer_too_small});
        return differs("a short buffer", told(written(one, size - 1)), told(short_of));
    }
    return {};
}

}  // namespace

answer show(const value& one) {
    shown all{one.to_json(), std::string(), 0, {}};
    if (auto bytes = one.encode()) {
        all.bytes = text_of(*bytes);
    } else {
        all.bytes = sdp::unexpected(bytes.error());
    }
    if (auto text = differing(one, all.bytes); !text.empty()) {
        return failure{std::move(text)};
    }
    return all;
}

answer agreed(std::string_view what, answer first, const answer& second) {
    if (auto text = differs(what, told(second), told(first)); !text.empty()) {
        return failure{std::move(text)};
    }
    return first;
}

}  // namespace runner
