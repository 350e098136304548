// Clients and servers over all transports, and one of the tests' own.
#include <stdexcept>

#include "certificates.hpp"
#include "mxp/net/transports.hpp"
#include "pipes.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;
using namespace std::chrono_literals;

namespace net_tests {

namespace {

constexpr const char* service = "demo.Echo";

class over : public testing::TestWithParam<std::string> {
   protected:
    over() {
        net::server_options how;
#if defined(MXP_TLS)
        how.tls = &running::the_certificate().server;
        client_how.tls = &running::the_certificate().client;
#endif
        server.emplace(context, running::echo(seen), how);
        running::register_pipes();
        address = *net::parse_address(server->listen(place("s")).value());
        client.emplace(context, address, client_how);
    }

    /// Where another server can listen.
    [[nodiscard]] std::string place(const std::string& name) const {
        if (GetParam() == running::plain || GetParam() == "shm") {
            return folder.at(name, GetParam());
        }
        const bool is_path = GetParam() != "tcp" && GetParam() != "tls";
        const std::string path = folder.in(name);
        return "mxp+" + GetParam() + "://" +
               (!is_path              ? "localhost:0"
                : path.front() == '/' ? path
                                      : "/" + path);
    }

    /// How a call ended.
    net::answer call(std::uint16_t method, std::string value, net::call_options how = {}) {
        std::optional<net::answer> ended;
        client->call(service, method, value, std::move(how), [&](const net::answer& came) {
            ended = came;
            text = text_of(came.value);
        });
        EXPECT_TRUE(until(context, [&] { return ended.has_value(); }));
        return ended.value_or(net::answer{});
    }

