/// levels.Meters, whose streams are opened as channels.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "gen/levels_service.hpp"
#include "mxp/net/channel.hpp"
#include "program.hpp"

namespace services {

namespace {

namespace net = mxp::net;
using levels::Level;
using both = net::channel<Level, Level>;
using net::receive_status;
using net::send_status;
using meters = levels::MetersService::Methods;

constexpr std::chrono::seconds second{1};
/// How many levels a client sends.
constexpr std::uint64_t levels_sent = 1000;

[[nodiscard]] net::channel_options by(net::delivery how) {
    net::channel_options made;
    made.requests = how;
    made.responses = how;
    return made;
}

/// A level of which each field says which one it is.
[[nodiscard]] Level level_of(std::uint64_t n) {
    Level made;
    made.sequence = n;
    made.place = n % 2 == 0 ? levels::Place::Input : levels::Place::Output;
    made.is_muted = n % 3 == 0;
    made.peak = static_cast<float>(n);
    return made;
}

/// Gives back what comes, until the sequence is 0 or the peer is gone.
void give_back(both& with) {
    Level level;
    for (;;) {
        const auto how = with.receiver.receive(level);
        if (how == receive_status::closed ||
            (how == receive_status::received && level.sequence == 0)) {
            return;
        }
        if (how == receive_status::empty) {
            static_cast<void>(with.receiver.wait(second));
            continue;
        }
        with.receiver.wake();
        while (with.sender.send(level) == send_status::full) {
            static_cast<void>(with.sender.wait(second));
        }
        with.sender.wake();
    }
}

/// Takes levels until one has a sequence, or none come; the last that came is whole. It returns how
/// many came, each behind its predecessor, or 0.
[[nodiscard]] std::uint64_t take_until(net::channel_receiver<Level>& from, std::uint64_t last) {
    std::uint64_t n = 0;
    std::uint64_t before = 0;
    while (before != last) {
        Level level;
        const auto how = from.receive(level);
        if (how == receive_status::closed) {
            return 0;
        }
        if (how == receive_status::empty) {
            static_cast<void>(from.wait(second));
            continue;
        }
        from.wake();
        if (level.sequence <= before || !(level == level_of(level.sequence))) {
            return 0;
        }
        before = level.sequence;
        ++n;
    }
    return n;
}

/// Sends all levels, and takes the returned ones.
[[nodiscard]] std::uint64_t exchange(both& with) {
    std::thread sending{[&sender = with.sender] {
        for (std::uint64_t n = 1; n <= levels_sent; ++n) {
            while (sender.send(level_of(n)) == send_status::full) {
                static_cast<void>(sender.wait(second));
            }
            sender.wake();
        }
    }};
    const std::uint64_t n = take_until(with.receiver, levels_sent);
    sending.join();
    return n;
}

/// The fate, at a server, of a level with a byte that is none of its type's.
[[nodiscard]] std::string fate_of(const std::string& address, std::size_t place) {
    const auto how = by(net::delivery::queue);
    auto made = net::detail::open_ends(meters::queue, address,
                                       net::detail::opening_of(meters::queue, how), how);
    if (!made) {
        return made.error().name;
    }
    static_cast<void>(made->sending.send([place](std::byte* to) {
        const bool is_put = net::detail::channel_value<Level>::put(level_of(1), to);
        to[place] = std::byte{2};
        return is_put;
    }));
    made->sending.wake();
    while (made->receiving.closed() == net::channel_end::none) {
        if (made->receiving.receive([](const std::byte*) { return true; }) ==
            receive_status::received) {
            return "taken";
        }
        static_cast<void>(made->receiving.wait(second));
    }
    return made->sending.closed() == net::channel_end::ended ? "refused" : "lost";
}

void print(const std::string& what, const net::failure& why) {
    std::cout << what << ": " << static_cast<int>(why.status) << " " << why.name << " \""
              << why.text << "\"\n";
}

}  // namespace

std::shared_ptr<const mxp::net::channels> channels() {
    const auto all = std::make_shared<net::channels>();
    const auto serve = [](both opened, const net::peer& /*who*/) {
        std::thread{[one = std::move(opened)]() mutable { give_back(one); }}.detach();
    };
    all->add(meters::queue, by(net::delivery::queue), serve);
    all->add(meters::newest, by(net::delivery::latest), serve);
    return all;
}

int ask_channels(const std::string& address) {
    auto queue = net::open_channel(meters::queue, address, by(net::delivery::queue));
    auto newest = net::open_channel(meters::newest, address, by(net::delivery::latest));
    if (!queue || !newest) {
        print("none", (queue ? newest.error() : queue.error()));
        return 1;
    }
    std::cout << "queue: " << exchange(*queue) << " in order\n";
    std::cout << "newest: " << (exchange(*newest) > 0 ? "whole" : "wrong") << "\n";
    static_cast<void>(queue->sender.send(Level{}));
    queue->sender.wake();
    while (queue->receiver.closed() == net::channel_end::none) {
        static_cast<void>(queue->receiver.wait(second));
    }
    std::cout << "ended: "
              << (queue->receiver.closed() == net::channel_end::ended ? "said" : "lost") << "\n";
    for (const std::size_t place : {8U, 9U}) {
        std::cout << "byte " << place << ": " << fate_of(address, place) << "\n";
    }
    net::channel_options other = by(net::delivery::queue);
    other.responses = net::delivery::latest;
    print("form", net::open_channel(meters::queue, address, other).error());
    print("unknown", net::open_channel(meters::absent, address).error());
    std::cout << "done\n";
    return 0;
}

}  // namespace services
