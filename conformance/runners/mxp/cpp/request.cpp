#include "request.hpp"

#include <algorithm>
#include <charconv>

namespace runner {

namespace {

constexpr char digits[] = "0123456789abcdef";

/// The values of characters as digits, -1 of others.
struct digit_values {
    int of[256] = {};
    constexpr digit_values() {
        for (int& one : of) {
            one = -1;
        }
        for (int i = 0; i < 16; ++i) {
            of[static_cast<unsigned char>(digits[i])] = i;
        }
    }
};

constexpr digit_values table;
constexpr const int (&values)[256] = table.of;

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
    if (text == "-") {
        return bytes{};
    }
    if (text.size() % 2 != 0) {
        return std::nullopt;
    }
    // Most of a runner's input is digits, and it is compiled without optimization: a loop that
    // calls nothing takes a tenth of one that appends.
    bytes made(text.size() / 2);
    const char* from = text.data();
    std::byte* const into = made.data();
    for (std::size_t i = 0; i < made.size(); ++i, from += 2) {
        const int high = values[static_cast<unsigned char>(from[0])];
        const int low = values[static_cast<unsigned char>(from[1])];
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        into[i] = static_cast<std::byte>(high << 4 | low);
    }
    return made;
}

std::string hex(mxp::bytes_view from) {
    std::string text(from.size() * 2, '0');
    char* into = text.data();
    const std::byte* const bytes = from.data();
    const std::size_t size = from.size();
    for (std::size_t i = 0; i < size; ++i, into += 2) {
        const auto one = static_cast<unsigned>(bytes[i]);
        into[0] = digits[one >> 4];
        into[1] = digits[one & 15];
    }
    return text;
}

}  // namespace runner
