// Peers that do what they like, and servers that are gone for a while.
#include "intruder.hpp"
#include "running.hpp"
#include <asio/executor_work_guard.hpp>
#include <future>

using running::bytes;
using running::in_thread;
using running::intruder;
using running::text_of;
using running::until;
namespace net = mxp::net;
namespace ms = mxp::session;
using namespace std::chrono_literals;

namespace hostile_tests {

namespace {

constexpr const char* service = "demo.Echo";

net::server_options impatient() {
    net::server_options made;
    made.limits.hello_us = 200'000;
    made.limits.frame_us = 200'000;
    made.limits.stall_us = 200'000;
    return made;
}

/// Waits until the server has let go of all connections.
bool lets_go(in_thread& of) {
    for (int i = 0; i < 1'000; ++i) {
        if (of.connections() == 0) {
            return true;
        }
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

TEST(hostile, a_byte_now_and_then_is_too_slow) {
    in_thread served{impatient()};
    intruder silent{served.address};
    EXPECT_EQ(silent.reason(), "session_silent");
    intruder slow{served.address};
    slow.greeted();
    for (int i = 0; i < 20 && slow.send(bytes(1, std::byte{0x31})); ++i) {
        std::this_thread::sleep_for(20ms);
        if (i == 0) {
            EXPECT_TRUE(served.serves());
        }
    }
    // The first byte is that of a frame, and the second is not.
    EXPECT_TRUE(slow.reason() == "session_slow" || slow.reason() == "frame_magic") << slow.why;
    EXPECT_TRUE(lets_go(served));
}

TEST(hostile, one_that_never_reads_is_cut_off) {
    in_thread served{impatient()};
    intruder greedy{served.address};
    greedy.greeted();
    // After the end the server reads on for a while, so that its reason can come.
    const auto end = std::chrono::steady_clock::now() + 20s;
    bool is_written = true;
    while (is_written && std::chrono::steady_clock::now() < end) {
        ASSERT_TRUE(greedy.session().call({0, 1, 0, {}, {}}, bytes(65536), 0));
        is_written = greedy.flush();
    }
    EXPECT_FALSE(is_written);
    EXPECT_TRUE(served.serves());
    EXPECT_TRUE(lets_go(served));
    EXPECT_EQ(served.stats().refusals(ms::kind::stalled), 1U);
}

TEST(hostile, no_more_streams_are_opened_than_may_be) {
    net::server_options how;
    how.limits.refusals = 100'000;
    in_thread served{how};
    intruder greedy{served.address};
    greedy.greeted();
    for (int i = 0; i < 100; ++i) {
        for (int k = 0; k < 1'000; ++k) {
            ASSERT_TRUE(greedy.session().open({0, 3, 0, {}, {}}, {}, false, bytes{}, 0));
        }
        ASSERT_TRUE(greedy.flush());
        while (greedy.read(0)) {
        }
    }
    while (greedy.ends["limit_in_flight"] < 100'000 - ms::in_flight && greedy.read()) {
    }
    EXPECT_EQ(greedy.ends["limit_in_flight"], 100'000 - ms::in_flight);
    EXPECT_EQ(served.stats().in_flight_peer, ms::in_flight);
    EXPECT_TRUE(served.serves());
}

// [MXP-9.7]
TEST(hostile, refusals_in_a_loop_are_slow) {
    net::server_options how;
    how.limits.refusals = 100;
    how.limits.refusals_per_ms = 1;
    in_thread served{how};
    intruder restless{served.address};
    restless.greeted();
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < 600; ++i) {
        ASSERT_TRUE(restless.session().call({0, 99, 0, {}, {}}, bytes{}, 0));
    }
    ASSERT_TRUE(restless.session().call({0, 2, 0, {}, {}}, bytes{}, 0));
    ASSERT_TRUE(restless.flush());
    EXPECT_TRUE(served.serves());
    while (restless.ends["refused"] == 0 && restless.read()) {
    }
    EXPECT_EQ(restless.ends["method_unknown"], 600U);
    EXPECT_GE(std::chrono::steady_clock::now() - begun, 400ms);
    EXPECT_GT(served.stats().refusals(ms::kind::limit_refusals), 0U);
}

// All that may be in flight can be refused at once.
TEST(hostile, refusals_at_once_are_fast) {
    in_thread served;
    intruder hasty{served.address};
    hasty.greeted();
    for (std::size_t i = 0; i < ms::in_flight; ++i) {
        ASSERT_TRUE(hasty.session().call({0, 99, 0, {}, {}}, bytes{}, 0));
    }
    ASSERT_TRUE(hasty.flush());
    while (hasty.ends["method_unknown"] < ms::in_flight && hasty.read()) {
    }
    EXPECT_EQ(hasty.ends["method_unknown"], ms::in_flight);
    EXPECT_EQ(served.stats().refusals(ms::kind::limit_refusals), 0U);
}

TEST(hostile, calls_that_are_cancelled_at_once_are_counted) {
    net::server_options how;
    how.limits.refusals = 100'000;
    in_thread served{how};
    intruder restless{served.address};
    restless.greeted();
    for (int i = 0; i < 100; ++i) {
        for (int k = 0; k < 100; ++k) {
            ASSERT_TRUE(restless.session().call({0, 5, 0, {}, {}}, bytes{}, 0));
        }
        ASSERT_TRUE(restless.flush());
        for (std::uint64_t k = 0; k < 100; ++k) {
            const std::uint64_t id = 2 * (static_cast<std::uint64_t>(i) * 100 + k) + 1;
            static_cast<void>(restless.session().cancel(id, 0));
        }
        ASSERT_TRUE(restless.flush());
        while (restless.read(0)) {
        }
    }
    EXPECT_TRUE(served.serves());
    const auto refused = [&] { return served.stats().refusals(ms::kind::limit_in_flight); };
    for (int i = 0; i < 500 && refused() < 10'000 - ms::in_flight; ++i) {
        std::this_thread::sleep_for(10ms);
    }
    EXPECT_LE(served.stats().in_flight_peer, ms::in_flight);
    EXPECT_GE(refused(), 10'000 - ms::in_flight);
    served.ask([](net::server&, running::seen& by) {
        by.held.clear();
        return 0;
    });
    EXPECT_EQ(served.stats().in_flight_peer, 0U);
}

TEST(hostile, a_length_that_lies_is_refused) {
    in_thread served;
    intruder liar{served.address};
    liar.greeted();
    bytes head(mxp::header_bytes);
    mxp::wire::store_header(head.data(), {mxp::frame_type::call, mxp::flags::none, 1}, 0);
    mxp::wire::store_number(head.data() + 24, std::uint64_t{1} << 63);
    EXPECT_TRUE(liar.send(head));
    EXPECT_EQ(liar.reason(), "frame_too_large");
    EXPECT_TRUE(served.serves());
    EXPECT_TRUE(lets_go(served));
}

TEST(hostile, one_that_dies_inside_a_frame_is_forgotten) {
    in_thread served;
    {
        intruder dying{served.address};
        dying.greeted();
        bytes head(mxp::header_bytes);
        mxp::wire::store_header(head.data(), {mxp::frame_type::call, mxp::flags::none, 1}, 5'000);
        EXPECT_TRUE(dying.send(head));
        EXPECT_EQ(served.connections(), 1U);
    }
    EXPECT_TRUE(lets_go(served));
    EXPECT_TRUE(served.serves());
}

// [MXP-10.3]
TEST(silence, of_a_server_that_stands_still_ends_what_waits_for_it) {
    std::promise<void> goes_on;
    const auto going = goes_on.get_future().share();
    running::folder folder;
    const std::string at = folder.at("s");
    std::promise<void> listens;
    asio::io_context there{1};
    std::thread server{[&] {
        net::services all;
        all.service(service).call(
            1, [going](const net::request&, const net::responder&) { going.wait(); });
        net::server of{there, std::move(all)};
        EXPECT_TRUE(of.listen(at));
        listens.set_value();
        const auto works = asio::make_work_guard(there);
        there.run();
    }};
    listens.get_future().wait();
    asio::io_context context{1};
    net::client_options how;
    how.limits.ping_us = 100'000;
    how.limits.pong_us = 100'000;
    std::vector<net::failure> ended;
    const auto keep = [&](const net::answer& came) { ended.push_back(*came.failed); };
    {
        net::client client{context, at, how};
        client.call(service, 1, bytes{}, {}, keep);
        client.call(service, 1, bytes{}, {}, keep);
        EXPECT_TRUE(until(context, [&] { return ended.size() == 2; }));
    }
    for (const net::failure& why : ended) {
        EXPECT_EQ(why.name, "session_silent");
        EXPECT_EQ(why.status, ms::status::Unavailable);
        EXPECT_TRUE(why.acted);
    }
    goes_on.set_value();
    there.stop();
    server.join();
}

// [MXP-10.6]
TEST(silence, of_one_that_reads_slowly_is_none) {
    net::server_options how;
    how.limits.ping_us = 100'000;
    how.limits.pong_us = running::patience * 100'000;
    in_thread served{how};
    intruder slow{served.address};
    slow.greeted();
    ASSERT_TRUE(slow.session().call({0, 1, 0, {}, {}}, bytes(8'000'000), 0));
    ASSERT_TRUE(slow.flush());
    // For a second it answers no Ping, and takes 64 KiB now and then.
    const auto end = std::chrono::steady_clock::now() + running::patience * 500ms;
    while (std::chrono::steady_clock::now() < end) {
        ASSERT_TRUE(slow.read());
        std::this_thread::sleep_for(5ms * running::patience);
    }
    EXPECT_EQ(slow.why, "");
    EXPECT_EQ(served.connections(), 1U);
}

// [MXP-10.7]
TEST(silence, of_an_idle_peer_lets_the_server_drain) {
    net::server_options how;
    how.limits.idle_us = 100'000;
    in_thread served{how};
    intruder idle{served.address};
    idle.greeted();
    while (idle.read()) {
        EXPECT_TRUE(idle.flush());
    }
    EXPECT_EQ(idle.why, "");
    EXPECT_TRUE(idle.session().is_draining());
    EXPECT_TRUE(lets_go(served));
}

TEST(restart, takes_no_longer_than_a_moment) {
    running::folder folder;
    const std::string at = folder.at("s");
    const auto seen = std::make_shared<running::seen>();
    asio::io_context context{1};
    std::optional<net::server> server;
    net::client client{context, at};
    std::vector<std::chrono::microseconds> gone;
    for (int i = 0; i < 50; ++i) {
        server.reset();
        ASSERT_TRUE(until(context, [&] { return !client.is_connected(); }));
        const auto again = std::chrono::steady_clock::now() + (i % 10) * 1ms;
        std::optional<net::answer> ended;
        until(context, [&] { return std::chrono::steady_clock::now() >= again; });
        const auto since = std::chrono::steady_clock::now();
        server.emplace(context, running::echo(seen));
        ASSERT_TRUE(server->listen(at));
        client.call(service, 1, std::string_view{}, {},
                    [&](const net::answer& came) { ended = came; });
        ASSERT_TRUE(until(context, [&] { return ended.has_value(); }));
        ASSERT_FALSE(ended->failed) << ended->failed->name;
        gone.push_back(std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - since));
    }
    std::sort(gone.begin(), gone.end());
    // All but one of 50.
    EXPECT_LT(gone[48], running::patience * 100ms);
}

}  // namespace

}  // namespace hostile_tests
