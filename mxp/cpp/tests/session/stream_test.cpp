// Streams [MXP-8].
#include <gtest/gtest.h>

#include "pair.hpp"

using pair::said;
using pair::texts;
using pair::two;
namespace ms = mxp::session;

namespace stream_tests {

namespace {

constexpr std::string_view four = "four";

/// A stream on which both sides may send so much.
void open(two& t, ms::credit here, ms::credit there) {
    t.met();
    ASSERT_EQ(*t.a.session.open({}, here, false, four, 0), 1U);
    t.to_b();
    ASSERT_TRUE(t.b.session.grant(1, there, 0));
    t.to_a();
}

// [MXP-8.1] [MXP-8.5]
TEST(stream, goes_both_ways) {
    two t;
    t.met();
    ASSERT_TRUE(t.a.session.open({}, {2, 100}, false, four, 0));
    EXPECT_EQ(t.to_b(), texts{"open 1 +2/100: four"});
    ASSERT_TRUE(t.b.session.grant(1, {1, 4}, 0));
    EXPECT_EQ(t.to_a(), texts{"granted 1 +1/4"});
    EXPECT_EQ(*t.a.session.chunk(1, true, true, four, 0), 1U);
    EXPECT_EQ(said(t.a.session.finish(1, 0)), "exchange_ended");
    EXPECT_EQ(t.to_b(), texts{"chunk 1 #1 final ack: four"});
    EXPECT_EQ(said(t.b.session.ack(1, 2, 0)), "exchange_ended");
    EXPECT_EQ(said(t.b.session.ack(1, 1, 0)), "fine");
    EXPECT_EQ(said(t.b.session.ack(1, 1, 0)), "exchange_ended");
    EXPECT_EQ(*t.b.session.chunk(1, false, false, four, 0), 1U);
    EXPECT_EQ(said(t.b.session.finish(1, 0)), "fine");
    EXPECT_EQ(t.b.session.in_flight_peer(), 0U);
    EXPECT_EQ(t.to_a(), (texts{"acked 1 #1", "chunk 1 #1: four", "finished 1"}));
    EXPECT_EQ(t.a.session.in_flight_here(), 0U);
}

// [MXP-8.3] [MXP-8.4]
TEST(stream, takes_credit_to_the_byte) {
    two t;
    open(t, {0, 0}, {2, 7});
    EXPECT_TRUE(t.a.session.chunk(1, false, false, four, 0));
    EXPECT_EQ(said(t.a.session.chunk(1, false, false, four, 0)), "stream_credit");
    EXPECT_TRUE(t.a.session.chunk(1, false, false, std::string_view{"ree"}, 0));
    EXPECT_EQ(said(t.a.session.chunk(1, false, false, std::string_view{}, 0)), "stream_credit");
    EXPECT_EQ(said(t.b.session.chunk(1, false, false, std::string_view{}, 0)), "stream_credit");
}

// [MXP-8.3]
TEST(stream, that_sends_more_than_was_granted_ends) {
    two t;
    open(t, {1, 4}, {1, 4});
    const auto more = pair::frame(mxp::frame_type::stream_chunk, 1, pair::bytes(5));
    EXPECT_EQ(t.b.take(more, 0), texts{"cancelled 1: credit"});
    EXPECT_EQ(t.to_a(), texts{"ended 1: stream_credit, acted"});

    two u;
    open(u, {1, 4}, {1, 4});
    EXPECT_EQ(u.a.take(more, 0), texts{"ended 1: stream_credit, acted"});
    EXPECT_EQ(u.to_b(), texts{"cancelled 1: peer"});
    EXPECT_EQ(u.a.session.stats().refusals(ms::kind::stream_credit), 1U);
}

// [MXP-5.7]
TEST(stream, passes_over_what_comes_behind_its_end) {
    for (const auto type : {mxp::frame_type::stream_chunk, mxp::frame_type::stream_close}) {
        two t;
        open(t, {1, 4}, {1, 4});
        EXPECT_EQ(t.b.take(pair::frame(mxp::frame_type::stream_close, 1), 0), texts{"finished 1"});
        EXPECT_EQ(t.b.take(pair::frame(type, 1), 0), texts{});
        EXPECT_EQ(t.b.session.stats().late, 1U);
    }
}

// [MXP-8.2] [MXP-8.6]
TEST(stream, is_ended_by_either_side) {
    two t;
    open(t, {1, 4}, {1, 4});
    EXPECT_EQ(said(t.a.session.fail(1, {}, 0)), "exchange_ended");
    EXPECT_EQ(said(t.b.session.cancel(1, 0)), "exchange_ended");
    EXPECT_TRUE(t.b.session.fail(1, {ms::status::Aborted, false, "no", {}, {}}, 0));
    EXPECT_EQ(t.to_a(), texts{"ended 1: no, acted"});
    ASSERT_TRUE(t.a.session.open({}, {0, 0}, true, four, 0));
    EXPECT_EQ(t.to_b(), texts{"open 3 final +0/0: four"});
    EXPECT_TRUE(t.a.session.cancel(3, 0));
    EXPECT_EQ(t.to_b(), texts{"cancelled 3: peer"});
    EXPECT_EQ(said(t.b.session.finish(3, 0)), "exchange_ended");
}

TEST(stream, that_is_cancelled_unsent_leaves_the_queue) {
    two t;
    t.met();
    ASSERT_TRUE(t.a.session.open({}, {1, 1}, false, four, 0));
    ASSERT_TRUE(t.a.session.call({}, four, 0));
    ASSERT_TRUE(t.a.session.grant(1, {1, 1}, 0));
    ASSERT_TRUE(t.a.session.finish(1, 0));
    ASSERT_TRUE(t.a.session.cancel(1, 0));
    EXPECT_EQ(t.a.told(), texts{"ended 1: cancelled"});
    EXPECT_EQ(t.to_b(), texts{"call 3: four"});
}

TEST(stream, waits_for_the_acks_of_its_chunks) {
    two t;
    open(t, {0, 0}, {3, 100});
    ASSERT_TRUE(t.a.session.chunk(1, false, true, four, 0));
    ASSERT_TRUE(t.a.session.chunk(1, true, true, four, 0));
    t.to_b();
    ASSERT_TRUE(t.b.session.finish(1, 0));
    EXPECT_EQ(t.to_a(), texts{"finished 1"});
    EXPECT_EQ(t.a.session.in_flight_here(), 1U);
    ASSERT_TRUE(t.b.session.ack(1, 2, 0));
    EXPECT_EQ(t.to_a(), texts{"acked 1 #2"});
    EXPECT_EQ(t.a.session.in_flight_here() + t.b.session.in_flight_peer(), 0U);
}

}  // namespace

}  // namespace stream_tests
