// The turns in which a server takes what its peers send [MXP-15.2].
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "intruder.hpp"
#include "running.hpp"

namespace turns {

namespace {

using running::bytes;
using running::intruder;
namespace ms = mxp::session;
namespace net = mxp::net;

constexpr const char* service = "demo.Turns";
constexpr std::size_t values = 2'000;

/// A server, and a peer that sends it batches of empty values: events to the methods 1, which are
/// handled one at a time, and 2, several at a time; chunks on the streams 3 and 4, likewise.
class turns : public testing::Test {
   protected:
    turns() {
        net::services all;
        all.service(service)
            .event(1, [this](const net::request&) { count(1); })
            .events(2,
                    [this](const net::request&, auto some) -> std::optional<net::failure> {
                        count(some.size());
                        return std::nullopt;
                    })
            .stream(3,
                    [this](const net::request&, const net::stream& end) {
                        end.on_chunk([this](mxp::bytes_view) { count(1); });
                        end.on_finish([end] { end.finish(); });
                    })
            .stream(4,
                    [this](const net::request&, const net::stream& end) {
                        end.on_chunks([this](auto some) { count(some.size()); });
                        end.on_finish([this] { has_finished = true; });
                    })
            .stream(5,
                    [](const net::request&, const net::stream& end) {
                        end.on_chunk([end](mxp::bytes_view) { end.send(bytes{}); });
                    })
            .call(6, [this](const net::request&, const net::responder& by) {
                unanswered.push_back(by);
            });
        net::server_options how;
        how.limits.connection_bytes = 200'000;
        server.emplace(context, std::move(all), how);
        at = server->listen(folder.at("s")).value();
        peer.emplace(at, std::vector<std::string>{}, true);
        peer->flush();
        EXPECT_TRUE(running::until(
            context, [&] { return peer->session().ready() || (peer->read(0), false); }));
    }

    void count(std::size_t n) {
        came += n;
        in_turn += n;
    }

    /// Runs the server one step at a time, until so many values have come. Returns how many came
    /// in a step at most.
    std::size_t most_until(std::size_t all) {
        std::size_t most = 0;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
        while (came < all && std::chrono::steady_clock::now() < end) {
            in_turn = 0;
            context.restart();
            context.poll_one();
            most = std::max(most, in_turn);
            held = std::max(held, server->stats().held_bytes);
        }
        EXPECT_EQ(came, all);
        return most;
    }

    void send_events(std::uint16_t method) {
        const auto id =
            peer->session().event({0, method, 0, {}, {}}, false, ms::when_full::refuse, bytes{}, 0);
        for (std::size_t i = 1; i < values; ++i) {
            ASSERT_TRUE(peer->session().join(*id, {}));
        }
        ASSERT_TRUE(peer->flush());
    }

    void send_chunks(std::uint16_t method, std::size_t count = values) {
        const auto id = peer->session().open({0, method, 0, {}, {}}, {}, false, bytes{}, 0);
        peer->flush();
        ASSERT_TRUE(running::until(
            context, [&] { return peer->session().can_send(*id, 0) || (peer->read(0), false); }));
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_TRUE(peer->session().chunk(*id, i + 1 == count, false, bytes{}, 0));
        }
        ASSERT_TRUE(peer->flush());
    }

    asio::io_context context{1};
    running::folder folder;
    std::optional<net::server> server;
    std::string at;
    std::optional<intruder> peer;
    std::size_t came = 0;
    std::size_t in_turn = 0;
    std::size_t held = 0;
    bool has_finished = false;
    std::vector<net::responder> unanswered;
};

TEST_F(turns, HaveAtMost256EventsOfABatchAndCountTheRestAsOne) {
    for (const std::uint16_t method : {std::uint16_t{1}, std::uint16_t{2}}) {
        came = held = 0;
        send_events(method);
        EXPECT_EQ(most_until(values), 256U);
        // The records that are left have two bytes each.
        EXPECT_GT(held, 2 * (values - 256));
        EXPECT_LT(held, 3 * values);
        EXPECT_TRUE(running::until(context, [&] { return server->stats().held_bytes < 2'000; }));
    }
}

TEST_F(turns, HaveAtMost256EventsOfManyFrames) {
    for (std::size_t i = 0; i < values; ++i) {
        ASSERT_TRUE(
            peer->session().event({0, 1, 0, {}, {}}, false, ms::when_full::refuse, bytes{}, 0));
        // A flag of its own each, so that none joins another.
        peer->queue_all();
    }
    ASSERT_TRUE(peer->send_some());
    EXPECT_LE(most_until(values), 256U);
}

TEST_F(turns, HaveAtMost256ChunksOfABatch) {
    for (const std::uint16_t method : {std::uint16_t{3}, std::uint16_t{4}}) {
        came = held = 0;
        send_chunks(method);
        EXPECT_EQ(most_until(values), 256U);
        EXPECT_GT(held, 2 * (values - 256));
        EXPECT_LT(held, 4 * values);
    }
    EXPECT_TRUE(running::until(context, [&] { return has_finished; }));
}

// [MXP-15.3]
TEST_F(turns, EndAStreamWhoseChunksWaitForTooLongForGrants) {
    send_chunks(5, 16'000);
    EXPECT_TRUE(running::until(context, [&] {
        return peer->ends["limit_connection_bytes"] > 0 || (peer->read(0), false);
    }));
    EXPECT_EQ(server->stats().refusals(ms::kind::limit_connection_bytes), 1U);
    EXPECT_TRUE(running::until(context, [&] { return server->stats().held_bytes < 10'000; }));
}

// [MXP-15.5]
TEST_F(turns, GoOnWhenThePeerHasHungUpAndThenAllIsLetGo) {
    for (int i = 0; i < 8; ++i) {
        send_events(1);
    }
    peer.reset();
    EXPECT_EQ(most_until(8 * values), 256U);
    EXPECT_TRUE(running::until(context, [&] { return server->connections() == 0; }));
    EXPECT_EQ(server->stats().held_bytes, 0U);
}

// [MXP-15.3] [MXP-15.5]
TEST_F(turns, OfAPeerThatIsNotReadEndWhenItSendsNoMore) {
    static_cast<void>(peer->session().call({0, 6, 0, {}, {}}, bytes(300'000), 0));
    peer->queue_all();
    ASSERT_TRUE(running::until(
        context, [&] { return peer->send_some() && server->stats().held_bytes > 200'000; }));
    peer->end();
    const auto since = std::chrono::steady_clock::now();
    EXPECT_TRUE(running::until(context, [&] { return server->connections() == 0; }));
    EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds{5});
    EXPECT_EQ(server->stats().held_bytes, 0U);
}

}  // namespace

}  // namespace turns
