// Queues and limits [MXP-9].
#include <gtest/gtest.h>

#include "pair.hpp"

using pair::said;
using pair::texts;
using pair::two;
namespace ms = mxp::session;

namespace limit_tests {

namespace {

constexpr std::string_view some = "some";

// [MXP-9.1]
TEST(queue, refuses_more_than_it_may_have) {
    ms::config small = pair::serving();
    small.limits.queue_bytes = 200;
    two t{small, pair::serving()};
    t.met();
    while (t.a.session.queued() < 200) {
        ASSERT_TRUE(t.a.session.call({}, some, 0));
    }
    const auto had = t.a.session.queued();
    EXPECT_EQ(said(t.a.session.call({}, some, 0)), "limit_queue_bytes");
    EXPECT_EQ(said(t.a.session.event({}, true, ms::when_full::drop_oldest, some, 0)),
              "limit_queue_bytes");
    EXPECT_EQ(*t.a.session.event({}, false, ms::when_full::drop_newest, some, 0), 0U);
    EXPECT_EQ(*t.a.session.event({}, false, ms::when_full::drop_oldest, some, 0), 0U);
    EXPECT_EQ(t.a.session.stats().dropped, 2U);
    EXPECT_EQ(t.a.session.queued(), had);
}

// [MXP-9.5]
TEST(queue, drops_the_oldest_events) {
    ms::config small = pair::serving();
    small.limits.queue_bytes = 200;
    two t{small, pair::serving()};
    t.met();
    ASSERT_TRUE(t.a.session.call({}, some, 0));
    for (const std::string_view name : {"one", "two", "three", "four"}) {
        ASSERT_NE(*t.a.session.event({}, false, ms::when_full::drop_oldest, name, 0), 0U);
    }
    EXPECT_EQ(t.to_b(), (texts{"call 1: some", "event 5: two", "event 7: three", "event 9: four"}));
    EXPECT_EQ(t.a.session.stats().dropped, 1U);
}

// [MXP-9.2]
TEST(payload, is_no_longer_than_the_peer_takes) {
    ms::config small = pair::serving();
    small.payload_bytes = 100;
    two t{pair::serving(), small};
    t.met();
    EXPECT_EQ(said(t.a.session.call({}, std::string(100, 'x'), 0)), "payload_too_large");
    EXPECT_EQ(said(t.a.session.call({}, std::string(50, 'x'), 0)), "fine");
    const ms::metadatum too_long[] = {{std::string_view{"0123456789"}, some}};
    std::vector<ms::metadatum> many(300, too_long[0]);
    EXPECT_EQ(said(t.b.session.respond(1, some, 0, many)), "exchange_ended");
    t.to_b();
    EXPECT_EQ(said(t.b.session.respond(1, some, 0, many)), "payload_too_large");
    EXPECT_EQ(said(t.b.session.respond(1, some, 0, too_long)), "fine");
}

// [MXP-9.3]
TEST(requests, in_flight_are_limited) {
    ms::config small = pair::serving();
    small.limits.in_flight = 2;
    two t{small, pair::serving()};
    t.met();
    ASSERT_TRUE(t.a.session.call({}, some, 0));
    ASSERT_TRUE(t.a.session.call({}, some, 0));
    EXPECT_EQ(said(t.a.session.call({}, some, 0)), "limit_in_flight");
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(t.b.session.call({}, some, 0));
    }
    EXPECT_EQ(t.to_a(), (texts{"call 2: some", "call 4: some"}));
    EXPECT_EQ(t.to_b(), (texts{"call 1: some", "call 3: some", "ended 6: limit_in_flight"}));

    ms::config few = pair::serving();
    few.limits.in_flight_bytes = 60;
    two u{pair::serving(), few};
    u.met();
    ASSERT_TRUE(u.a.session.call({}, some, 0));
    ASSERT_TRUE(u.a.session.call({}, std::string(60, 'x'), 0));
    EXPECT_EQ(u.to_b(), texts{"call 1: some"});
    EXPECT_EQ(u.to_a(), texts{"ended 3: limit_in_flight_bytes"});
}

// [MXP-9.4]
TEST(session, reads_nothing_while_its_replies_wait) {
    ms::config small = pair::serving();
    small.limits.reply_bytes = 100;
    two t{pair::serving(), small};
    t.met();
    pair::bytes pings;
    for (std::uint64_t id = 1; id < 200; id += 2) {
        const auto one = pair::frame(mxp::frame_type::ping, id);
        pings.insert(pings.end(), one.begin(), one.end());
    }
    t.b.take(pings, 0);
    EXPECT_TRUE(t.b.session.is_deaf());
    EXPECT_EQ(t.b.session.queued(), 120U);
    EXPECT_EQ(t.b.waiting.size(), 97U * 40);
    std::size_t pongs = 0;
    while (!t.b.waiting.empty()) {
        pongs += t.b.give(0).size() / 40;
        t.b.take({}, 0);
    }
    EXPECT_EQ(pongs + t.b.give(0).size() / 40, 100U);
}

// Frames that are taken one by one are the same as frames that are taken at once.
TEST(queue, gives_the_same_bytes_in_both_ways) {
    two one_by_one;
    two at_once;
    pair::bytes taken;
    for (two* const t : {&one_by_one, &at_once}) {
        t->met();
        for (const std::size_t n : {0U, 1U, 100U, 8191U, 8192U, 70'000U, 3U}) {
            ASSERT_TRUE(t->a.session.call({}, pair::bytes(n, std::byte{7}), 0));
        }
        ASSERT_TRUE(t->a.session.cancel(5, 0));
        ASSERT_TRUE(t->a.session.cancel(9, 0));
    }
    while (const auto frame = one_by_one.a.session.poll_frame(0)) {
        for (const auto piece : {frame->head, frame->value, frame->trailer}) {
            taken.insert(taken.end(), piece.begin(), piece.end());
        }
    }
    EXPECT_EQ(taken, at_once.a.give(0));
    EXPECT_EQ(at_once.b.take(taken, 0).size(), 5U);
}

TEST(queue, that_never_runs_empty_stays_small) {
    two t;
    t.met();
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        ASSERT_TRUE(t.a.session.call({}, some, 0));
        if (i > 10) {
            ASSERT_TRUE(t.a.session.poll_frame(0));
            ASSERT_TRUE(t.a.session.cancel(2 * i + 1, 0));
            while (t.a.session.next()) {
            }
            ASSERT_LT(t.a.session.queued(), 2000U);
            ASSERT_LT(t.a.session.in_flight_here(), 20U);
        }
    }
}

}  // namespace

}  // namespace limit_tests
