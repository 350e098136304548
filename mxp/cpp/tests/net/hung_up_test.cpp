// Events whose peers have hung up while they wait [MXP-15.5].
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "intruder.hpp"
#include "mxp/engine/budget.hpp"
#include "mxp/engine/order.hpp"
#include "running.hpp"

namespace hung_up {

namespace {

using running::bytes;
using running::intruder;
namespace ms = mxp::session;
namespace net = mxp::net;

constexpr std::size_t sixteenth = 24'576;
constexpr std::size_t in_turn = mxp::engine::turn::most;

/// A server of 1 MiB, with a method that takes events, and one that answers with the value.
class hung_up : public testing::Test {
   protected:
    hung_up() {
        net::services all;
        all.service("demo.HungUp")
            .event(1, [this](const net::request& asked) { ++came[asked.value.size()]; })
            .call(2, [](const net::request& asked, const net::responder& by) {
                by.respond(asked.value);
            });
        net::server_options how;
        how.memory_bytes = 24 * sixteenth;
        how.on_failure = [this](const net::failure& why) { told.push_back(why); };
        server.emplace(context, std::move(all), how);
        at = server->listen(folder.at("s")).value();
    }

    [[nodiscard]] std::unique_ptr<intruder> greeted() {
        auto made = std::make_unique<intruder>(at, std::vector<std::string>{}, true);
        made->flush();
        EXPECT_TRUE(running::until(
            context, [&] { return made->session().ready() || (made->read(0), false); }));
        return made;
    }

    /// A batch of events: so many of a byte, and one that is longer.
    static bytes batch(intruder& by, std::size_t count, std::size_t last) {
        const auto id = by.session().event({0, 1, 0, {}, {}}, false, ms::when_full::refuse, {}, 0);
        ms::batch given;
        by.session().poll_batch(given, 0);
        bytes alone;
        given.each([&](mxp::bytes_view one) { alone.insert(alone.end(), one.begin(), one.end()); });
        // Of an event without bytes the payload is what all events of a batch have in common.
        bytes payload(alone.begin() + mxp::header_bytes, alone.end() - mxp::trailer_bytes);
        const auto add = [&](std::size_t n) {
            payload.push_back(static_cast<std::byte>(n % 256));
            payload.push_back(static_cast<std::byte>(n / 256));
            payload.insert(payload.end(), n, std::byte{});
        };
        for (std::size_t i = 0; i < count; ++i) {
            add(1);
        }
        add(last);
        bytes made;
        const mxp::frame whole{{mxp::frame_type::events, mxp::flags::none, *id, 0}, payload};
        EXPECT_TRUE(mxp::append(whole, mxp::checksum::on, made));
        return made;
    }
    /// The bytes that the rest of a batch counts after a turn.
    static std::size_t rest_of(const bytes& batch) {
        return batch.size() - mxp::header_bytes - mxp::trailer_bytes -
               in_turn * (ms::record_bytes + 1) + mxp::engine::parcel::item_held +
               mxp::engine::budget::connection_bytes;
    }

    asio::io_context context{1};
    running::folder folder;
    std::optional<net::server> server;
    std::string at;
    /// How many events came, by their lengths.
    std::map<std::size_t, std::size_t> came;
    std::vector<net::failure> told;
};

TEST_F(hung_up, PeersLeaveASixteenthOfTheBudgetAndNoByteMore) {
    for (const std::size_t over : {0U, 1U}) {
        came.clear();
        told.clear();
        auto large = greeted();
        auto small = greeted();
        const bytes first = batch(*large, 3'000, 2);
        // It is as long as there is room for.
        const std::size_t last =
            3 + over + sixteenth - rest_of(first) - rest_of(batch(*small, 600, 3));
        small = greeted();
        const bytes second = batch(*small, 600, last);
        ASSERT_EQ(rest_of(first) + rest_of(second), sixteenth + over);
        ASSERT_TRUE(large->send(first) && small->send(second));
        large.reset();
        small.reset();
        EXPECT_TRUE(running::until(context, [&] { return server->connections() == 0; }));
        EXPECT_EQ(server->stats().held_bytes, 0U);
        EXPECT_EQ(came[last], 1U);
        if (over == 0) {
            EXPECT_EQ(came[1] + came[2], 3'601U);
            EXPECT_TRUE(told.empty());
            continue;
        }
        // Of the larger one what was left when the other had hung up, too.
        EXPECT_EQ(came[2], 0U);
        EXPECT_GE(came[1], 600 + in_turn);
        ASSERT_EQ(told.size(), 1U);
        EXPECT_EQ(told[0].name, "limit_server_bytes");
        EXPECT_EQ(told[0].text, std::to_string(3'601 - came[1]) +
                                    " events were dropped, since their peer has hung up");
    }
}

}  // namespace

}  // namespace hung_up
