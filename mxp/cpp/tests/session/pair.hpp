/// Two sessions that talk to each other, and their news as texts.
#ifndef MXP_TESTS_SESSION_PAIR_HPP
#define MXP_TESTS_SESSION_PAIR_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mxp/session.hpp"

namespace pair {

namespace ms = mxp::session;
using bytes = std::vector<std::byte>;
using texts = std::vector<std::string>;

[[nodiscard]] inline std::string text_of(mxp::bytes_view from) {
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

/// The refusal of a function, as text: "fine" if there is none.
template <class T>
[[nodiscard]] std::string said(const ms::result<T>& done) {
    return done ? "fine" : std::string{to_string(done.error())};
}

/// An event as a short text.
struct describe {
    static std::string number(std::uint64_t n) { return std::to_string(n); }
    static std::string because(const ms::failure& why) {
        std::string made{why.name};
        if (!why.text.empty()) {
            made += " (" + std::string{why.text} + ")";
        }
        return made + (why.acted ? ", acted" : "");
    }
    static std::string all(const ms::records& values) {
        std::string made{":"};
        for (const mxp::bytes_view value : values) {
            made += " " + text_of(value);
        }
        return made;
    }

    std::string operator()(const ms::in::ready& of) const {
        std::string made{"ready"};
        for (const auto& one : of.services) {
            made += " " + std::string{one.name()};
        }
        return made;
    }
    std::string operator()(const ms::in::call& of) const {
        return "call " + number(of.id) + ": " + text_of(of.value);
    }
    std::string operator()(const ms::in::open& of) const {
        return "open " + number(of.id) + (of.is_final ? " final" : "") + " +" +
               number(of.messages) + "/" + number(of.bytes) + ": " + text_of(of.value);
    }
    std::string operator()(const ms::in::event& of) const {
        return "event " + number(of.id) + (of.requires_ack ? " ack" : "") + ": " +
               text_of(of.value);
    }
    std::string operator()(const ms::in::events& of) const {
        return "events " + number(of.id) + all(of.values);
    }
    std::string operator()(const ms::in::response& of) const {
        return "response " + number(of.id) + ": " + text_of(of.value);
    }
    std::string operator()(const ms::in::ended& of) const {
        return "ended " + number(of.id) + ": " + because(of.why);
    }
    std::string operator()(const ms::in::chunk& of) const {
        return "chunk " + number(of.id) + " #" + number(of.number) + (of.is_final ? " final" : "") +
               (of.requires_ack ? " ack" : "") + ": " + text_of(of.value);
    }
    std::string operator()(const ms::in::chunks& of) const {
        return "chunks " + number(of.id) + " #" + number(of.first) + (of.is_final ? " final" : "") +
               (of.requires_ack ? " ack" : "") + all(of.values);
    }
    std::string operator()(const ms::in::finished& of) const { return "finished " + number(of.id); }
    std::string operator()(const ms::in::granted& of) const {
        return "granted " + number(of.id) + " +" + number(of.messages) + "/" + number(of.bytes);
    }
    std::string operator()(const ms::in::acked& of) const {
        return "acked " + number(of.id) + " #" + number(of.chunk);
    }
    std::string operator()(const ms::in::cancelled& of) const {
        const char* const why[] = {"peer", "deadline", "credit", "end"};
        return "cancelled " + number(of.id) + ": " + why[static_cast<std::size_t>(of.why)];
    }
    std::string operator()(const ms::in::draining& of) const {
        return "draining: " + std::string{of.reason};
    }
    std::string operator()(const ms::in::registration& of) const {
        return "register " + number(of.id) + ": " + of.asked->name;
    }
    std::string operator()(const ms::in::heartbeat& of) const {
        return "heartbeat " + number(of.id) + ": " + std::string{of.name};
    }
    std::string operator()(const ms::in::discovery& of) const {
        return "discover " + number(of.id) + ": " + of.asked->capability;
    }
    std::string operator()(const ms::in::end& of) const {
        return (of.is_remote ? "end there: " : "end: ") + because(of.why);
    }
};

/// A session, and the bytes that have come for it and were not read.
struct side {
    side(ms::config config, ms::role role) : session(std::move(config), role, 0) {}

    /// The events that it tells of bytes that come.
    texts take(const bytes& more, std::uint64_t now) {
        waiting.insert(waiting.end(), more.begin(), more.end());
        mxp::bytes_view input = waiting;
        texts made;
        while (const auto one = session.receive(input, now)) {
            made.push_back(std::visit(describe{}, *one));
        }
        waiting.erase(waiting.begin(), waiting.end() - static_cast<std::ptrdiff_t>(input.size()));
        return made;
    }
    texts told() { return take({}, 0); }

    /// All that it gives out.
    bytes give(std::uint64_t now) {
        ms::batch all;
        session.poll_batch(all, now);
        bytes made;
        all.each(
            [&](mxp::bytes_view piece) { made.insert(made.end(), piece.begin(), piece.end()); });
        return made;
    }

    ms::session session;
    bytes waiting;
};

[[nodiscard]] inline ms::config serving() {
    ms::config made;
    made.services = {"demo.Echo"};
    made.takes_agents = true;
    // Pings and idle ends are off: tests of times set their own.
    made.limits.ping_us = 0;
    made.limits.idle_us = 0;
    return made;
}

/// An opener and an acceptor.
struct two {
    explicit two(const ms::config& here = serving(), const ms::config& there = serving())
        : a(here, ms::role::opener), b(there, ms::role::acceptor) {}

    /// Carries what there is to the acceptor, and returns what that tells.
    texts to_b(std::uint64_t now = 0) { return b.take(a.give(now), now); }
    texts to_a(std::uint64_t now = 0) { return a.take(b.give(now), now); }

    /// Both have met.
    two& met() {
        const bytes greeting = a.give(0);
        to_a();
        b.take(greeting, 0);
        return *this;
    }

    side a;
    side b;
};

/// A frame that no session has made.
[[nodiscard]] inline bytes frame(mxp::frame_type type, std::uint64_t id, const bytes& payload = {},
                                 mxp::flags flags = mxp::flags::none) {
    mxp::frame of;
    of.type = type;
    of.flags = flags;
    of.message_id = id;
    of.payload = payload;
    bytes made(of.size());
    mxp::wire::store_frame(made.data(), of, mxp::checksum::on);
    return made;
}

template <class Message>
[[nodiscard]] bytes encoded(const Message& message) {
    return *sdp::encode(message);
}

}  // namespace pair

#endif  // MXP_TESTS_SESSION_PAIR_HPP
