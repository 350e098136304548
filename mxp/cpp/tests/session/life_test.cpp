// How sessions meet, pass time, and end [MXP-6], [MXP-10], [MXP-11].
#include <gtest/gtest.h>

#include "pair.hpp"

using pair::said;
using pair::side;
using pair::texts;
using pair::two;
namespace ms = mxp::session;

namespace life_tests {

namespace {

constexpr std::string_view some = "some";

TEST(hello, comes_first) {
    two t;
    EXPECT_EQ(said(t.a.session.call({}, some, 0)), "session_not_ready");
    EXPECT_EQ(t.to_b(), texts{"ready demo.Echo"});
    EXPECT_TRUE(t.b.session.ready());
    EXPECT_EQ(t.to_a(), texts{"ready demo.Echo"});
    EXPECT_EQ(t.a.take(pair::frame(mxp::frame_type::hello, 0), 0), texts{"end: session_hello"});
    EXPECT_EQ(said(t.a.session.call({}, some, 0)), "session_closed");
    EXPECT_EQ(t.to_b(), texts{"end there: session_hello"});
    EXPECT_TRUE(t.a.session.finished());
    EXPECT_TRUE(t.b.session.finished());
    EXPECT_EQ(t.b.take(pair::bytes(100), 0), texts{});
}

// [MXP-6.4]
TEST(hello, is_awaited_for_a_time) {
    two t;
    EXPECT_EQ(t.a.session.next_timeout(), ms::hello_us);
    t.a.session.tick(ms::hello_us - 1);
    EXPECT_EQ(t.a.told(), texts{});
    t.a.session.tick(ms::hello_us);
    EXPECT_EQ(t.a.told(), texts{"end: session_silent"});
    EXPECT_FALSE(t.a.session.finished());
    EXPECT_EQ(t.to_b(), (texts{"ready demo.Echo", "end there: session_silent"}));
    EXPECT_TRUE(t.a.session.finished());
}

// [MXP-6.5] [MXP-6.6]
TEST(hello, names_the_line_in_which_types_differ) {
    ms::config here = pair::serving();
    here.types = {{"a.Same", {1, 2}, "0 message a.Same\n"},
                  {"a.T", {1}, "0 message a.T\n x u8\n y #1\n1 struct a.U\n z u8\n"}};
    ms::config there = here;
    there.types[0].fingerprints = {1};
    there.types[1].fingerprints = {2};
    there.types[1].layout = "0 message a.T\n x u8\n y #1\n1 struct a.U\n z u16\n";
    two t{here, there};
    EXPECT_EQ(t.to_b(), texts{});
    EXPECT_EQ(t.to_a(), texts{"end: session_schema (a.U.z: here u8, there u16)"});
    EXPECT_EQ(said(t.b.session.call({}, some, 0)), "session_not_ready");
    EXPECT_EQ(t.to_b(), texts{"end: session_schema (a.U.z: here u16, there u8)"});
}

TEST(hello, leaves_out_texts_that_are_too_long) {
    ms::config here = pair::serving();
    here.types = {{"a.T", {1}, std::string(65'537, 'x')}};
    ms::config there = here;
    there.types[0] = {"a.T", {2}, "y"};
    two t{here, there};
    t.to_b();
    EXPECT_EQ(t.to_a(), texts{"end: session_schema (a.T: layouts unknown)"});
    EXPECT_EQ(t.to_b(), texts{"end: session_schema (a.T: layouts unknown)"});
}

// [MXP-6.7]
TEST(hello, switches_checksums_off_if_both_offer_it) {
    ms::config offering = pair::serving();
    offering.offers_checksum_off = true;
    for (const bool both : {true, false}) {
        two t{offering, both ? offering : pair::serving()};
        t.met();
        ASSERT_TRUE(t.a.session.call({}, some, 0));
        auto sent = t.a.give(0);
        const bool is_zero = std::all_of(sent.end() - 8, sent.end(),
                                         [](std::byte one) { return one == std::byte{0}; });
        EXPECT_EQ(is_zero, both);
        sent.back() ^= std::byte{1};
        EXPECT_EQ(t.b.take(sent, 0), both ? texts{"call 1: some"} : texts{"end: frame_checksum"});
    }
}

// [MXP-5.6]
TEST(session, ends_with_the_first_check_that_fails) {
    struct one {
        mxp::frame_type type;
        std::uint64_t id;
        mxp::flags flags;
        pair::bytes payload;
        std::string want;
    };
    using mxp::flags;
    using mxp::frame_type;
    const one all[] = {
        {frame_type::call, 1, flags::compressed, {}, "session_flags"},
        {frame_type::call, 1, flags::final, {}, "session_flags"},
        {frame_type::call, 2, flags::none, {}, "session_id"},
        {frame_type::call, 0, flags::none, {}, "session_id"},
        {frame_type::call, 1, flags::none, {}, "session_payload (truncated)"},
        {frame_type::response, 2, flags::none, {}, "session_id"},
        {frame_type::cancel, 1, flags::none, {}, "session_id"},
        {frame_type::drain, 1, flags::none, {}, "session_id"},
        {frame_type::ping, 1, flags::none, pair::bytes((1 << 20) + 1), "limit_control_bytes"},
    };
    for (const one& lie : all) {
        two t;
        t.met();
        EXPECT_EQ(t.b.take(pair::frame(lie.type, lie.id, lie.payload, lie.flags), 0),
                  texts{"end: " + lie.want});
        EXPECT_EQ(t.to_a(), texts{"end there: " + lie.want});
    }
}

// [MXP-10.3]
TEST(ping, is_answered_or_ends_the_session) {
    ms::config pinging = pair::serving();
    pinging.limits.ping_us = 100;
    pinging.limits.pong_us = 50;
    two t{pinging, pair::serving()};
    t.met();
    t.a.session.tick(100);
    EXPECT_EQ(t.a.session.next_timeout(), 150U);
    EXPECT_EQ(t.to_b(110), texts{});
    EXPECT_EQ(t.to_a(120), texts{});
    EXPECT_EQ(t.a.session.next_timeout(), 220U);
    t.a.session.tick(220);
    t.a.session.tick(270);
    EXPECT_EQ(t.a.told(), texts{"end: session_silent"});
}

// [MXP-10.4]
TEST(frame, has_a_time_in_which_it_comes) {
    two t;
    t.met();
    const auto whole = pair::frame(mxp::frame_type::ping, 1);
    t.b.take({whole.begin(), whole.begin() + 1}, 10);
    constexpr std::uint64_t slow = 10 + ms::frame_us + 1'000'000 / ms::frame_bytes_per_s;
    EXPECT_EQ(t.b.session.next_timeout(), slow);
    t.b.session.tick(slow);
    EXPECT_EQ(t.b.told(), texts{"end: session_slow"});
}

// [MXP-10.5]
TEST(queue, that_nobody_takes_from_ends_the_session) {
    two t;
    t.met();
    ASSERT_TRUE(t.a.session.call({}, some, 7));
    EXPECT_EQ(t.a.session.next_timeout(), 7 + ms::stall_us);
    t.a.session.tick(7 + ms::stall_us);
    EXPECT_EQ(t.a.told(), (texts{"ended 1: session_stalled", "end: session_stalled"}));
}

TEST(session, ends_if_its_connection_takes_nothing) {
    two t;
    t.met();
    t.a.session.stalled(0);
    t.a.session.stalled(0);
    EXPECT_EQ(t.a.told(), texts{"end: session_stalled"});
    EXPECT_EQ(t.to_b(), texts{"end there: session_stalled"});
}

// [MXP-11.1]
TEST(drain, lets_what_is_in_flight_go_on) {
    two t;
    t.met();
    ASSERT_TRUE(t.a.session.call({}, some, 0));
    t.to_b();
    ASSERT_TRUE(t.b.session.drain("bye", 0));
    ASSERT_TRUE(t.a.session.call({}, some, 0));
    ASSERT_TRUE(t.a.session.event({}, false, ms::when_full::refuse, some, 0));
    EXPECT_EQ(t.to_b(), texts{"event 5: some"});
    EXPECT_EQ(t.to_a(), (texts{"draining: bye", "ended 3: session_draining"}));
    EXPECT_EQ(said(t.a.session.call({}, some, 0)), "session_draining");
    EXPECT_EQ(said(t.b.session.call({}, some, 0)), "session_draining");
    EXPECT_TRUE(t.b.session.drain("again", 0));
    ASSERT_TRUE(t.b.session.respond(1, some, 0));
    EXPECT_EQ(t.to_a(), texts{"response 1: some"});
    EXPECT_FALSE(t.b.session.finished());
    EXPECT_EQ(t.to_b(), texts{"draining: bye"});
    EXPECT_TRUE(t.b.session.finished());
    EXPECT_TRUE(t.a.session.finished());
    EXPECT_EQ(said(t.b.session.call({}, some, 0)), "session_closed");
    t.a.session.lost(0);
    t.b.session.lost(0);
    EXPECT_EQ(t.a.told(), texts{"end: "});
    EXPECT_EQ(t.b.told(), texts{"end: "});
}

// [MXP-11.1]
TEST(drain, waits_no_longer_than_it_lingers_for_a_peer_that_answers_none) {
    two t;
    t.met();
    ASSERT_TRUE(t.b.session.drain("bye", 5));
    t.b.give(7);
    EXPECT_EQ(t.b.session.next_timeout(), 7 + ms::linger_us);
    t.b.session.tick(6 + ms::linger_us);
    EXPECT_FALSE(t.b.session.finished());
    t.b.session.tick(7 + ms::linger_us);
    EXPECT_TRUE(t.b.session.finished());
}

// [MXP-11.1]
TEST(drain, is_not_held_by_pings) {
    ms::config pinging = pair::serving();
    pinging.limits.ping_us = 1000;
    two t{pinging, pair::serving()};
    t.met();
    ASSERT_TRUE(t.b.session.drain("bye", 0));
    t.b.give(0);  // never comes, as if the peer knew no Drain
    for (std::uint64_t now = 1000; now < ms::linger_us; now += 1000) {
        t.a.session.tick(now);
        t.to_b(now);
        EXPECT_FALSE(t.b.session.finished());
        t.to_a(now);
    }
    // A Pong that waits holds it no more than one that is gone.
    t.a.session.tick(ms::linger_us);
    t.to_b(ms::linger_us - 1);
    EXPECT_GT(t.b.session.queued(), 0U);
    t.b.session.tick(ms::linger_us);
    EXPECT_TRUE(t.b.session.finished());
}

// [MXP-10.8]
TEST(session, that_does_not_read_shows_that_it_lives) {
    ms::config pinging = pair::serving();
    pinging.limits.ping_us = ms::ping_us;
    pinging.limits.idle_us = 0;
    two t{pair::serving(), pinging};
    t.met();
    t.b.session.pause(5);
    std::uint64_t at = 0;
    for (int i = 0; i < 3; ++i) {
        at += ms::ping_us;
        EXPECT_EQ(t.b.session.next_timeout(), at);
        t.b.session.tick(at);
        EXPECT_EQ(t.to_a(at), texts{});
        t.a.give(at);  // its Pong is not read
    }
    // A Ping that can't be given out is not made again at once.
    at += ms::ping_us;
    t.b.session.tick(at);
    EXPECT_EQ(t.b.session.next_timeout(), at + ms::ping_us);
    t.b.give(at);
    EXPECT_FALSE(t.b.session.finished());
    // Once it reads again, silence is counted anew.
    t.b.session.resume(at + 7);
    EXPECT_EQ(t.b.session.next_timeout(), at + 7 + ms::ping_us);
    EXPECT_EQ(t.b.told(), texts{});
}

// [MXP-11.3]
TEST(drain, says_what_nobody_has_acted_on) {
    two t;
    t.met();
    ASSERT_TRUE(t.a.session.call({}, some, 0));
    t.to_b();
    ASSERT_TRUE(t.b.session.drain("bye", 0));
    ASSERT_TRUE(t.a.session.call({}, some, 0));
    t.a.give(0);  // never comes
    EXPECT_EQ(t.to_a(), texts{"draining: bye"});
    t.a.session.lost(0);
    EXPECT_EQ(t.a.told(), (texts{"ended 1: session_lost, acted", "ended 3: session_lost",
                                 "end: session_lost"}));
}

// [MXP-11.3]
TEST(connection, that_is_gone_ends_everything) {
    two t;
    t.met();
    ASSERT_TRUE(t.a.session.call({}, some, 0));
    ASSERT_TRUE(t.b.session.call({}, some, 0));
    t.to_b();
    t.to_a();
    ASSERT_TRUE(t.a.session.call({}, some, 0));
    t.a.session.lost(0);
    EXPECT_EQ(t.a.told(), (texts{"ended 1: session_lost, acted", "ended 3: session_lost",
                                 "cancelled 2: end", "end: session_lost"}));
    t.a.session.lost(0);
    EXPECT_EQ(t.a.told(), texts{});
    EXPECT_TRUE(t.a.session.finished());
    EXPECT_EQ(t.a.session.queued(), 0U);
    EXPECT_EQ(said(t.a.session.release(2, 0)), "session_closed");
}

TEST(observer, is_told_how_the_session_fares) {
    struct listener final : ms::observer {
        void on_ready() override { told += "ready "; }
        void on_end(const ms::failure& why, bool) override {
            told += "end " + std::string{why.name};
        }
        void on_refusal(std::string_view name) override { told += std::string{name} + " "; }
        void on_begin(const ms::observed_request& of) override {
            told += "+" + std::to_string(of.id) + " ";
        }
        void on_done(const ms::observed_request& of, std::uint64_t took) override {
            told += "-" + std::to_string(of.id) + "/" + std::to_string(took) + " ";
        }
        std::string told;
    };
    listener there;
    ms::config observed = pair::serving();
    observed.observer = &there;
    observed.limits.in_flight = 2;
    two t{pair::serving(), observed};
    t.met();
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(t.a.session.call({}, some, 0));
    }
    t.to_b(5);
    ASSERT_TRUE(t.b.session.respond(1, some, 8));
    t.b.session.lost(9);
    EXPECT_EQ(there.told, "ready +1 +3 limit_in_flight -1/3 -3/4 end session_lost");
}

}  // namespace

}  // namespace life_tests
