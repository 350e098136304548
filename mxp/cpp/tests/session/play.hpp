/// Lets bytes decide what two sessions do, and holds what follows against what has to be true.
///
/// The first byte has bits: 1 small limits, 2 agents, 4 and 8 that a side offers to switch
/// checksums off, 16 and 32 that it offers batches. Then each byte is something to do, and the
/// bytes behind it say how.
#ifndef MXP_TESTS_SESSION_PLAY_HPP
#define MXP_TESTS_SESSION_PLAY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "mxp/session.hpp"

namespace play {

namespace ms = mxp::session;
using bytes = std::vector<std::byte>;

inline void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "not so: %s\n", what);
        std::abort();
    }
}

/// Bytes that are read from their front, and are 0 behind their end.
class choices {
   public:
    choices(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

    [[nodiscard]] bool empty() const { return at_ == end_; }
    std::uint8_t byte() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
    std::size_t below(std::size_t n) { return byte() % n; }
    bytes take(std::size_t n) {
        bytes made;
        while (made.size() < n && at_ != end_) {
            made.push_back(static_cast<std::byte>(*at_++));
        }
        return made;
    }

   private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

/// A session that is watched: each request ends once.
class watched {
   public:
    watched(ms::config config, ms::role side)
        : limits(config.limits), session(std::move(config), side, 0) {}

    /// Gives it bytes, each time in memory of their own.
    void receive(const bytes& more, std::uint64_t now) {
        waiting.insert(waiting.end(), more.begin(), more.end());
        const bytes piece = waiting;
        mxp::bytes_view input = piece;
        const std::size_t before = session.queued();
        const std::size_t most =
            before + limits.reply_bytes + 70'000 + 40 * session.in_flight_here();
        while (const auto one = session.receive(input, now)) {
            std::visit([&](const auto& of) { take(of); }, *one);
        }
        require(session.queued() <= most, "what comes makes little that goes");
        require(session.in_flight_peer() <= limits.in_flight, "so many are in flight as can be");
        require(session.held() <= session.queued() + limits.in_flight_bytes + more.size() +
                                      waiting.size() + 1'000'000 +
                                      1024 * (session.in_flight_peer() + session.in_flight_here()),
                "no more is held than may be");
        require(input.empty() || session.is_deaf(), "all is read");
        waiting.erase(waiting.begin(), waiting.end() - static_cast<std::ptrdiff_t>(input.size()));
    }

    bytes give(std::size_t frames, std::uint64_t now) {
        bytes made;
        if (frames == 7) {
            ms::batch all;
            session.poll_batch(all, now);
            all.each([&](mxp::bytes_view piece) {
                made.insert(made.end(), piece.begin(), piece.end());
            });
            return made;
        }
        for (; frames > 0; --frames) {
            const auto frame = session.poll_frame(now);
            if (!frame) {
                break;
            }
            for (const auto piece : {frame->head, frame->value, frame->trailer}) {
                made.insert(made.end(), piece.begin(), piece.end());
            }
        }
        return made;
    }

    void made(const ms::result<std::uint64_t>& id, bool is_request) {
        if (id && *id > 0 && is_request) {
            require(own.insert(*id).second, "an id is new");
            known.push_back(*id);
        }
    }

    void end(std::uint64_t now) {
        session.lost(now);
        receive({}, now);
        require(session.finished(), "a session without a connection is finished");
        require(session.in_flight_here() + session.in_flight_peer() == 0, "no place is kept");
        require(session.queued() == 0, "nothing waits");
        require(is_over, "the end is told");
        require(!session.next_timeout(), "nothing is due");
    }

    ms::limits limits;
    ms::session session;
    bytes waiting;
    /// Requests made here that have not ended, but for streams that both sides have ended.
    std::set<std::uint64_t> own;
    /// Ids of either side.
    std::vector<std::uint64_t> known;
    bool is_over = false;

   private:
    void ended(std::uint64_t id) { require(own.erase(id) == 1, "a request ends once"); }
    void came(std::uint64_t id) {
        require(!is_over, "nothing comes behind the end");
        known.push_back(id);
        peers.insert(id);
    }

    void take(const ms::in::ready&) { require(session.ready(), "ready"); }
    void take(const ms::in::call& of) {
        came(of.id);
        for (const auto& one : of.head.metadata()) {
            require(one.key().size() < 256, "a key is short");
        }
    }
    void take(const ms::in::open& of) { came(of.id); }
    void take(const ms::in::event& of) {
        if (of.requires_ack) {
            came(of.id);
        }
    }
    void take(const ms::in::events& of) { look_at(of.values); }
    void take(const ms::in::response& of) { ended(of.id); }
    void take(const ms::in::ended& of) { ended(of.id); }
    void take(const ms::in::chunk&) {}
    void take(const ms::in::chunks& of) {
        look_at(of.values);
        require(of.first > 0, "chunks are counted from 1");
    }
    static void look_at(const ms::records& values) {
        std::size_t count = 0;
        std::size_t sum = 0;
        for (const mxp::bytes_view value : values) {
            ++count;
            sum += value.size();
            for (const std::byte one : value) {
                touched = one;
            }
        }
        require(count > 0 && count == values.size(), "a batch has as many values as it says");
        require(sum == values.bytes(), "and as many bytes");
        require(sum + 2 * count <= ms::batch_bytes, "and no more than it may have");
    }
    void take(const ms::in::finished&) {}
    void take(const ms::in::granted&) {}
    void take(const ms::in::acked& of) {
        if (of.chunk == 0) {
            ended(of.id);
        }
    }
    void take(const ms::in::cancelled& of) {
        require(peers.erase(of.id) == 1, "a request of the peer's ends once");
    }
    void take(const ms::in::draining&) {}
    void take(const ms::in::registration& of) { came(of.id); }
    void take(const ms::in::heartbeat& of) { came(of.id); }
    void take(const ms::in::discovery& of) { came(of.id); }
    void take(const ms::in::end&) {
        require(!is_over, "a session ends once");
        is_over = true;
    }

    /// Requests of the peer's whose end was not told.
    std::set<std::uint64_t> peers;
    /// The byte that was read last, so that all bytes of values are read.
    static inline volatile std::byte touched{};
};

/// A frame with the hash that it should have.
[[nodiscard]] inline bytes sealed(choices& from, const watched& to) {
    mxp::frame of;
    of.type = ms::statistics::types[from.below(ms::statistics::types.size())];
    const std::uint8_t how = from.byte();
    of.flags = static_cast<mxp::flags>(how & 15);
    const std::uint8_t id = from.byte();
    of.message_id = (how & 16) != 0 && !to.known.empty() ? to.known[id % to.known.size()] : id;
    const bytes payload = from.take(from.byte());
    of.payload = payload;
    bytes made(of.size());
    mxp::wire::store_frame(made.data(), of, mxp::checksum::on);
    return made;
}

/// Something that the user of a session does.
inline void act(watched& by, choices& from, std::uint64_t now) {
    const auto id = [&] {
        return by.known.empty() ? std::uint64_t{from.byte()}
                                : by.known[from.byte() % by.known.size()];
    };
    const std::size_t what = from.below(20);
    bytes value((what & 1) != 0 ? std::size_t{from.byte()} : std::size_t{from.byte()} * 40);
    ms::session& s = by.session;
    ms::request asked;
    asked.service = static_cast<std::uint16_t>(from.below(3));
    asked.deadline = std::uint64_t{from.byte()} * 8;
    const std::uint8_t how = from.byte();
    const bool first = (how & 1) != 0;
    const bool second = (how & 2) != 0;
    const ms::credit credit{how / 8U, std::uint64_t{how} * 16};
    if ((how & 192) == 192) {
        s.moved(now);
    }
    if ((how & 48) == 48) {
        s.pause(now);
    } else {
        s.resume(now);
    }
    switch (what) {
    case 0:
    case 1:
        return by.made(s.call(asked, std::move(value), now), true);
    case 2:
    case 3:
        return by.made(s.open(asked, credit, first, std::move(value), now), true);
    case 4:
    case 5:
        return by.made(
            s.event(asked, first, static_cast<ms::when_full>(how / 2 % 3), std::move(value), now),
            first);
    case 6:
        return by.made(s.register_agent("name", {}, 1, now), true);
    case 7:
        return by.made(first ? s.heartbeat("name", now) : s.discover("", now), true);
    case 8:
    case 9:
        static_cast<void>(s.respond(id(), std::move(value), now));
        return;
    case 10:
        static_cast<void>(s.fail(id(), {ms::status::NotFound, first, "name", "text", {}}, now));
        return;
    case 11:
        static_cast<void>(second ? s.overrun_stream(id(), now) : s.release(id(), now));
        return;
    case 12:
        static_cast<void>(s.cancel(id(), now));
        return;
    case 13:
    case 14:
        static_cast<void>(s.chunk(id(), first, second, std::move(value), now));
        return;
    case 15:
        static_cast<void>(s.finish(id(), now));
        return;
    case 16:
    case 17:
        static_cast<void>(s.grant(id(), credit, now));
        return;
    case 18:
        static_cast<void>(s.ack(id(), how, now));
        return;
    default:
        if (how > 240) {
            static_cast<void>(s.drain("reason", now));
        }
    }
}

/// Plays to the end of the bytes, and then to that of both sessions.
inline void run(const std::uint8_t* data, std::size_t size) {
    choices from{data, size};
    const std::uint8_t how = from.byte();
    ms::config config;
    config.services = {"a.A", "b.B"};
    config.takes_agents = (how & 2) != 0;
    if ((how & 1) != 0) {
        config.limits.in_flight = 3;
        config.limits.in_flight_bytes = 2000;
        config.limits.queue_bytes = 600;
        config.limits.reply_bytes = 200;
        config.limits.hello_us = config.limits.frame_us = config.limits.stall_us = 3000;
        config.limits.bulk_bytes = 300;
        config.limits.idle_us = 700;
        config.limits.linger_us = 200;
        config.limits.ping_us = 500;
        config.limits.pong_us = 500;
    }
    ms::config other = config;
    config.offers_checksum_off = (how & 4) != 0;
    other.offers_checksum_off = (how & 8) != 0;
    config.offers_batches = (how & 16) != 0;
    other.offers_batches = (how & 32) != 0;
    watched sides[] = {{config, ms::role::opener}, {other, ms::role::acceptor}};
    // The bytes under way between them.
    bytes between[2];
    std::uint64_t now = 0;
    while (!from.empty()) {
        const std::uint8_t next = from.byte();
        watched& by = sides[next & 1];
        bytes& to_other = between[next & 1];
        bytes& to_by = between[1 - (next & 1)];
        switch (next / 2 % 8) {
        case 0:
        case 1:
        case 2:
            act(by, from, now);
            break;
        case 3: {
            const bytes more = by.give(from.below(8), now);
            to_other.insert(to_other.end(), more.begin(), more.end());
            break;
        }
        case 4: {
            const std::size_t n = std::min(to_by.size(), std::size_t{from.byte()} * 16);
            const auto end = to_by.begin() + static_cast<std::ptrdiff_t>(n);
            by.receive({to_by.begin(), end}, now);
            to_by.erase(to_by.begin(), end);
            break;
        }
        case 5:
            now += std::uint64_t{from.byte()} * 4;
            by.session.tick(now);
            by.receive({}, now);
            break;
        case 6:
            if (next > 200) {
                by.receive(sealed(from, by), now);
            }
            break;
        default:
            if (next > 240) {
                by.receive(from.take(from.byte()), now);
            }
        }
    }
    for (watched& one : sides) {
        one.end(now);
    }
}

}  // namespace play

#endif  // MXP_TESTS_SESSION_PLAY_HPP
