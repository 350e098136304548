// A program of the second release, which uses what is new in it, and reads the bytes of the first.
#include "evolution.hpp"
#include "hex.hpp"

namespace {

int write() {
    evolution::Registry registry;
    registry.plugins.push_back({"EQ", evolution::Kind::Analyser});
    registry.total = 1;
    registry.host = "host";
    registry.scanned = 5;
    evolution::Session session;
    session.name = "outer";
    session.tempo = 90;
    session.inner.emplace().name = "inner";
    evolution::Log log;
    log.events = {{evolution::Event::Loaded{registry.plugins[0]}},
                  {evolution::Event::Moved{1, 2}},
                  {evolution::Event::Stopped{}}};
    evolution::Holder holder;
    holder.registry = registry;
    holder.after = 9;
    print(sdp::encode_message(registry).value());
    print(sdp::encode_message(session).value());
    print(sdp::encode(log).value());
    print(sdp::encode(holder).value());
    return 0;
}

int read(char** input) {
    expectations expect;
    const auto registry = sdp::decode_message<evolution::Registry>(parse(input[0]));
    expect.is(registry && registry->host == "x" && !registry->scanned,
              "a registry has the defaults of what it lacks");
    const auto session_bytes = parse(input[1]);
    const auto session = sdp::decode_message<evolution::pmr::Session>(session_bytes);
    expect.is(session && session->tempo == 120 && session->inner->tempo == 120,
              "a session has the defaults of what it lacks");
    evolution::Registry reused;
    reused.host = "something else";
    reused.scanned = 7;
    expect.is(sdp::decode_message_into(reused, parse(input[0])) && reused == *registry,
              "what is left of an earlier value makes no difference");
    const auto holder_bytes = parse(input[3]);
    const auto holder = sdp::decode<evolution::HolderView>(holder_bytes);
    expect.is(holder && holder->registry().host() == "x" && holder->after() == 9,
              "a view shows the defaults");
    expect.is(!sdp::decode_exact<evolution::Holder>(holder_bytes),
              "exact decoding refuses what lacks a segment");
    return expect.failed();
}

}  // namespace

int main(int count, char** arguments) { return count == 5 ? read(arguments + 1) : write(); }