    running::folder folder;
    std::shared_ptr<running::seen> seen = std::make_shared<running::seen>();
    asio::io_context context{1};
    std::optional<net::server> server;
    net::client_options client_how;
    net::address address;
    std::optional<net::client> client;
    /// The value of the last answer.
    std::string text;
};

TEST_P(over, a_peer_that_closes_the_connection_is_said_to_have) {
    EXPECT_FALSE(call(1, "hello").failed);
    std::optional<net::failure> why;
    client->call(service, 5, std::string_view{}, {},
                 [&](const net::answer& came) { why = came.failed; });
    EXPECT_TRUE(until(context, [&] { return !seen->held.empty(); }));
    server->close();
    EXPECT_TRUE(until(context, [&] { return why.has_value(); }));
    EXPECT_EQ(why->name, "session_lost");
    EXPECT_EQ(why->text, "the peer has closed the connection");
}

TEST_P(over, calls_are_answered) {
    EXPECT_FALSE(call(1, "hello").failed);
    EXPECT_EQ(text, "hello");
    EXPECT_FALSE(call(1, std::string(3'000'000, 'x')).failed);
    EXPECT_EQ(text, std::string(3'000'000, 'x'));
    std::size_t answers = 0;
    for (std::size_t i = 0; i < 1'000; ++i) {
        client->call(service, 1, std::string(i, 'y'), {}, [&, i](const net::answer& came) {
            answers += !came.failed && came.value.size() == i ? 1U : 0U;
        });
    }
    EXPECT_TRUE(until(context, [&] { return answers == 1'000; }));
    EXPECT_EQ(server->stats().calls.count(), 0U);
    EXPECT_EQ(client->stats().calls.count(), 1'002U);
}

TEST_P(over, calls_are_failed) {
    const auto refused = call(2, "x").failed;
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->name, "refused");
    EXPECT_EQ(refused->text, "not today");
    EXPECT_TRUE(refused->acted);
    const auto none = call(99, "x").failed;
    ASSERT_TRUE(none);
    EXPECT_EQ(none->name, "method_unknown");
    EXPECT_FALSE(none->acted);
    std::optional<net::failure> unknown;
    client->call("demo.Other", 1, std::string_view{}, {},
                 [&](const net::answer& came) { unknown = came.failed; });
    EXPECT_TRUE(until(context, [&] { return unknown.has_value(); }));
    EXPECT_EQ(unknown->name, "service_unknown");
}

TEST_P(over, calls_have_deadlines) {
    // A deadline counts from the call, and connecting may take longer than this one.
    ASSERT_FALSE(call(1, "connects").failed);
    net::call_options how;
    how.deadline = 30ms;
    const auto late = call(5, "x", how).failed;
    ASSERT_TRUE(late);
    EXPECT_EQ(late->name, "deadline_exceeded");
    EXPECT_TRUE(late->acted);
    EXPECT_TRUE(until(context, [&] { return seen->cancelled == 1; }));
    ASSERT_EQ(seen->held.size(), 1U);
    EXPECT_TRUE(seen->held[0].is_cancelled());
    seen->held[0].respond(std::string_view{"too late"});
    seen->held.clear();
    EXPECT_TRUE(until(context, [&] { return server->stats().in_flight_peer == 0; }));
}

TEST_P(over, calls_are_cancelled) {
    std::optional<net::failure> ended;
    const auto ticket = client->call(service, 5, std::string_view{}, {},
                                     [&](const net::answer& came) { ended = came.failed; });
    EXPECT_TRUE(until(context, [&] { return seen->held.size() == 1; }));
    client->cancel(ticket);
    EXPECT_TRUE(until(context, [&] { return ended && seen->cancelled == 1; }));
    EXPECT_EQ(ended->name, "cancelled");
}

TEST_P(over, calls_nobody_answers_are_failed) {
    std::optional<net::failure> ended;
    client->call(service, 5, std::string_view{}, {},
                 [&](const net::answer& came) { ended = came.failed; });
    EXPECT_TRUE(until(context, [&] { return seen->held.size() == 1; }));
    seen->held.clear();
    EXPECT_TRUE(until(context, [&] { return ended.has_value(); }));
    EXPECT_EQ(ended->name, "cancelled");
}

TEST_P(over, streams_go_both_ways) {
    const auto stream = client->open(service, 3, std::string_view{}, {});
    std::size_t came = 0;
    std::size_t size = 0;
    bool has_ended = false;
    stream.on_chunk([&](mxp::bytes_view chunk) {
        ++came;
        size += chunk.size();
    });
    stream.on_end([&](const net::failure* why) { has_ended = why == nullptr; });
    // More than is granted at once, in messages and in bytes.
    for (std::size_t i = 0; i < 3'000; ++i) {
        stream.send(std::string(i, 'x'));
    }
    stream.finish();
    EXPECT_TRUE(until(context, [&] { return has_ended; }));
    EXPECT_EQ(came, 3'000U);
    EXPECT_EQ(size, 3'000U * 2'999 / 2);
    EXPECT_TRUE(until(context, [&] { return server->stats().in_flight_peer == 0; }));
}

TEST_P(over, streams_stand_still_while_nobody_takes) {
    const auto stream = client->open(service, 3, std::string_view{}, {});
    std::size_t came = 0;
    bool has_ended = false;
    stream.pause();
    stream.on_chunk([&](mxp::bytes_view) { ++came; });
    stream.on_end([&](const net::failure*) { has_ended = true; });
    for (std::size_t i = 0; i < 100; ++i) {
        stream.send(std::string(100'000, 'x'));
    }
    stream.finish();
    const auto soon = std::chrono::steady_clock::now() + 100ms;
    until(context, [&] { return std::chrono::steady_clock::now() > soon; });
    EXPECT_EQ(came, 0U);
    stream.resume();
    EXPECT_TRUE(until(context, [&] { return has_ended; }));
    EXPECT_EQ(came, 100U);
}

// [MXP-8.7]
TEST_P(over, a_chunk_beyond_the_window_ends_its_stream) {
    const auto stream = client->open(service, 3, std::string_view{}, {});
    std::size_t came = 0;
    std::optional<net::failure> ended;
    stream.on_chunk([&](mxp::bytes_view chunk) { came += chunk.size(); });
    stream.on_end([&](const net::failure* why) { ended = *why; });
    stream.send(std::string(1 << 20, 'x'));
    EXPECT_TRUE(until(context, [&] { return came == 1 << 20; }));
    stream.send(std::string((1 << 20) + 1, 'x'));
    ASSERT_TRUE(until(context, [&] { return ended.has_value(); }));
    EXPECT_EQ(ended->name, "stream_window");
    EXPECT_EQ(ended->text,
              "a chunk of 1048577 bytes, where the receiver's window lets 1048576 through");
    EXPECT_TRUE(until(context, [&] { return server->stats().in_flight_peer == 0; }));
}

TEST_P(over, streams_are_cancelled) {
    const auto stream = client->open(service, 3, std::string_view{}, {});
    std::string ended;
    stream.on_end([&](const net::failure* why) { ended = why == nullptr ? "fine" : why->name; });
    EXPECT_TRUE(until(context, [&] { return server->stats().in_flight_peer == 1; }));
    stream.cancel();
    EXPECT_EQ(ended, "cancelled");
    EXPECT_TRUE(until(context, [&] { return server->stats().in_flight_peer == 0; }));
    const auto unknown = client->open(service, 77, std::string_view{}, {});
    unknown.on_end([&](const net::failure* why) { ended = why == nullptr ? "fine" : why->name; });
    EXPECT_TRUE(until(context, [&] { return ended == "method_unknown"; }));
}

TEST_P(over, events_are_taken) {
    std::size_t acked = 0;
    net::event_options how;
    client->event(service, 4, std::string_view{}, how, {});
    how.requires_ack = true;
    client->event(service, 4, std::string_view{}, how,
                  [&](const net::answer& came) { acked += came.failed ? 0U : 1U; });
    EXPECT_TRUE(until(context, [&] { return acked == 1; }));
    EXPECT_EQ(seen->events, 2U);
}

/// The next server gets the same address.
class over_plain : public over {};
INSTANTIATE_TEST_SUITE_P(each, over_plain, testing::Values(running::plain));

TEST_P(over_plain, what_crosses_a_drain_waits_for_the_next_connection) {
    net::call_options how;
    how.deadline = 20s;
    client->call(service, 5, std::string_view{}, {}, [](const net::answer&) {});
    EXPECT_TRUE(until(context, [&] { return seen->held.size() == 1; }));
    // None of the two has heard of the other's yet.
    std::vector<std::string> came;
    const auto keep = [&](const net::answer& told) {
        came.push_back(told.failed ? told.failed->name
                                   : "fine " + text_of(told.value).substr(0, 6));
    };
    net::event_options acked;
    acked.requires_ack = true;
    client->call(service, 1, std::string_view{"hello"}, how, keep);
    client->event(service, 4, std::string_view{}, acked, keep);
    client->call(service, 1, std::string(mxp::session::large_bytes, 'x'), how, keep);
    server->drain("over", 20s, [] {});
    net::server next{context, running::echo(seen)};
    ASSERT_TRUE(next.listen(to_string(address)));
    EXPECT_TRUE(until(context, [&] { return came.size() == 3; }));
    std::sort(came.begin(), came.end());
    EXPECT_EQ(came, (std::vector<std::string>{"fine ", "fine hello", "fine xxxxxx"}));
    EXPECT_EQ(seen->events, 1U);
    EXPECT_EQ(server->stats().in_flight_peer, 1U);
    seen->held.clear();
}

TEST_P(over, draining_lets_calls_end) {
    std::optional<net::answer> ended;
    client->call(service, 5, std::string_view{}, {},
                 [&](const net::answer& came) { ended = came; });
    EXPECT_TRUE(until(context, [&] { return seen->held.size() == 1; }));
    bool is_drained = false;
    server->drain("over", 10s, [&] { is_drained = true; });
    EXPECT_TRUE(until(context, [&] { return !client->is_connected(); }));
    EXPECT_FALSE(is_drained);
    seen->held[0].respond(std::string_view{"at last"});
    EXPECT_TRUE(until(context, [&] { return is_drained && ended; }));
    EXPECT_FALSE(ended->failed);
}

TEST_P(over, what_waits_for_a_connection_ends_once) {
    client_how.waiting = 1024;
    client.emplace(context, address, client_how);
    EXPECT_FALSE(call(1, "x").failed);
    server.reset();
    EXPECT_TRUE(until(context, [&] { return !client->is_connected(); }));
    net::call_options how;
    how.deadline = 50ms;
    const auto late = call(1, "x", how).failed;
    ASSERT_TRUE(late);
    EXPECT_EQ(late->name, "not_connected");
    EXPECT_FALSE(late->acted);
    std::size_t ends = 0;
    for (int i = 0; i < 2'000; ++i) {
        client->call(service, 1, std::string_view{}, {},
                     [&](const net::answer& came) { ends += came.failed ? 1U : 0U; });
    }
    EXPECT_TRUE(until(context, [&] { return ends == 2'000 - client_how.waiting; }));
    client.reset();
    EXPECT_EQ(ends, 2'000U);
}

TEST_P(over, what_waits_for_room_goes_on_though_nothing_comes) {
    net::server_options how;
#if defined(MXP_TLS)
    how.tls = &running::the_certificate().server;
#endif
    net::client_options small = client_how;
    how.limits.queue_bytes = small.limits.queue_bytes = 8'192;
    how.limits.bulk_bytes = small.limits.bulk_bytes = 8'192;
    net::server other{context, running::echo(seen), how};
    net::client user{context, other.listen(place("other")).value(), small};
    std::size_t answers = 0;
    for (int i = 0; i < 40; ++i) {
        user.call(service, 5, std::string_view{}, {},
                  [&](const net::answer& came) { answers += came.failed ? 0U : 1U; });
    }
    ASSERT_TRUE(until(context, [&] { return seen->held.size() == 40; }));
    for (const net::responder& one : std::exchange(seen->held, {})) {
        one.respond(running::bytes(3'000));
    }
    EXPECT_TRUE(until(context, [&] { return answers == 40; }));
    for (int i = 0; i < 40; ++i) {
        user.event(service, 4, std::string(3'000, 'x'), {}, {});
    }
    EXPECT_TRUE(until(context, [&] { return seen->events == 40; }));
}

TEST_P(over, what_is_in_flight_ends_with_the_connection) {
    std::optional<net::failure> ended;
    client->call(service, 5, std::string_view{}, {},
                 [&](const net::answer& came) { ended = came.failed; });
    EXPECT_TRUE(until(context, [&] { return seen->held.size() == 1; }));
    server.reset();
    EXPECT_TRUE(until(context, [&] { return ended.has_value(); }));
    EXPECT_EQ(ended->name, "session_lost");
    EXPECT_TRUE(ended->acted);
}

INSTANTIATE_TEST_SUITE_P(each, over, testing::ValuesIn(running::transports()),
                         [](const auto& one) { return one.param; });

TEST(address, is_read) {
    const auto shown = [](std::string_view text) {
        const auto at = net::parse_address(text);
        return at ? at->path + "|" + at->host + "|" + at->port : std::string{"none"};
    };
    EXPECT_EQ(shown("mxp+unix:///run/x.sock"), running::plain == "unix" ? "/run/x.sock||" : "none");
    EXPECT_EQ(shown("mxp+tcp://localhost:9000"), "|localhost|9000");
    EXPECT_EQ(shown("mxp+tls://[::1]:9000"), "|::1|9000");
    for (const std::string_view wrong :
         {"", "mxp+unix://", "mxp+unix:///", "mxp+unix://run/x", "mxp+unix:/run/x", "mxp+tcp://",
          "mxp+tcp://x", "mxp+tcp://x:", "mxp+tcp://:1", "mxp+tcp://x:1/y", "mxp+tcp://a/b:7",
          "mxp+tcp://::1:2", "mxp+tcp://[]:1", "mxp+tcp:x:1", "mxp+tcp://x:65536", "mxp+tcp://x:+1",
          "mxp+udp://x:1", "tcp://x:1"}) {
        EXPECT_EQ(shown(wrong), "none") << wrong;
    }
}

TEST(blocking_client, calls_and_connects_again) {
    auto served = std::make_unique<running::in_thread>();
    net::blocking_client client{served->address};
    const auto came = client.call(service, 1, std::string(1'000'000, 'x'));
    ASSERT_TRUE(came);
    EXPECT_EQ(came->value.size(), 1'000'000U);
    EXPECT_EQ(client.call(service, 2, std::string_view{}).error().name, "refused");
    net::event_options how;
    EXPECT_TRUE(client.event(service, 4, std::string_view{}, how));
    how.requires_ack = true;
    EXPECT_TRUE(client.event(service, 4, std::string_view{}, how));
    EXPECT_EQ(served->ask([](net::server&, running::seen& by) { return by.events; }), 2U);
    net::call_options soon;
    soon.deadline = 30ms;
    const auto late = client.call(service, 5, std::string_view{}, soon);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().name, "deadline_exceeded");
    EXPECT_TRUE(client.call(service, 1, std::string_view{}));
}

}  // namespace

}  // namespace net_tests
