#include "request.hpp"

#include <algorithm>
#include <charconv>

namespace runner {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

/// Reads a word behind the operation.
bool take(std::string_view word, request& into) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
        auto input = from_hex(word);
        if (!input) {
            return false;
        }
        into.input = *std::move(input);
        return true;
    }
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    if (name == "limit") {
        const auto limit = number(value);
        if (!limit) {
            return false;
        }
        into.limit = static_cast<std::size_t>(std::min<std::uint64_t>(*limit, SIZE_MAX));
    } else if (name == "checksum") {
        if (value != "off" && value != "on") {
            return false;
        }
        into.mode = value == "off" ? mxp::checksum::off : mxp::checksum::on;
    } else {
        into.options.emplace(name, value);
    }
    return true;
}

}  // namespace

std::optional<request> parse(std::string_view line) {
    request made;
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(' '), line.size());
        const std::string_view word = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
        if (made.operation.empty()) {
            made.operation = word;
        } else if (!take(word, made)) {
            return std::nullopt;
        }
    }
    return made;
}

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end) {
        return std::nullopt;
    }
    return value;
}

std::optional<bytes> from_hex(std::string_view text) {
    bytes made;
    if (text == "-") {
        return made;
    }
    if (text.size() % 2 != 0) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const std::size_t high = digits.find(text[i]);
        const std::size_t low = digits.find(text[i + 1]);
        if (high == std::string_view::npos || low == std::string_view::npos) {
            return std::nullopt;
        }
        made.push_back(static_cast<std::byte>(high << 4 | low));
    }
    return made;
}

std::string hex(mxp::bytes_view from) {
    std::string text;
    for (const std::byte one : from) {
        text.push_back(digits[std::to_integer<std::size_t>(one >> 4)]);
        text.push_back(digits[std::to_integer<std::size_t>(one & std::byte{15})]);
    }
    return text;
}

}  // namespace runner
