// Whether a server can be asked, as mxp.health tells it.
#include "mxp/net/health.hpp"
#include "running.hpp"

using running::until;
namespace net = mxp::net;
using mxp::health::Report;
using mxp::health::State;
using namespace std::chrono_literals;

namespace health {

namespace {

class reported : public testing::Test {
   protected:
    reported() {
        all.emplace(running::echo(std::make_shared<running::seen>()));
        reporter.emplace(*all);
        server.emplace(context, std::move(*all));
        at = server->listen(folder.at("s")).value();
        how.types = mxp::health::HealthService::types();
        client.emplace(context, at, how);
        asker.emplace(*client);
    }
    State check(const std::string& service) {
        std::optional<State> came;
        asker->check({service}, [&](const net::outcome<Report>& told) { came = told->state; });
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        return came.value_or(State::Unknown);
    }

    running::folder folder;
    asio::io_context context{1};
    std::optional<net::services> all;
    std::optional<net::health_reporter> reporter;
    std::optional<net::server> server;
    std::string at;
    net::client_options how;
    std::optional<net::client> client;
    std::optional<mxp::health::HealthClient> asker;
};

// [MXP-13.8]
TEST_F(reported, is_how_services_are) {
    EXPECT_EQ(check(""), State::Serving);
    EXPECT_EQ(check("demo.Echo"), State::Serving);
    EXPECT_EQ(check("mxp.health.Health"), State::Serving);
    EXPECT_EQ(check("demo.Nothing"), State::Unknown);
    reporter->set("demo.Echo", State::NotServing);
    reporter->set("demo.Nothing", State::Serving);
    EXPECT_EQ(check("demo.Echo"), State::NotServing);
    EXPECT_EQ(check(""), State::Serving);
    EXPECT_EQ(check("demo.Nothing"), State::Unknown);
}

// [MXP-13.8, MXP-13.9]
TEST_F(reported, is_told_those_who_watch_until_the_server_drains) {
    std::vector<State> seen;
    std::vector<State> whole;
    int ended = 0;
    const auto one = asker->watch({"demo.Echo"});
    one.on_value([&](const Report& now) { seen.push_back(now.state); });
    one.on_end([&](const net::failure* why) { ended += why == nullptr ? 1 : 100; });
    const auto other = asker->watch({""});
    other.on_value([&](const Report& now) { whole.push_back(now.state); });
    other.on_end([&](const net::failure* why) { ended += why == nullptr ? 1 : 100; });
    const auto saw = [&](std::size_t n) {
        return until(context, [&] { return seen.size() == n; });
    };
    ASSERT_TRUE(saw(1));
    reporter->set("demo.Echo", State::NotServing);
    ASSERT_TRUE(saw(2));
    reporter->set("demo.Echo", State::NotServing);  // nothing new
    reporter->set("demo.Echo", State::Serving);
    ASSERT_TRUE(saw(3));
    bool has_drained = false;
    server->drain("over", 60s, [&] { has_drained = true; });
    ASSERT_TRUE(until(context, [&] { return ended == 2 && has_drained; }));
    EXPECT_EQ(seen, (std::vector<State>{State::Serving, State::NotServing, State::Serving,
                                        State::NotServing}));
    EXPECT_EQ(whole, (std::vector<State>{State::Serving, State::NotServing}));
}

TEST_F(reported, is_the_last_to_those_who_take_nothing_for_a_while) {
    std::vector<State> seen;
    const auto one = asker->watch({""});
    one.on_value([&](const Report& now) { seen.push_back(now.state); });
    ASSERT_TRUE(until(context, [&] { return seen.size() == 1; }));
    one.pause();
    for (int i = 0; i < 5000; ++i) {
        reporter->set("", i % 2 == 0 ? State::NotServing : State::Serving);
        context.poll_one();
    }
    reporter->set("", State::NotServing);
    one.resume();
    ASSERT_TRUE(until(context, [&] {
        return seen.back() == State::NotServing && client->stats().in_flight_here == 1 &&
               server->stats().held_bytes < 100'000;
    }));
}

TEST(client_that_serves, is_healthy_to_its_server) {
    const running::folder folder;
    asio::io_context context{1};
    std::shared_ptr<net::client> asker;
    net::services all;
    all.service("demo.Front").call(1, [&](const net::request& of, const net::responder& to) {
        asker = of.client();
        to.respond(of.value);
    });
    net::server server{context, std::move(all)};
    net::client_options how;
    const net::health_reporter reporter{how.services};
    net::client client{context, server.listen(folder.at("s")).value(), how};
    client.call({"demo.Front", 1}, std::string_view{}, {}, nullptr);
    ASSERT_TRUE(until(context, [&] { return asker != nullptr; }));
    std::optional<State> came;
    mxp::health::HealthClient{*asker}.check(
        {""}, [&](const net::outcome<Report>& told) { came = told->state; });
    ASSERT_TRUE(until(context, [&] { return came.has_value(); }));
    EXPECT_EQ(came, State::Serving);
    asker.reset();
}

}  // namespace

}  // namespace health
