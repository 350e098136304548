// Batches [MXP-17].
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <memory>

#include "pair.hpp"

using pair::said;
using pair::texts;
using pair::two;
namespace ms = mxp::session;

namespace batch_tests {

namespace {

constexpr std::string_view four = "four";
constexpr ms::credit much{1'000'000, 1'000'000'000};

ms::config offering() {
    ms::config made = pair::serving();
    made.offers_batches = true;
    return made;
}

/// Streams 1 and 3, on which both sides may send much.
void open(two& t) {
    t.met();
    for (const std::uint64_t id : {1U, 3U}) {
        ASSERT_EQ(*t.a.session.open({}, much, false, std::string_view{}, 0), id);
        t.to_b();
        ASSERT_TRUE(t.b.session.grant(id, much, 0));
        t.to_a();
    }
}

std::string chunk(pair::side& by, std::string_view value, bool is_final = false,
                  bool requires_ack = false, std::uint64_t id = 1) {
    return said(by.session.chunk(id, is_final, requires_ack, value, 0));
}

ms::result<std::uint64_t> event(pair::side& by, std::string_view value, std::uint16_t method = 0,
                                ms::when_full full = ms::when_full::refuse) {
    ms::request asked;
    asked.method = method;
    return by.session.event(asked, false, full, value, 0);
}

/// The types of frames, each with the length of its payload.
texts frames(const pair::bytes& all) {
    texts made;
    mxp::bytes_view rest = all;
    while (!rest.empty()) {
        const auto head = mxp::peek(rest);
        EXPECT_TRUE(head);
        made.push_back(std::string{to_string(head->type)} + " " +
                       std::to_string(head->payload_size));
        rest = {rest.data() + head->size(), rest.size() - head->size()};
    }
    return made;
}

pair::bytes records(std::initializer_list<std::string_view> values) {
    pair::bytes made;
    for (const std::string_view value : values) {
        made.push_back(static_cast<std::byte>(value.size() & 0xff));
        made.push_back(static_cast<std::byte>(value.size() >> 8));
        for (const char one : value) {
            made.push_back(static_cast<std::byte>(one));
        }
    }
    return made;
}

pair::bytes start_of(std::uint16_t service) {
    mxp::control::CallStartRef start;
    start.head.service = service;
    return pair::encoded(start);
}

pair::bytes operator+(pair::bytes a, const pair::bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// [MXP-17.4] [MXP-17.6]
TEST(batch, has_the_chunks_that_wait) {
    two t{offering(), offering()};
    open(t);
    for (const std::string_view value : {"one", "", "three"}) {
        EXPECT_EQ(chunk(t.a, value), "fine");
    }
    const auto all = t.a.give(0);
    EXPECT_EQ(frames(all), texts{"StreamChunks 14"});
    EXPECT_EQ(t.b.take(all, 0), texts{"chunks 1 #1: one  three"});
    // A frame that was given out is joined by nothing, and a single chunk has its own frame as
    // ever.
    EXPECT_EQ(chunk(t.a, four), "fine");
    EXPECT_EQ(t.to_b(), texts{"chunk 1 #4: four"});
    EXPECT_EQ(chunk(t.b, four), "fine");
    EXPECT_EQ(chunk(t.b, four), "fine");
    EXPECT_EQ(t.to_a(), texts{"chunks 1 #1: four four"});
    EXPECT_EQ(t.b.session.stats().in(mxp::frame_type::stream_chunks).frames, 1U);
    EXPECT_EQ(t.b.session.stats().in(mxp::frame_type::stream_chunks).bytes, 54U);
    EXPECT_EQ(t.b.session.stats().out(mxp::frame_type::stream_chunks).frames, 1U);
    EXPECT_EQ(t.b.session.stats().in(mxp::frame_type::stream_chunk).frames, 1U);
}

TEST(batch, is_one_frame_in_the_queue) {
    two t{offering(), offering()};
    open(t);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(chunk(t.a, four), "fine");
        EXPECT_EQ(t.a.session.stats().queue_frames, 1U);
        EXPECT_EQ(t.a.session.queued(), i == 0 ? 44U : 46U + 6U * static_cast<std::size_t>(i));
    }
    t.a.give(0);
    EXPECT_EQ(t.a.session.queued(), 0U);
    EXPECT_EQ(t.a.session.stats().queue_frames, 0U);
}

TEST(batch, of_small_chunks_costs_little) {
    ms::config much_queued = offering();
    much_queued.limits.queue_bytes = much_queued.limits.bulk_bytes = 10U << 20;
    two t{much_queued, offering()};
    open(t);
    for (int i = 0; i < 10'000; ++i) {
        EXPECT_EQ(chunk(t.a, std::string(64, 'x')), "fine");
    }
    const auto all = t.a.give(0);
    EXPECT_LE(all.size(), 670'000U);
    EXPECT_EQ(frames(all)[0], "StreamChunks 65472");
    std::size_t came = 0;
    mxp::bytes_view input = all;
    while (const auto one = t.b.session.receive(input, 0)) {
        const auto* const of = std::get_if<ms::in::chunks>(&*one);
        ASSERT_NE(of, nullptr);
        EXPECT_EQ(of->first, came + 1);
        EXPECT_EQ(of->values.bytes(), 64 * of->values.size());
        came += of->values.size();
    }
    EXPECT_EQ(came, 10'000U);
}

// [MXP-17.6]
TEST(batch, ends_with_flags) {
    for (const bool is_final : {false, true}) {
        two t{offering(), offering()};
        open(t);
        EXPECT_EQ(chunk(t.a, "one"), "fine");
        EXPECT_EQ(chunk(t.a, "two", is_final, true), "fine");
        EXPECT_EQ(chunk(t.a, "three"), is_final ? "exchange_ended" : "fine");
        const auto told = t.to_b();
        EXPECT_EQ(told[0],
                  std::string{"chunks 1 #1"} + (is_final ? " final" : "") + " ack: one two");
        EXPECT_EQ(told.size(), is_final ? 1U : 2U);
        EXPECT_EQ(said(t.b.session.ack(1, 3, 0)), "exchange_ended");
        EXPECT_EQ(said(t.b.session.ack(1, 2, 0)), "fine");
        EXPECT_EQ(t.to_a(), texts{"acked 1 #2"});
    }
    two t{offering(), offering()};
    open(t);
    EXPECT_EQ(chunk(t.a, "one", false, true), "fine");
    EXPECT_EQ(chunk(t.a, "two"), "fine");
    EXPECT_EQ(t.to_b(), (texts{"chunk 1 #1 ack: one", "chunk 1 #2: two"}));
}

// [MXP-17.6]
TEST(batch, ends_with_any_frame) {
    using done = std::function<void(two&)>;
    const std::pair<const char*, done> all[] = {
        {"Call", [](two& t) { ASSERT_TRUE(t.a.session.call({}, four, 0)); }},
        {"Event", [](two& t) { ASSERT_TRUE(event(t.a, four)); }},
        {"StreamOpen", [](two& t) { ASSERT_TRUE(t.a.session.open({}, {}, true, four, 0)); }},
        {"StreamChunk", [](two& t) { chunk(t.a, four, false, false, 3); }},
        {"StreamChunk", [](two& t) { chunk(t.a, std::string(4097, 'x')); }},
        {"StreamClose", [](two& t) { ASSERT_TRUE(t.a.session.finish(3, 0)); }},
        {"Credit", [](two& t) { ASSERT_TRUE(t.a.session.grant(1, much, 0)); }},
        {"Response", [](two& t) { ASSERT_TRUE(t.a.session.respond(2, four, 0)); }},
        {"Error", [](two& t) { ASSERT_TRUE(t.a.session.fail(2, {}, 0)); }},
        {"Ack", [](two& t) { ASSERT_TRUE(t.a.session.ack(4, 0, 0)); }},
        {"Cancel", [](two& t) { ASSERT_TRUE(t.a.session.cancel(3, 0)); }},
        {"Drain", [](two& t) { ASSERT_TRUE(t.a.session.drain("", 0)); }},
        {"AgentDiscover", [](two& t) { ASSERT_TRUE(t.a.session.discover("", 0)); }},
        {"Pong", [](two& t) { t.a.take(pair::frame(mxp::frame_type::ping, 6), 0); }},
        {"Ping", [](two& t) { t.a.session.tick(1'000'000); }},
    };
    for (const auto& [name, act] : all) {
        ms::config pinging = offering();
        pinging.limits.ping_us = 1'000'000;
        two t{pinging, offering()};
        open(t);
        ASSERT_EQ(*t.b.session.call({}, four, 0), 2U);
        ASSERT_EQ(*t.b.session.event({}, true, ms::when_full::refuse, four, 0), 4U);
        t.to_a();
        EXPECT_EQ(chunk(t.a, "one"), "fine");
        EXPECT_EQ(chunk(t.a, "two"), "fine");
        act(t);
        EXPECT_EQ(chunk(t.a, "three"), "fine");
        const auto made = frames(t.a.give(1'000'000));
        ASSERT_EQ(made.size(), 3U) << name;
        EXPECT_EQ(made[0], "StreamChunks 10") << name;
        EXPECT_EQ(made[1].substr(0, made[1].find(' ')), name);
        EXPECT_EQ(made[2], "StreamChunk 5") << name;
    }
}

// [MXP-17.6]
TEST(batch, takes_no_long_value) {
    two t{offering(), offering()};
    open(t);
    EXPECT_EQ(chunk(t.a, std::string(4097, 'x')), "fine");
    EXPECT_EQ(chunk(t.a, std::string(4096, 'x')), "fine");
    EXPECT_EQ(chunk(t.a, std::string(4096, 'x')), "fine");
    EXPECT_EQ(frames(t.a.give(0)), (texts{"StreamChunk 4097", "StreamChunks 8196"}));
}

// [MXP-17.6]
TEST(batch, is_no_longer_than_the_peer_takes) {
    ms::config small = offering();
    small.payload_bytes = 100;
    two t{offering(), small};
    open(t);
    for (int i = 0; i < 7; ++i) {
        EXPECT_EQ(chunk(t.a, std::string(31, 'x')), "fine");
    }
    EXPECT_EQ(chunk(t.a, std::string(101, 'x')), "payload_too_large");
    EXPECT_EQ(chunk(t.a, std::string(29, 'x')), "fine");
    EXPECT_EQ(chunk(t.a, std::string(100, 'x')), "fine");
    EXPECT_EQ(frames(t.a.give(0)),
              (texts{"StreamChunks 99", "StreamChunks 99", "StreamChunks 64", "StreamChunk 100"}));
}

// [MXP-17.7]
TEST(batch, of_events_has_one_head) {
    two t{offering(), offering()};
    t.met();
    EXPECT_EQ(*event(t.a, "one"), 1U);
    EXPECT_EQ(*event(t.a, "two"), 1U);
    EXPECT_EQ(*event(t.a, "three", 7), 3U);
    EXPECT_EQ(*event(t.a, "four"), 5U);
    EXPECT_EQ(*event(t.a, "five"), 5U);
    EXPECT_EQ(*t.a.session.event({}, true, ms::when_full::refuse, four, 0), 7U);
    EXPECT_EQ(t.to_b(), (texts{"events 1: one two", "event 3: three", "events 5: four five",
                               "event 7 ack: four"}));
    EXPECT_EQ(t.a.session.in_flight_here(), 1U);
    // Traces and metadata are of the head, too.
    const ms::metadatum beside[] = {{std::string_view{"key"}, four}};
    ms::request asked;
    asked.metadata = beside;
    ms::request traced;
    traced.trace.emplace().parent = 9;
    for (const ms::request* const one : {&asked, &asked, &traced, &traced}) {
        ASSERT_TRUE(t.a.session.event(*one, false, ms::when_full::refuse, four, 0));
    }
    EXPECT_EQ(t.to_b(), (texts{"events 9: four four", "events 11: four four"}));
}

// [MXP-17.6]
TEST(batch, of_events_is_short) {
    two t{offering(), offering()};
    t.met();
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(event(t.a, std::string(100, 'x')));
    }
    const auto head = start_of(0).size();
    const auto fit = (ms::batched_bytes - head) / 102;
    const auto made = frames(t.a.give(0));
    EXPECT_EQ(made.size(), (100 + fit - 1) / fit);
    EXPECT_EQ(made[0], "Events " + std::to_string(head + fit * 102));
}

// [MXP-17.7]
TEST(batch, of_events_is_dropped_whole) {
    ms::config small = offering();
    small.limits.queue_bytes = 300;
    two t{small, offering()};
    t.met();
    ASSERT_TRUE(t.a.session.call({}, four, 0));
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(*event(t.a, std::string(60, 'x'), 0, ms::when_full::drop_oldest), 3U);
    }
    EXPECT_EQ(said(event(t.a, four)), "limit_queue_bytes");
    EXPECT_EQ(*event(t.a, four, 0, ms::when_full::drop_newest), 0U);
    EXPECT_EQ(t.a.session.stats().dropped, 1U);
    EXPECT_EQ(*event(t.a, four, 0, ms::when_full::drop_oldest), 5U);
    EXPECT_EQ(t.a.session.stats().dropped, 4U);
    EXPECT_EQ(*event(t.a, "five", 0, ms::when_full::drop_oldest), 5U);
    EXPECT_EQ(t.to_b(), (texts{"call 1: four", "events 5: four five"}));
}

// [MXP-17.2]
TEST(batch, is_made_where_both_offer_it) {
    for (const bool is_here : {true, false}) {
        two t{is_here ? offering() : pair::serving(), is_here ? pair::serving() : offering()};
        open(t);
        EXPECT_EQ(chunk(t.a, "one"), "fine");
        EXPECT_EQ(chunk(t.a, "two"), "fine");
        EXPECT_EQ(*event(t.a, "three"), 5U);
        EXPECT_EQ(*event(t.a, "four"), 7U);
        EXPECT_EQ(chunk(t.b, "five"), "fine");
        EXPECT_EQ(chunk(t.b, "six"), "fine");
        EXPECT_EQ(t.to_b(),
                  (texts{"chunk 1 #1: one", "chunk 1 #2: two", "event 5: three", "event 7: four"}));
        EXPECT_EQ(t.to_a(), (texts{"chunk 1 #1: five", "chunk 1 #2: six"}));
        const auto made = pair::frame(mxp::frame_type::stream_chunks, 1, records({four}));
        EXPECT_EQ(t.a.take(made, 0).back(), "end: session_batch");
        EXPECT_EQ(t.b.take(made, 0).back(), "end: session_batch");
    }
}

// [MXP-5.6] [MXP-17.3]
TEST(batch, that_is_wrong_ends_the_session) {
    const auto whole = records({"one", "two"});
    const auto cut = [&](std::size_t n) {
        return pair::bytes(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(n));
    };
    const auto chunks = [](const pair::bytes& payload, mxp::flags flags = mxp::flags::none) {
        return pair::frame(mxp::frame_type::stream_chunks, 1, payload, flags);
    };
    const auto events = [](const pair::bytes& payload, std::uint64_t id = 5) {
        return pair::frame(mxp::frame_type::events, id, payload);
    };
    const std::pair<pair::bytes, const char*> all[] = {
        {chunks({}), "session_payload (truncated)"},
        {chunks(cut(1)), "session_payload (length_exceeds_input)"},
        {chunks(cut(4)), "session_payload (truncated)"},
        {chunks(whole + pair::bytes(1)), "session_payload (truncated)"},
        {chunks(pair::bytes(65'537)), "limit_batch_bytes"},
        {chunks(whole, mxp::flags::compressed), "session_flags"},
        {pair::frame(mxp::frame_type::stream_chunks, 99, whole), "session_id"},
        {events({}), "session_payload (truncated)"},
        {events(start_of(0)), "session_payload (truncated)"},
        {events(start_of(0) + cut(1)), "session_payload (length_exceeds_input)"},
        {events(start_of(0) + whole, 3), "session_id"},
        {pair::frame(mxp::frame_type::events, 5, start_of(0) + whole, mxp::flags::requires_ack),
         "session_flags"},
        {events(start_of(0) + pair::bytes(65'537)), "limit_batch_bytes"},
    };
    for (const auto& [bytes, why] : all) {
        two t{offering(), offering()};
        open(t);
        EXPECT_EQ(t.b.take(bytes, 0).back(), "end: " + std::string{why});
    }
    two greeting{offering(), offering()};
    EXPECT_EQ(greeting.b.take(chunks(whole), 0).back(), "end: session_hello");
}

// [MXP-17.3] [MXP-17.4]
TEST(batch, may_be_full_of_nothing) {
    two t{offering(), offering()};
    open(t);
    EXPECT_EQ(t.b.take(pair::frame(mxp::frame_type::stream_chunks, 1, pair::bytes(65'536)), 0)[0],
              "chunks 1 #1:" + std::string(32'768, ' '));
    EXPECT_EQ(t.b.take(pair::frame(mxp::frame_type::stream_chunk, 1), 0),
              texts{"chunk 1 #32769: "});
}

// [MXP-8.3] [MXP-17.4]
TEST(batch, takes_credit_for_all_of_it) {
    const auto granted = [](ms::credit credit) {
        auto t = std::make_unique<two>(offering(), offering());
        t->met();
        static_cast<void>(t->a.session.open({}, {}, false, std::string_view{}, 0));
        t->to_b();
        static_cast<void>(t->b.session.grant(1, credit, 0));
        return t;
    };
    const auto whole = pair::frame(mxp::frame_type::stream_chunks, 1, records({"one", "two"}));
    EXPECT_EQ(granted({2, 6})->b.take(whole, 0), texts{"chunks 1 #1: one two"});
    EXPECT_EQ(granted({1, 6})->b.take(whole, 0), texts{"cancelled 1: credit"});
    const auto t = granted({2, 5});
    EXPECT_EQ(t->b.take(whole, 0), texts{"cancelled 1: credit"});
    EXPECT_EQ(t->b.session.stats().refusals(ms::kind::stream_credit), 1U);
    // Sent chunks use up as much of the credit.
    const auto u = granted({2, 7});
    u->to_a();
    EXPECT_EQ(chunk(u->a, four), "fine");
    EXPECT_EQ(chunk(u->a, four), "stream_credit");
    EXPECT_EQ(chunk(u->a, "two"), "fine");
    EXPECT_EQ(chunk(u->a, ""), "stream_credit");
}

// [MXP-5.7] [MXP-17.5]
TEST(batch, that_is_late_is_one_frame) {
    two t{offering(), offering()};
    open(t);
    const auto whole = pair::frame(mxp::frame_type::stream_chunks, 1, records({"one", "two"}));
    EXPECT_EQ(t.b.take(pair::frame(mxp::frame_type::stream_close, 1), 0), texts{"finished 1"});
    EXPECT_EQ(t.b.take(whole, 0), texts{});
    EXPECT_EQ(t.b.session.stats().late, 1U);
    t.b.take(pair::frame(mxp::frame_type::cancel, 1), 0);
    EXPECT_EQ(t.b.take(whole, 0), texts{});
    EXPECT_EQ(t.b.session.stats().late, 2U);
}

// [MXP-7.3] [MXP-17.5]
TEST(batch, of_events_that_nobody_serves_counts_each) {
    ms::config strict = offering();
    strict.limits.refusals = 2;
    strict.limits.refusals_per_ms = 1;
    two t{offering(), strict};
    t.met();
    EXPECT_EQ(t.b.take(pair::frame(mxp::frame_type::events, 1,
                                   start_of(9) + records({"one", "two", "three"})),
                       0),
              texts{});
    EXPECT_EQ(t.b.session.stats().refusals(ms::kind::service_unknown), 3U);
    EXPECT_EQ(t.b.session.stats().refusals(ms::kind::limit_refusals), 1U);
    EXPECT_TRUE(t.b.session.is_deaf());
}

// Frames that are taken one by one are the same as frames that are taken at once, and a batch that
// is taken while its chunks come is as whole as any.
TEST(batch, is_given_out_whole_in_all_ways) {
    two one_by_one{offering(), offering()};
    two at_once{offering(), offering()};
    two some{offering(), offering()};
    for (two* const t : {&one_by_one, &at_once, &some}) {
        open(*t);
        for (std::size_t i = 0; i < 500; ++i) {
            ASSERT_EQ(chunk(t->a, std::string(i % 90, 'x'), false, i % 70 == 0), "fine");
            ASSERT_TRUE(i % 7 > 0 || event(t->a, four, i % 2));
        }
    }
    pair::bytes taken;
    while (const auto frame = one_by_one.a.session.poll_frame(0)) {
        taken.insert(taken.end(), frame->head.begin(), frame->head.end());
    }
    const auto all = at_once.a.give(0);
    EXPECT_EQ(taken, all);
    ms::batch few;
    pair::bytes joined;
    for (some.a.session.poll_batch(few, 0, 300); !few.empty();
         some.a.session.poll_batch(few, 0, 300)) {
        few.each([&](mxp::bytes_view piece) {
            joined.insert(joined.end(), piece.begin(), piece.end());
        });
    }
    EXPECT_EQ(joined, all);
    EXPECT_GT(at_once.b.take(all, 0).size(), 100U);
    EXPECT_TRUE(at_once.b.session.ready());
}

}  // namespace

}  // namespace batch_tests
