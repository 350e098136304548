/// Answers conformance requests, a line each, with the C++ that `sdp gen` made. It knows no schema:
/// ../build writes the table of types beside it. conformance/README.md describes the lines.

#include <cstdio>
#include <iostream>
#include <map>
#include <string>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

#include "request.hpp"

namespace runner {

namespace {

using used_values = std::map<const type*, std::unique_ptr<used>>;

std::string refusal(const sdp::error& error) {
    const std::string offset = error.offset ? std::to_string(*error.offset) : "-1";
    return "reject\terror=" + std::string(to_string(error.kind)) + "\toffset=" + offset +
           "\tpath=" + error.path;
}

/// A part of a value, or the refusal in its place.
std::string part(const std::string& key, const sdp::result<std::string>& text, bool is_binary) {
    if (!text) {
        return "\t" + key + "_refusal=" + std::string(to_string(text.error().kind)) + " " +
               text.error().path;
    }
    return "\t" + key + "=" + (is_binary ? hex(*text) : *text);
}

std::string line_of(const answer& made) {
    if (const auto* error = std::get_if<sdp::error>(&made)) {
        return refusal(*error);
    }
    if (const auto* wrong = std::get_if<failure>(&made)) {
        return "error\tmessage=" + wrong->text;
    }
    const auto& value = std::get<shown>(made);
    std::string line =
        "accept" + part("json", value.json, false) + part("bytes", value.bytes, true);
    if (!value.type.empty()) {
        line += "\ttype=" + std::string(value.type);
    }
    return line;
}

std::string cost(const request& asked, const measured& taken) {
    return line_of(taken.made) + "\tallocated=" + std::to_string(taken.allocated) +
           "\tfactor=" + std::to_string(asked.type->factor);
}

std::string numbers(sdp::span<const std::uint64_t> list) {
    std::string text;
    for (const std::uint64_t one : list) {
        std::string digits;
        for (int at = 60; at >= 0; at -= 4) {
            digits.push_back("0123456789abcdef"[one >> at & 15]);
        }
        text += (text.empty() ? "" : ",") + digits;
    }
    return text;
}

/// Reads a stream until its clean end, or until a refusal comes for the second time.
std::string stream(const request& asked) {
    std::string lines;
    std::size_t reads = 0;
    bool failed = false;
    asked.schema->stream(asked.input, asked.options, [&](const answer* read) {
        ++reads;
        lines += "\n" + (read == nullptr ? "end" : line_of(*read));
        if (read == nullptr || std::holds_alternative<failure>(*read)) {
            return false;
        }
        const auto* error = std::get_if<sdp::error>(read);
        if (error == nullptr || error->kind == sdp::kind::type_id_unknown) {
            return true;
        }
        return !std::exchange(failed, true);
    });
    return "stream\treads=" + std::to_string(reads) + lines;
}

std::string answer_type(const request& asked, used_values& values) {
    const type& found = *asked.type;
    const auto run = [&](decoding how) { return cost(asked, how(asked.input, asked.options)); };
    const std::string& operation = asked.operation;
    if (operation == "decode" || operation == "exact") {
        return run(found.owned);
    }
    if (operation == "alias") {
        return run(found.borrowed);
    }
    if (operation == "view") {
        return run(found.view);
    }
    if (operation == "reuse") {
        std::unique_ptr<used>& value = values[&found];
        if (value == nullptr) {
            value = found.use();
        }
        return cost(asked, value->decode(asked.input, asked.options));
    }
    if (operation == "prefix") {
        const answer made = found.prefix(asked.input, asked.options).made;
        const auto* value = std::get_if<shown>(&made);
        return line_of(made) + (value == nullptr ? "" : "\tused=" + std::to_string(value->used));
    }
    if (operation == "message" && found.message != nullptr) {
        return line_of(found.message(asked.input, asked.options).made);
    }
    if (operation == "layout") {
        return "accept\tlayout=" + hex(found.layout);
    }
    if (operation == "fingerprints") {
        return "accept\tsegments=" + numbers(found.segments) +
               "\tcumulative=" + numbers(found.cumulative);
    }
    return line_of(failure{"the type has no \"" + operation + "\""});
}

std::string answer_line(std::string_view line, used_values& values) {
    std::variant<request, failure> parsed = parse(line);
    if (const auto* wrong = std::get_if<failure>(&parsed)) {
        return line_of(*wrong);
    }
    auto& asked = std::get<request>(parsed);
    asked.options.exact = asked.operation == "exact";
    if (asked.type != nullptr) {
        return answer_type(asked, values);
    }
    if (asked.operation == "dispatch" && asked.schema->dispatch != nullptr) {
        return line_of(asked.schema->dispatch(asked.input, asked.options).made);
    }
    if (asked.operation == "stream" && asked.schema->stream != nullptr) {
        return stream(asked);
    }
    return line_of(failure{"the schema has no \"" + asked.operation + "\""});
}

}  // namespace

}  // namespace runner

int main() {
#ifdef _WIN32
    // Lines end as everywhere else.
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    runner::used_values values;
    for (std::string line; std::getline(std::cin, line);) {
        if (!line.empty()) {
            std::cout << runner::answer_line(line, values) << std::endl;
        }
    }
}
