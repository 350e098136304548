#include "request.hpp"

#include <charconv>

namespace runner {

namespace {

/// Takes the text up to the next space from the front of a line.
std::string_view next_word(std::string_view& line) {
    while (!line.empty() && line.front() == ' ') {
        line.remove_prefix(1);
    }
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(word.size());
    return word;
}

/// Reads hexadecimal digits; no bytes are written `-`.
bool unhex(std::string_view digits, std::vector<std::byte>& into) {
    if (digits == "-") {
        digits = {};
    }
    into.clear();
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        unsigned value = 0;
        const std::string_view pair = digits.substr(i, 2);
        const char* end = pair.data() + pair.size();
        const auto [at, wrong] = std::from_chars(pair.data(), end, value, 16);
        if (pair.size() < 2 || at != end || wrong != std::errc()) {
            return false;
        }
        into.push_back(static_cast<std::byte>(value));
    }
    return true;
}

/// Reads `LIMIT=NUMBER`.
bool set(std::string_view key, std::string_view digits, sdp::limits& limits) {
    std::size_t number = 0;
    const char* end = digits.data() + digits.size();
    const auto [at, wrong] = std::from_chars(digits.data(), end, number);
    if (at != end || wrong != std::errc()) {
        return false;
    }
    if (key == "message_bytes") {
        limits.message_bytes = number;
    } else if (key == "elements") {
        limits.elements = number;
    } else if (key == "depth") {
        limits.depth = number;
    } else if (key == "memory_bytes") {
        limits.memory_bytes = number;
    } else {
        return false;
    }
    return true;
}

/// Finds `SCHEMA[.TYPE]`.
bool find(std::string_view target, request& made) {
    const std::size_t dot = target.find('.');
    for (const schema* one : schemas()) {
        if (one->name == target.substr(0, dot)) {
            made.schema = one;
        }
    }
    if (made.schema == nullptr || dot == std::string_view::npos) {
        return made.schema != nullptr;
    }
    for (const type& one : made.schema->types) {
        if (one.name == target.substr(dot + 1)) {
            made.type = &one;
        }
    }
    return made.type != nullptr;
}

}  // namespace

std::variant<request, failure> parse(std::string_view line) {
    request made;
    made.operation = next_word(line);
    if (const std::string_view target = next_word(line); !find(target, made)) {
        return failure{"nothing is called \"" + std::string(target) + "\""};
    }
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
        const std::size_t equals = word.find('=');
        const bool read =
            equals == std::string_view::npos
                ? unhex(word, made.input)
                : set(word.substr(0, equals), word.substr(equals + 1), made.options.limits);
        if (!read) {
            return failure{"\"" + std::string(word) + "\" is neither bytes nor a limit"};
        }
    }
    return made;
}

std::string hex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char one : bytes) {
        const unsigned value = static_cast<unsigned char>(one);
        text.push_back(digits[value / 16]);
        text.push_back(digits[value % 16]);
    }
    return text;
}

}  // namespace runner
