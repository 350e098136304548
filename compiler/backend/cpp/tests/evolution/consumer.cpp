// A program that was written for the first release. It is compiled with the code of both releases,
// and reads the bytes of both.
#include <cstdio>
#include <string_view>
#include <variant>

#include "evolution.hpp"
#include "hex.hpp"

namespace {

evolution::Registry registry() {
    evolution::Registry made;
    made.plugins.push_back({"EQ", evolution::Kind::Instrument});
    made.total = 1;
    return made;
}

/// The name of a kind, by a switch that doesn't know of later members.
std::string_view name_of(evolution::Kind kind) {
    if (kind == evolution::Kind::Effect) {
        return "effect";
    }
    return kind == evolution::Kind::Instrument ? "instrument" : "other";
}

evolution::Session session() {
    evolution::Session outer;
    outer.name = "outer";
    outer.inner.emplace().name = "inner";
    return outer;
}

int write() {
    evolution::Log log;
    log.events = {{evolution::Event::Loaded{registry().plugins[0]}}, {evolution::Event::Stopped{}}};
    evolution::Holder holder;
    holder.registry = registry();
    holder.after = 9;
    print(sdp::encode_message(registry()).value());
    print(sdp::encode_message(session()).value());
    print(sdp::encode(log).value());
    print(sdp::encode(holder).value());
    return 0;
}

/// Goes through a log as the first release knows it, and counts the known events.
std::size_t known(const evolution::Log& log) {
    std::size_t n = 0;
    for (const evolution::Event& event : log.events) {
        if (std::holds_alternative<evolution::Event::Loaded>(event.value) ||
            std::holds_alternative<evolution::Event::Stopped>(event.value)) {
            ++n;
        }
    }
    return n;
}

int read(char** input) {
    expectations expect;
    const auto first = sdp::decode_message<evolution::Registry>(parse(input[0]));
    expect.is(first && first->plugins.size() == 1 && first->total == 1, "a registry is read");
    expect.is(first && name_of(first->plugins[0].kind) != "effect", "its kind is read");
    const auto session_bytes = parse(input[1]);
    const auto second = sdp::decode_message<evolution::Session>(session_bytes);
    expect.is(second && second->name == "outer" && second->inner->name == "inner",
              "a session is read");
    expect.is(second && sdp::encode_message(*second).value() == session_bytes,
              "what a session keeps is written back");
    const auto log_bytes = parse(input[2]);
    const auto log = sdp::decode<evolution::Log>(log_bytes);
    expect.is(log && known(*log) == 2, "two events are known");
    expect.is(log && sdp::encode(*log).value() == log_bytes, "unknown events are written back");
    const auto view = sdp::decode<evolution::LogView>(log_bytes);
    expect.is(view && view->events().size() == log->events.size(), "views read it too");
    const auto holder_bytes = parse(input[3]);
    const auto holder = sdp::decode<evolution::HolderView>(holder_bytes);
    expect.is(holder && holder->after() == 9, "what follows a message that grew is found");
    return expect.failed();
}

}  // namespace

int main(int count, char** arguments) { return count == 5 ? read(arguments + 1) : write(); }
