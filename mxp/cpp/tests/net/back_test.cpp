// Handlers that ask the program that asks.
#include "mxp/agents.hpp"
#include "running.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;
using mxp::registry::Lease;
using namespace std::chrono_literals;

namespace back {

namespace {

constexpr net::method start{"demo.Front", 1, "start"};
constexpr net::method half{"demo.Back", 1, "half"};
constexpr net::method count{"demo.Back", 2, "count"};
constexpr net::method note{"demo.Back", 3, "note"};

/// The service of a client.
struct halves {
    void half(const net::request& asked, Lease value, net::replier<Lease> to) {
        peers.push_back(asked.peer->address);
        to.respond({value.lease / 2});
    }
    void count(const net::request&, Lease most, net::sender<Lease> to) {
        to.send_all([next = std::uint64_t{0}, most = most.lease]() mutable {
            return next < most ? std::optional{Lease{next++}} : std::nullopt;
        });
    }
    std::optional<net::failure> note(const net::request&, Lease) {
        ++noted;
        return std::nullopt;
    }

    std::vector<std::string> peers;
    int noted = 0;
};

/// A server whose call keeps the client of its request, and a client that serves.
class asked_back : public testing::Test {
   protected:
    asked_back() {
        net::services all;
        all.service("demo.Front").call(1, [this](const net::request& of, const net::responder& to) {
            asker = of.client();
            to.respond(of.value);
        });
        server.emplace(context, std::move(all));
        at = server->listen(folder.at("s")).value();
        how.services.service("demo.Back")
            .call(1, net::handler_of(by, &halves::half))
            .stream(2, net::handler_of(by, &halves::count))
            .event(3, net::handler_of(by, &halves::note));
    }
    void begin() {
        client.emplace(context, at, how);
        bool is_answered = false;
        client->call(start, std::string_view{}, {},
                     [&](const net::answer& came) { is_answered = !came.failed; });
        ASSERT_TRUE(until(context, [&] { return is_answered; }));
        ASSERT_NE(asker, nullptr);
    }
    /// How a call of the server's ends.
    std::string ask() {
        std::optional<std::string> end;
        net::call<Lease>(*asker, half, Lease{14},
                         [&](const net::outcome<Lease>& came) {
                             end = came ? std::to_string(came->lease) : came.error().name;
                         },
                         {});
        EXPECT_TRUE(until(context, [&] { return end.has_value(); }));
        return end.value_or("");
    }

    running::folder folder;
    asio::io_context context{1};
    std::shared_ptr<halves> by = std::make_shared<halves>();
    std::optional<net::server> server;
    std::string at;
    net::client_options how;
    std::optional<net::client> client;
    std::shared_ptr<net::client> asker;
};

TEST_F(asked_back, is_what_a_client_serves) {
    begin();
    EXPECT_EQ(ask(), "7");
    EXPECT_EQ(by->peers, std::vector<std::string>{at});
    std::uint64_t sum = 0;
    bool has_ended = false;
    const auto values = net::open_server_stream<Lease>(*asker, count, Lease{1000}, {});
    values.on_value([&](const Lease& one) { sum += one.lease; });
    values.on_end([&](const net::failure* why) { has_ended = why == nullptr; });
    bool is_taken = false;
    net::event_options acked;
    acked.requires_ack = true;
    net::send(
        *asker, note, Lease{1}, [&](const net::outcome<void>& came) { is_taken = bool{came}; },
        acked);
    ASSERT_TRUE(until(context, [&] { return has_ended && is_taken; }));
    EXPECT_EQ(sum, 999U * 1000 / 2);
    EXPECT_EQ(by->noted, 1);
    // It has no connection of its own to close.
    asker->close();
    EXPECT_EQ(ask(), "7");
}

TEST_F(asked_back, is_the_same_client_for_all_requests_of_a_connection) {
    begin();
    const auto first = std::exchange(asker, nullptr);
    client->call(start, std::string_view{}, {}, nullptr);
    ASSERT_TRUE(until(context, [&] { return asker != nullptr; }));
    EXPECT_EQ(asker, first);
}

TEST_F(asked_back, is_nothing_of_a_client_that_serves_nothing) {
    how.services = {};
    begin();
    EXPECT_EQ(ask(), "service_unknown");
}

TEST_F(asked_back, ends_with_the_connection_and_makes_no_other) {
    begin();
    std::vector<std::string> ends;
    for (int i = 0; i < 2; ++i) {
        asker->call(half, std::string_view{}, {}, [&](const net::answer& came) {
            ends.push_back(came.failed ? came.failed->name : "fine");
        });
    }
    client->close();
    ASSERT_TRUE(until(context, [&] { return server->connections() == 0 && ends.size() == 2; }));
    EXPECT_EQ(ask(), "session_closed");
    EXPECT_FALSE(asker->is_connected());
}

TEST_F(asked_back, outlives_a_server_that_is_gone) {
    begin();
    server.reset();
    EXPECT_TRUE(until(context, [&] { return !asker->is_connected(); }));
    EXPECT_EQ(ask(), "session_closed");
}

}  // namespace

}  // namespace back
