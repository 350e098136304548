// Clients of several addresses, and of several connections to one [MXP-14.9].
#include "running.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;
using namespace std::chrono_literals;
using mxp::session::status;

namespace several {

namespace {

constexpr net::method who{"demo.Who", 1, "who"};
constexpr net::method hold{"demo.Who", 2, "hold"};

/// Servers that say which of them answers.
class several : public testing::Test {
   protected:
    std::string at(int i) const { return folder.at(std::to_string(i)); }
    void serve(int i) {
        net::services all;
        all.service("demo.Who")
            .call(1,
                  [this, i](const net::request&, const net::responder& to) {
                      ++asked[i];
                      to.respond(std::to_string(i));
                  })
            .call(2, [this, i](const net::request&, const net::responder& to) {
                ++held_by[i];
                held.push_back(to);
            });
        servers[i] = std::make_unique<net::server>(context, std::move(all));
        ASSERT_TRUE(servers[i]->listen(at(i)));
    }
    void begin(int n, net::client_options how = {}) {
        std::vector<std::string> all;
        for (int i = 0; i < n; ++i) {
            all.push_back(at(i));
        }
        client.emplace(context, all, std::move(how));
    }
    /// The server that answers, or why none does.
    std::string call(const net::call_options& how = {}) {
        std::optional<std::string> came;
        client->call(who, std::string_view{}, how, [&](const net::answer& told) {
            came = told.failed ? told.failed->name : text_of(told.value);
            why = told.failed;
        });
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        return came.value_or("");
    }
    std::size_t connections() {
        std::size_t n = 0;
        for (const auto& [i, one] : servers) {
            n += one->connections();
        }
        return n;
    }
    /// Waits until each server has answered.
    void ready() {
        ASSERT_TRUE(until(context, [&] {
            call();
            return asked.size() == servers.size();
        }));
    }

    running::folder folder;
    asio::io_context context{1};
    std::map<int, std::unique_ptr<net::server>> servers;
    std::map<int, int> asked;
    std::map<int, int> held_by;
    std::vector<net::responder> held;
    std::optional<net::client> client;
    std::optional<net::failure> why;
};

TEST_F(several, requests_go_to_those_that_are_there) {
    for (const int i : {0, 1, 2}) {
        serve(i);
    }
    begin(4);  // nobody listens at the last
    ready();
    for (int i = 0; i < 60; ++i) {
        EXPECT_EQ(call().size(), 1U);
    }
    servers[0]->drain("over", 60s, [] {});
    servers[1]->close();
    // Requests that were on their way there are lost.
    ASSERT_TRUE(until(context, [&] { return call() == "2"; }));
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(call(), "2");
    }
    servers.erase(0);
    serve(0);
    EXPECT_TRUE(until(context, [&] { return call() == "0"; }));
}

TEST_F(several, a_request_goes_where_fewer_are_in_flight) {
    serve(0);
    serve(1);
    begin(2);
    ready();
    int ended = 0;
    for (int i = 0; i < 40; ++i) {
        client->call(hold, std::string_view{}, {}, [&](const net::answer&) { ++ended; });
    }
    ASSERT_TRUE(until(context, [&] { return held.size() == 40; }));
    // Of two connections, both are always looked at.
    EXPECT_EQ(held_by[0], 20);
    EXPECT_EQ(held_by[1], 20);
    for (const auto& one : held) {
        one.respond(std::string_view{});
    }
    EXPECT_TRUE(until(context, [&] { return ended == 40; }));
}

TEST_F(several, connections_to_one_address_are_a_pool) {
    serve(0);
    net::client_options how;
    how.connections = 3;
    begin(1, how);
    ASSERT_TRUE(until(context, [&] { return connections() == 3; }));
    EXPECT_EQ(call(), "0");
    bool has_left = false;
    client->drain("done", 60s, [&] { has_left = true; });
    EXPECT_TRUE(until(context, [&] { return has_left && connections() == 0; }));
}

TEST_F(several, a_failure_tells_each_address_with_its_cause) {
    net::client_options how;
    how.connect_timeout = 50ms;
    begin(2, how);
    EXPECT_EQ(call(), "not_connected");
    ASSERT_TRUE(why);
    EXPECT_EQ(why->status, status::Unavailable);
    for (const int i : {0, 1}) {
        EXPECT_NE(why->text.find(at(i) + ": "), std::string::npos) << why->text;
        EXPECT_NE(why->text.find(running::absent), std::string::npos) << why->text;
    }
    EXPECT_FALSE(why->acted);
}

TEST_F(several, what_fails_for_good_at_one_address_may_be_had_at_another) {
    serve(1);
    client.emplace(context, std::vector<std::string>{"nowhere", at(1)});
    EXPECT_EQ(call(), "1");
    client.emplace(context, std::vector<std::string>{"nowhere", "mxp+unix:///"});
    EXPECT_EQ(call(), "address_invalid") << "at once";
    EXPECT_NE(why->text.find("nowhere: address_invalid"), std::string::npos) << why->text;
    client.emplace(context, std::vector<std::string>{});
    EXPECT_EQ(call(), "address_invalid");
}

}  // namespace

}  // namespace several
