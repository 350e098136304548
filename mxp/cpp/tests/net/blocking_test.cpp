// Streams and interceptors of clients that wait.
#include <atomic>
#include <thread>

#include "intruder.hpp"
#include "mxp/agents.hpp"
#include "running.hpp"

using running::text_of;
namespace net = mxp::net;
using namespace std::chrono_literals;
using mxp::registry::Lease;

namespace blocking_tests {

namespace {

constexpr net::method echo{"demo.Echo", 1, "echo"};
constexpr net::method give_back{"demo.Echo", 3, "give_back"};
constexpr net::method tick{"demo.Echo", 4, "tick"};
constexpr net::method never{"demo.Echo", 5, "never"};
constexpr net::method sink{"demo.Echo", 6, "sink"};

/// Waits until nothing of the client's is in flight at the server.
void expect_idle(running::in_thread& server) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (server.stats().in_flight_peer > 0) {
        ASSERT_LT(std::chrono::steady_clock::now(), end);
        std::this_thread::sleep_for(1ms);
    }
}

class blocking : public testing::Test {
   protected:
    [[nodiscard]] net::blocking_client connected() const {
        return net::blocking_client{server.address, how};
    }

    running::in_thread server;
    net::blocking_options how;
};

TEST_F(blocking, streams_go_both_ways) {
    auto client = connected();
    auto stream = client.open(give_back, mxp::bytes_view{});
    ASSERT_TRUE(stream);
    // More than is granted at once, in messages and in bytes.
    std::size_t back = 0;
    for (std::size_t i = 0; i < 3'000; ++i) {
        ASSERT_TRUE(stream->write(std::string(i, 'x')));
        if (i % 2 == 1) {
            const auto chunk = stream->read();
            ASSERT_TRUE(chunk && *chunk);
            EXPECT_EQ((*chunk)->size(), back++);
        }
    }
    EXPECT_EQ(client.call(echo, std::string_view{"beside"})->value.size(), 6U);
    ASSERT_TRUE(stream->finish());
    for (; back < 3'000; ++back) {
        const auto chunk = stream->read();
        ASSERT_TRUE(chunk && *chunk);
        EXPECT_EQ((*chunk)->size(), back);
    }
    const auto last = stream->read();
    ASSERT_TRUE(last);
    EXPECT_FALSE(*last);
    EXPECT_FALSE(stream->write(std::string_view{"late"}));
    expect_idle(server);
}

// Requests that follow one another share the pauses between attempts, which double. [MXP-14.3]
TEST(blocking_attempts, pause_for_longer_and_longer) {
    running::folder folder;
    const std::string at = folder.at("s");
    const auto listener = running::raw_socket::listening(at);
    std::atomic<bool> is_over{false};
    std::atomic<int> attempts{0};
    std::thread closes{[&] {
        while (!is_over) {
            attempts += listener.accept(10ms) ? 1 : 0;
        }
    }};
    net::blocking_client client{at};
    net::call_options soon;
    soon.deadline = 10ms;
    int requests = 0;
    for (const auto end = std::chrono::steady_clock::now() + 300ms;
         std::chrono::steady_clock::now() < end; ++requests) {
        EXPECT_FALSE(client.call(echo, std::string_view{}, soon));
    }
    is_over = true;
    closes.join();
    EXPECT_GE(requests, 5);
    EXPECT_GE(attempts, 3);
    EXPECT_LE(attempts, 20);
}

TEST_F(blocking, writes_go_on_as_soon_as_there_is_room) {
    how.limits.bulk_bytes = 4'096;
    how.patience = 20s;
    auto client = connected();
    auto stream = client.open(sink, mxp::bytes_view{});
    ASSERT_TRUE(stream);
    // The server takes nothing until the queue and the socket are full. All of it is less than one
    // grant, so no grant comes back.
    std::promise<void> is_held;
    std::promise<void> is_free;
    auto waits = std::async(std::launch::async, [&] {
        server.ask([&](net::server&, running::seen&) {
            is_held.set_value();
            return is_free.get_future().get(), true;
        });
    });
    is_held.get_future().get();
    auto writes = std::async(std::launch::async, [&] {
        for (int i = 0; i < 60; ++i) {
            ASSERT_TRUE(stream->write(std::string(16'384, 'x')));
        }
    });
    EXPECT_EQ(writes.wait_for(50ms), std::future_status::timeout);
    is_free.set_value();
    EXPECT_EQ(writes.wait_for(10s), std::future_status::ready);
}

// [MXP-8.7]
TEST_F(blocking, chunks_up_to_half_the_window_pass) {
    auto client = connected();
    auto stream = client.open(give_back, mxp::bytes_view{});
    ASSERT_TRUE(stream);
    constexpr std::size_t most = 1 << 20;
    for (const std::size_t n :
         {std::size_t{1}, most - 1, most, std::size_t{600'000}, most, std::size_t{0}, most}) {
        ASSERT_TRUE(stream->write(std::string(n, 'x')));
        const auto chunk = stream->read();
        ASSERT_TRUE(chunk && *chunk);
        EXPECT_EQ((*chunk)->size(), n);
    }
}

// [MXP-8.7]
TEST_F(blocking, a_chunk_beyond_the_window_is_refused) {
    auto client = connected();
    auto stream = client.open(give_back, mxp::bytes_view{});
    ASSERT_TRUE(stream);
    const auto sent = stream->write(std::string((1 << 20) + 1, 'x'));
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().name, "stream_window");
    EXPECT_EQ(sent.error().text,
              "a chunk of 1048577 bytes, where the receiver's window lets 1048576 through");
    ASSERT_TRUE(stream->write(std::string_view{"on"}));
    const auto back = stream->read();
    ASSERT_TRUE(back && *back);
    EXPECT_EQ((*back)->size(), 2U);

    // The same from a handler, whose stream ends with it.
    how.window = 100;
    auto narrow = connected();
    auto other = narrow.open(give_back, mxp::bytes_view{});
    ASSERT_TRUE(other->write(std::string(51, 'x')));
    EXPECT_EQ(other->read().error().name, "stream_window");
}

TEST_F(blocking, streams_are_cancelled_with_their_handles) {
    auto client = connected();
    {
        auto stream = client.open(sink, mxp::bytes_view{});
        ASSERT_TRUE(stream);
        ASSERT_TRUE(stream->write(std::string_view{"x"}));
        EXPECT_EQ(client.call(echo, std::string_view{"x"})->value.size(), 1U);
        EXPECT_EQ(server.stats().in_flight_peer, 1U);
    }
    expect_idle(server);
    auto stream = client.open(give_back, mxp::bytes_view{});
    stream->cancel();
    EXPECT_EQ(stream->read().error().name, "cancelled");
    EXPECT_EQ(stream->write(std::string_view{"x"}).error().name, "cancelled");
    EXPECT_EQ(stream->finish().error().name, "cancelled");
    expect_idle(server);
}

TEST_F(blocking, streams_have_deadlines) {
    how.patience = 100ms;
    auto client = connected();
    net::call_options soon;
    soon.deadline = 50ms;
    auto stream = client.open(sink, mxp::bytes_view{}, soon);
    EXPECT_EQ(stream->read().error().name, "deadline_exceeded");
    auto patient = client.open(sink, mxp::bytes_view{});
    EXPECT_EQ(patient->read().error().name, "deadline_exceeded");
    expect_idle(server);
}

TEST_F(blocking, streams_end_with_their_connection) {
    auto client = connected();
    auto stream = client.open(sink, mxp::bytes_view{});
    ASSERT_TRUE(stream);
    server.ask([](net::server& of, running::seen&) {
        of.close();
        return 0;
    });
    const auto came = stream->read();
    ASSERT_FALSE(came);
    EXPECT_EQ(came.error().name, "session_lost");
    EXPECT_TRUE(came.error().acted);
}

TEST_F(blocking, streams_nobody_serves_are_refused) {
    auto client = connected();
    auto stream = client.open({"demo.Echo", 77, {}}, mxp::bytes_view{});
    ASSERT_TRUE(stream);
    EXPECT_EQ(stream->read().error().name, "method_unknown");
    EXPECT_EQ(client.open({"demo.Other", 1, {}}, mxp::bytes_view{}).error().name,
              "service_unknown");
}

TEST_F(blocking, requests_are_shown_to_interceptors) {
    std::vector<std::string> log;
    how.interceptors = {[&](net::outgoing_request& asked) {
        const std::string name{asked.method.name};
        log.push_back(name);
        asked.on_end([&log, name](net::answer& came) {
            log.push_back(name + " " + (came.failed ? came.failed->name : "fine"));
            if (text_of(came.value) == "x") {
                came.failed = net::method_unknown();
            }
        });
    }};
    auto client = connected();
    EXPECT_EQ(client.call(echo, std::string_view{"y"})->value.size(), 1U);
    EXPECT_EQ(client.call(echo, std::string_view{"x"}).error().name, "method_unknown");
    EXPECT_TRUE(client.event(tick, std::string_view{}));
    net::call_options soon;
    soon.deadline = 30ms;
    EXPECT_EQ(client.call(never, std::string_view{}, soon).error().name, "deadline_exceeded");
    {
        auto stream = client.open(give_back, mxp::bytes_view{});
        ASSERT_TRUE(stream->finish());
        EXPECT_FALSE(*stream->read());
        auto left = client.open(sink, mxp::bytes_view{});
    }
    EXPECT_EQ(log,
              (std::vector<std::string>{"echo", "echo fine", "echo", "echo fine", "tick",
                                        "tick fine", "never", "never deadline_exceeded",
                                        "give_back", "give_back fine", "sink", "sink cancelled"}));
}

TEST_F(blocking, what_interceptors_refuse_is_not_sent) {
    how.interceptors = {[](net::outgoing_request& asked) { asked.refuse(net::method_unknown()); }};
    auto client = connected();
    EXPECT_EQ(client.call(echo, std::string_view{}).error().name, "method_unknown");
    EXPECT_EQ(client.event(tick, std::string_view{}).error().name, "method_unknown");
    EXPECT_EQ(client.open(sink, mxp::bytes_view{}).error().name, "method_unknown");
    EXPECT_EQ(server.connections(), 0U);
}

TEST_F(blocking, values_are_typed) {
    auto client = connected();
    const auto came = net::call<Lease>(client, echo, Lease{7}, {});
    ASSERT_TRUE(came);
    EXPECT_EQ(came->lease, 7U);
    const auto wrong = net::call<mxp::control::Trace>(client, echo, Lease{7}, {});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().status, mxp::session::status::DataLoss);
    EXPECT_TRUE(net::send(client, tick, Lease{7}, {}));

    auto both = net::open_bidi_stream<Lease, Lease>(client, give_back, {});
    ASSERT_TRUE(both && both->write({9}) && both->finish());
    EXPECT_EQ((*both->read())->lease, 9U);
    EXPECT_FALSE(*both->read());

    const auto answer = [&](const net::method& of, int requests) {
        auto to = net::open_client_stream<Lease, Lease>(client, of, {});
        for (int i = 0; i < requests; ++i) {
            EXPECT_TRUE(to->write({5}));
        }
        return to->finish();
    };
    EXPECT_EQ(answer(give_back, 1)->lease, 5U);
    EXPECT_EQ(answer(give_back, 2).error().name, "stream_responses");  // [MXP-13.6]
    EXPECT_EQ(answer(sink, 1).error().name, "stream_responses");
    auto values = net::open_server_stream<Lease>(client, sink, Lease{1}, {});
    ASSERT_TRUE(values);
    EXPECT_FALSE(*values->read());
    expect_idle(server);
}

}  // namespace

}  // namespace blocking_tests
