// Calls, events and agent requests [MXP-7], [MXP-12].
#include <gtest/gtest.h>

#include "pair.hpp"

using pair::said;
using pair::texts;
using pair::two;
namespace ms = mxp::session;

namespace call_tests {

namespace {

constexpr std::string_view hello = "hello";

TEST(call, is_answered) {
    two t;
    t.met();
    ASSERT_EQ(*t.a.session.call({}, hello, 0), 1U);
    ASSERT_EQ(*t.a.session.call({}, std::string(20'000, 'x'), 0), 3U);
    EXPECT_EQ(t.to_b(), (texts{"call 1: hello", "call 3: " + std::string(20'000, 'x')}));
    EXPECT_EQ(said(t.b.session.respond(3, std::string(9'000, 'y'), 0)), "fine");
    EXPECT_EQ(said(t.b.session.respond(1, hello, 0)), "fine");
    EXPECT_EQ(said(t.b.session.respond(1, hello, 0)), "exchange_ended");
    EXPECT_EQ(t.to_a(), (texts{"response 3: " + std::string(9'000, 'y'), "response 1: hello"}));
    EXPECT_EQ(t.a.session.in_flight_here() + t.b.session.in_flight_peer(), 0U);
    EXPECT_EQ(t.a.session.stats().calls.count(), 2U);
}

TEST(call, says_what_it_asks_for) {
    two t;
    t.met();
    ms::request asked;
    asked.method = 7;
    asked.deadline = 1000;
    asked.trace.emplace();
    asked.trace->id[15] = 9;
    asked.trace->parent = 3;
    const ms::metadatum beside[] = {{"key", hello}};
    asked.metadata = beside;
    ASSERT_TRUE(t.a.session.call(asked, hello, 0));
    const auto sent = t.a.give(0);
    EXPECT_EQ(mxp::peek(sent)->trace_id, 9U);
    mxp::bytes_view input = sent;
    const auto one = t.b.session.receive(input, 0);
    ASSERT_TRUE(one);
    const auto& came = std::get<ms::in::call>(*one);
    EXPECT_EQ(came.head.method(), 7U);
    EXPECT_EQ(came.head.deadline(), 1000U);
    EXPECT_EQ(came.head.trace()->parent, 3U);
    ASSERT_EQ(came.head.metadata().size(), 1U);
    EXPECT_EQ(came.head.metadata().begin()->key(), "key");
    ASSERT_TRUE(t.b.session.respond(1, hello, 0, beside));
    const auto answer = t.b.give(0);
    EXPECT_EQ(mxp::peek(answer)->trace_id, 9U);
}

// [MXP-7.1] [MXP-7.4]
TEST(call, is_failed) {
    two t;
    t.met();
    ASSERT_TRUE(t.a.session.call({}, hello, 0));
    ASSERT_TRUE(t.a.session.call({}, hello, 0));
    t.to_b();
    EXPECT_EQ(said(t.b.session.fail(1, {ms::status::NotFound, false, "gone", "for good", {}}, 0)),
              "fine");
    EXPECT_EQ(said(t.b.session.fail(3, {ms::status::NotFound, true, "gone", {}, {}}, 0)), "fine");
    EXPECT_EQ(t.to_a(), (texts{"ended 1: gone (for good), acted", "ended 3: gone"}));
}

// [MXP-7.3]
TEST(call, needs_a_service) {
    two t;
    t.met();
    ms::request asked;
    asked.service = 1;
    ASSERT_TRUE(t.a.session.call(asked, hello, 0));
    ASSERT_TRUE(t.a.session.event(asked, false, ms::when_full::refuse, hello, 0));
    EXPECT_EQ(t.to_b(), texts{});
    EXPECT_EQ(t.to_a(), texts{"ended 1: service_unknown"});
    EXPECT_EQ(t.b.session.stats().refusals(ms::kind::service_unknown), 2U);
}

// [MXP-7.6] [MXP-7.8]
TEST(call, is_cancelled) {
    two t;
    t.met();
    ASSERT_TRUE(t.a.session.call({}, hello, 0));
    t.to_b();
    ASSERT_TRUE(t.a.session.call({}, std::string(10'000, 'x'), 0));
    ASSERT_TRUE(t.a.session.cancel(3, 0));
    EXPECT_EQ(t.a.session.queued(), 0U);
    ASSERT_TRUE(t.a.session.cancel(1, 0));
    EXPECT_EQ(said(t.a.session.cancel(1, 0)), "exchange_ended");
    EXPECT_EQ(t.a.told(), (texts{"ended 3: cancelled", "ended 1: cancelled, acted"}));
    EXPECT_EQ(t.to_b(), texts{"cancelled 1: peer"});
    EXPECT_EQ(t.b.session.in_flight_peer(), 1U);
    EXPECT_EQ(said(t.b.session.respond(1, hello, 0)), "exchange_ended");
    EXPECT_EQ(t.b.session.in_flight_peer(), 0U);
    EXPECT_EQ(said(t.b.session.release(1, 0)), "exchange_ended");
    EXPECT_EQ(t.to_a(), texts{});
}

// [MXP-7.7]
TEST(call, has_a_deadline_at_both_ends) {
    two t;
    t.met();
    ms::request asked;
    asked.deadline = 100;
    ASSERT_TRUE(t.a.session.call(asked, hello, 0));
    EXPECT_EQ(t.a.session.next_timeout(), 100U);
    EXPECT_EQ(t.to_b(50), texts{"call 1: hello"});
    EXPECT_EQ(t.b.session.next_timeout(), 150U);
    t.a.session.tick(99);
    EXPECT_EQ(t.a.told(), texts{});
    t.a.session.tick(100);
    EXPECT_EQ(t.a.told(), texts{"ended 1: deadline_exceeded, acted"});
    t.b.session.tick(150);
    EXPECT_EQ(t.b.told(), texts{"cancelled 1: deadline"});
    EXPECT_EQ(t.to_b(150), texts{});
    EXPECT_EQ(t.to_a(150), texts{});
    EXPECT_EQ(t.a.session.stats().late + t.b.session.stats().late, 2U);
    EXPECT_TRUE(t.b.session.release(1, 150));
    EXPECT_FALSE(t.b.session.next_timeout());
}

TEST(call, that_is_released_is_failed) {
    two t;
    t.met();
    ASSERT_TRUE(t.a.session.call({}, hello, 0));
    t.to_b();
    EXPECT_TRUE(t.b.session.release(1, 0));
    EXPECT_EQ(t.to_a(), texts{"ended 1: cancelled, acted"});
}

// [MXP-7.9]
TEST(event, is_acked_if_it_asks_for_it) {
    two t;
    t.met();
    ASSERT_TRUE(t.a.session.event({}, false, ms::when_full::refuse, hello, 0));
    ASSERT_TRUE(t.a.session.event({}, true, ms::when_full::refuse, hello, 0));
    EXPECT_EQ(t.to_b(), (texts{"event 1: hello", "event 3 ack: hello"}));
    EXPECT_EQ(said(t.b.session.ack(1, 0, 0)), "exchange_ended");
    EXPECT_EQ(said(t.b.session.ack(3, 1, 0)), "exchange_ended");
    EXPECT_EQ(said(t.b.session.ack(3, 0, 0)), "fine");
    EXPECT_EQ(t.to_a(), texts{"acked 3 #0"});
    EXPECT_EQ(t.a.session.in_flight_here() + t.b.session.in_flight_peer(), 0U);
}

// [MXP-12.2]
TEST(agent, requests_are_answered_out_of_a_directory) {
    two t;
    t.met();
    ms::directory all;
    const std::string_view can[] = {"sing"};
    ASSERT_TRUE(t.a.session.register_agent("bird", can, 5'000'000, 0));
    ASSERT_TRUE(t.a.session.heartbeat("bird", 0));
    ASSERT_TRUE(t.a.session.discover("sing", 0));
    EXPECT_EQ(t.to_b(), (texts{"register 1: bird", "heartbeat 3: bird", "discover 5: sing"}));
    ASSERT_TRUE(all.register_agent(1, "bird", {"sing"}, 5'000'000, 0));
    const auto found = pair::encoded(all.discover("sing", 0));
    ASSERT_TRUE(t.b.session.respond(5, found, 0));
    mxp::registry::Lease lease;
    lease.lease = 5;
    ASSERT_TRUE(t.b.session.respond(1, pair::encoded(lease), 0));
    EXPECT_EQ(t.to_a().size(), 2U);
    EXPECT_EQ(t.a.session.stats().calls.count(), 0U);
}

TEST(agent, requests_are_refused_where_they_are_off) {
    two t{pair::serving(), {}};
    t.met();
    ASSERT_TRUE(t.a.session.heartbeat("bird", 0));
    EXPECT_EQ(t.to_b(), texts{});
    EXPECT_EQ(t.to_a(), texts{"ended 1: agents_off"});
}

}  // namespace

}  // namespace call_tests
