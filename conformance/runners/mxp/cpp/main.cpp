/// Answers conformance requests for MXP's frames, a line each:
///
///     frame HEX [limit=N] [checksum=off] [prefix=yes]
///     frames HEX cuts=1,5,9 [limit=N] [checksum=off]
///     write type=16 flags=0 id=1 [trace=2] payload=HEX [checksum=off]
///
/// and requests to one session and one directory, which begin with these words. No bytes are
/// written `-`. Where ways to do the same differ, the answer is an error.

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "request.hpp"
#include "words.hpp"

namespace runner {

namespace {

/// The flaw of a request or of its content.
struct failure {
    std::string text;
};

using written = std::variant<bytes, mxp::error, failure>;

std::string line_of(const failure& wrong) { return "error\t" + wrong.text; }

std::string line_of(const mxp::error& refusal) {
    return "reject\terror=" + std::string(to_string(refusal.kind)) +
           "\toffset=" + (refusal.offset ? std::to_string(*refusal.offset) : "-1");
}

/// One way to write, as `write` has it.
template <class T>
written or_error(const mxp::result<T>& done, bytes made) {
    if (!done) {
        return done.error();
    }
    return made;
}

written in_envelope(const mxp::frame& of, const mxp::result<mxp::envelope>& around) {
    if (!around) {
        return around.error();
    }
    bytes made(around->header.begin(), around->header.end());
    made.insert(made.end(), of.payload.begin(), of.payload.end());
    made.insert(made.end(), around->trailer.begin(), around->trailer.end());
    return made;
}

bool same(const written& a, const written& b) {
    const auto* bytes_of_a = std::get_if<bytes>(&a);
    const auto* bytes_of_b = std::get_if<bytes>(&b);
    if (bytes_of_a != nullptr && bytes_of_b != nullptr) {
        return *bytes_of_a == *bytes_of_b;
    }
    const auto* error_of_a = std::get_if<mxp::error>(&a);
    const auto* error_of_b = std::get_if<mxp::error>(&b);
    return error_of_a != nullptr && error_of_b != nullptr && *error_of_a == *error_of_b;
}

/// Writes a frame in every way that there is.
written write(const mxp::frame& of, mxp::checksum mode) {
    const std::size_t n = of.payload.size();
    bytes room(of.size());
    const auto size = mxp::encode(of, mode, room);
    if (size && *size != room.size()) {
        return failure{"encode returns another length"};
    }
    const written made = or_error(size, std::move(room));
    bytes grown(3);
    const auto appended = mxp::append(of, mode, grown);
    grown.erase(grown.begin(), grown.begin() + 3);
    if (!same(or_error(appended, std::move(grown)), made)) {
        return failure{"append differs from encode"};
    }
    if (!same(in_envelope(of, mxp::wrap(of, mode, of.payload)), made)) {
        return failure{"a payload in one piece differs from encode"};
    }
    const std::size_t first = n / 3;
    const mxp::bytes_view pieces[] = {{of.payload.data(), first},
                                      {of.payload.data() + first, first},
                                      {of.payload.data() + 2 * first, n - 2 * first}};
    if (!same(in_envelope(of, mxp::wrap(of, mode, pieces)), made)) {
        return failure{"a payload in three pieces differs from encode"};
    }
    return made;
}

/// An accepted frame, with the text before its bytes.
std::string line_of(const mxp::frame& read, mxp::checksum mode, const std::string& used) {
    const written again = write(read, mode);
    if (const auto* wrong = std::get_if<failure>(&again)) {
        return line_of(*wrong);
    }
    if (const auto* refusal = std::get_if<mxp::error>(&again)) {
        return line_of(failure{"what was read isn't written: " + refusal->message()});
    }
    return "accept\ttype=" + std::to_string(static_cast<unsigned>(read.type)) +
           "\tflags=" + std::to_string(static_cast<unsigned>(read.flags)) +
           "\tid=" + std::to_string(read.message_id) + "\ttrace=" + std::to_string(read.trace_id) +
           "\tpayload=" + hex(read.payload) + used + "\tbytes=" + hex(std::get<bytes>(again));
}

std::string answer_frame(const request& asked) {
    const auto prefix = asked.options.find("prefix");
    const bool is_prefix = prefix != asked.options.end() && prefix->second == "yes";
    const auto read = is_prefix ? mxp::decode_prefix(asked.input, asked.mode, asked.limit)
                                : mxp::decode(asked.input, asked.mode, asked.limit);
    if (!read) {
        return line_of(read.error());
    }
    const auto head = mxp::peek(asked.input, asked.limit);
    if (!head || head->size() != read->size() || *head != *read) {
        return line_of(failure{"the header alone says something else"});
    }
    return line_of(*read, asked.mode, "\tused=" + std::to_string(read->size()));
}

/// The places where a stream is cut, and its end.
std::optional<std::vector<std::size_t>> cuts(const request& asked) {
    std::vector<std::size_t> made;
    const auto found = asked.options.find("cuts");
    std::string_view text;
    if (found != asked.options.end()) {
        text = found->second;
    }
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        const auto cut = number(text.substr(0, end));
        const std::size_t last = made.empty() ? 0 : made.back();
        if (!cut || *cut > asked.input.size() || *cut < last) {
            return std::nullopt;
        }
        made.push_back(static_cast<std::size_t>(*cut));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    made.push_back(asked.input.size());
    return made;
}

/// The flaw of a reader whose refusal doesn't stay; empty if it does.
std::string after_refusal(mxp::frame_reader& reader, const mxp::error& refusal) {
    const bytes more(100);
    mxp::bytes_view input = more;
    const auto again = reader.next(input);
    const auto end = reader.end();
    const bool stays = !again && again.error() == refusal && !end && end.error() == refusal;
    return stays ? line_of(refusal) : line_of(failure{"the refusal doesn't stay"});
}

std::string answer_frames(const request& asked) {
    const auto ends = cuts(asked);
    if (!ends) {
        return line_of(failure{"these are no cuts"});
    }
    std::string lines;
    std::size_t reads = 0;
    const auto add = [&](const std::string& line) {
        ++reads;
        lines += "\n" + line;
    };
    const auto all = [&] { return "stream\treads=" + std::to_string(reads) + lines; };
    mxp::frame_reader reader{asked.mode, asked.limit};
    std::size_t at = 0;
    for (const std::size_t end : *ends) {
        const auto* const from = asked.input.data();
        const bytes piece(from + at, from + end);
        at = end;
        mxp::bytes_view input = piece;
        for (;;) {
            const auto next = reader.next(input);
            if (!next) {
                add(after_refusal(reader, next.error()));
                return all();
            }
            if (!*next) {
                break;
            }
            add(line_of(**next, asked.mode, ""));
        }
    }
    const auto done = reader.end();
    add(done ? "end" : after_refusal(reader, done.error()));
    return all();
}

std::string answer_write(const request& asked) {
    const auto option = [&](std::string_view name) {
        const auto found = asked.options.find(name);
        return found == asked.options.end() ? std::nullopt : number(found->second);
    };
    const auto type = option("type");
    const auto flags = option("flags");
    const auto id = option("id");
    const auto trace = asked.options.count("trace") == 0 ? 0 : option("trace");
    const auto text = asked.options.find("payload");
    const auto payload = from_hex(text == asked.options.end() ? "-" : text->second);
    if (!type || *type > 255 || !flags || *flags > 255 || !id || !trace || !payload) {
        return line_of(failure{"a frame has type, flags, id and payload"});
    }
    const mxp::frame of{
        {static_cast<mxp::frame_type>(*type), static_cast<mxp::flags>(*flags), *id, *trace},
        *payload};
    const written made = write(of, asked.mode);
    if (const auto* wrong = std::get_if<failure>(&made)) {
        return line_of(*wrong);
    }
    if (const auto* refusal = std::get_if<mxp::error>(&made)) {
        return line_of(*refusal);
    }
    return "accept\tbytes=" + hex(std::get<bytes>(made));
}

std::string answer(std::string_view line) {
    for (const auto& [subject, answer_subject] :
         {std::pair{std::string_view{"session "}, &answer_session},
          std::pair{std::string_view{"directory "}, &answer_directory}}) {
        if (line.substr(0, subject.size()) == subject) {
            return answer_subject(line.substr(subject.size()));
        }
    }
    const auto asked = parse(line);
    if (!asked) {
        return line_of(failure{"this is no request"});
    }
    if (asked->operation == "frame") {
        return answer_frame(*asked);
    }
    if (asked->operation == "frames") {
        return answer_frames(*asked);
    }
    if (asked->operation == "write") {
        return answer_write(*asked);
    }
    return line_of(failure{"there is no \"" + asked->operation + "\""});
}

}  // namespace

}  // namespace runner

int main() {
    // C's streams, which nothing here uses, would hand lines on byte by byte.
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    for (std::string line; std::getline(std::cin, line);) {
        if (!line.empty()) {
            std::cout << runner::answer(line) << '\n';
        }
        // Answers are handed on before the program may have to wait for a line.
        if (std::cin.rdbuf()->in_avail() <= 0) {
            std::cout.flush();
        }
    }
}
