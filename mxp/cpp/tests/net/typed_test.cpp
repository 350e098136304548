// Values of a schema as requests and answers, and who sees them on their way.
#include "mxp/agents.hpp"
#include "running.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;
using namespace std::chrono_literals;
using mxp::registry::Heartbeat;
using mxp::registry::Lease;
using mxp::registry::Query;

namespace typed_tests {

namespace {

constexpr const char* service = "demo.Typed";
constexpr net::method question{service, 1, "question"};
constexpr net::method count{service, 2, "count"};
constexpr net::method sum{service, 3, "sum"};
constexpr net::method negate{service, 4, "echo"};
constexpr net::method note{service, 5, "note"};
constexpr net::method raw_sum{service, 13, "raw_sum"};

/// A text that can't be encoded: its length takes one byte more than there is.
std::string too_long() { return std::string(70'000, 'x'); }

net::failure failure_named(const char* name) {
    net::failure why;
    why.status = mxp::session::status::OutOfRange;
    why.name = name;
    why.text = "of the test";
    why.acted = true;
    return why;
}

/// After this one there is an answer at once.
constexpr std::uint64_t enough = 1'000'000;

/// A server as generated code has it.
struct answers {
    virtual ~answers() = default;
    /// Gives the text back.
    virtual void question(const net::request& /*asked*/, Query asked, net::replier<Heartbeat> to) {
        if (asked.capability == "long") {
            refused = to.respond({too_long()});
            return;
        }
        to.respond({asked.capability});
    }
    /// As many as are asked for.
    virtual void count(const net::request& /*asked*/, Lease most, net::sender<Lease> to) {
        if (most.lease == 0) {
            to.fail(failure_named("none"));
            return;
        }
        to.on_end([this](const net::failure* why) { ended = why == nullptr ? "fine" : why->name; });
        to.send_all([next = std::uint64_t{0}, most = most.lease]() mutable {
            return next < most ? std::optional{Lease{++next}} : std::nullopt;
        });
    }
    virtual void sum(const net::request& /*asked*/, net::client_stream<Lease, Lease> of) {
        const auto all = std::make_shared<std::uint64_t>(0);
        of.on_value([of, all](Lease one) {
            *all += one.lease;
            if (one.lease == enough) {
                of.respond({*all});
            }
        });
        of.on_finish([of, all] { of.respond({*all}); });
        of.on_end([this](const net::failure* why) { ended = why == nullptr ? "fine" : why->name; });
    }
    virtual void echo(const net::request& /*asked*/, net::bidi_stream<Query, Heartbeat> both) {
        both.on_value([both](Query one) { both.send({one.capability}); });
        both.on_finish([both] { both.finish(); });
        both.on_end(
            [this](const net::failure* why) { ended = why == nullptr ? "fine" : why->name; });
    }
    virtual std::optional<net::failure> note(const net::request& /*asked*/, Lease one) {
        noted += one.lease;
        return one.lease == 13 ? std::optional{failure_named("unlucky")} : std::nullopt;
    }

    std::optional<net::failure> refused;
    std::string ended;
    std::uint64_t noted = 0;
};

/// Answers a stream of requests with so many responses.
net::stream_handler responses(int n) {
    return [n](const net::request&, const net::stream& on) {
        on.on_chunk([](mxp::bytes_view) {});
        on.on_finish([on, n] {
            for (int i = 0; i < n; ++i) {
                on.send(*sdp::encode(Lease{7}));
            }
            on.finish();
        });
    };
}

class typed : public testing::Test {
   protected:
    void begin() {
        services.service(service, net::types_of<Query, Heartbeat, Lease>())
            .call(1, net::handler_of(by, &answers::question), "question")
            .stream(2, net::handler_of(by, &answers::count), "count")
            .stream(3, net::handler_of(by, &answers::sum), "sum")
            .stream(4, net::handler_of(by, &answers::echo), "echo")
            .event(5, net::handler_of(by, &answers::note), "note")
            .stream(10, responses(0))
            .stream(11, responses(1))
            .stream(12, responses(2))
            .stream(13, [](const net::request&, const net::stream& on) {
                on.send(std::string_view{"x"});
            });
        server.emplace(context, std::move(services));
        const auto at = server->listen(folder.at("s")).value();
        client.emplace(context, at, how);
    }

    /// How a request ended.
    template <class T, class Make>
    net::outcome<T> wait(Make make) {
        std::optional<net::outcome<T>> came;
        make([&](net::outcome<T> told) {
            EXPECT_FALSE(came.has_value()) << "it is told twice";
            came.emplace(std::move(told));
        });
        EXPECT_FALSE(came.has_value()) << "it is told from within";
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        return came ? *came : net::outcome<T>{net::failed_outcome{failure_named("never")}};
    }
    net::outcome<Heartbeat> ask(std::string text) {
        return wait<Heartbeat>([&](auto then) {
            net::call<Heartbeat>(*client, question, Query{std::move(text)}, then, {});
        });
    }
    /// Waits until nothing of the peer's is in flight.
    void expect_idle() {
        EXPECT_TRUE(until(context, [&] { return server->stats().in_flight_peer == 0; }));
    }

    running::folder folder;
    asio::io_context context{1};
    std::shared_ptr<answers> by = std::make_shared<answers>();
    net::services services;
    net::client_options how;
    std::optional<net::server> server;
    std::optional<net::client> client;
};

TEST_F(typed, calls_have_values) {
    begin();
    const auto came = ask("hello");
    ASSERT_TRUE(came);
    EXPECT_EQ(came->name, "hello");
}

TEST_F(typed, what_cannot_be_decoded_is_named_to_who_sent_it) {  // [MXP-13.4]
    begin();
    std::optional<net::failure> why;
    client->call(question, std::string_view{"\5\0ab", 4}, {},
                 [&](const net::answer& came) { why = came.failed; });
    EXPECT_TRUE(until(context, [&] { return why.has_value(); }));
    EXPECT_EQ(why->status, mxp::session::status::InvalidArgument);
    EXPECT_EQ(why->name, "length_exceeds_input");
    EXPECT_EQ(why->text, "length_exceeds_input at byte 0 in capability");
    EXPECT_FALSE(why->acted);
}

TEST_F(typed, a_response_that_cannot_be_decoded_is_named_to_who_asked) {  // [MXP-13.5]
    begin();
    const auto came = wait<Lease>([&](auto then) {  // a Heartbeat is no Lease
        net::call<Lease>(*client, question, Query{"hello"}, then, {});
    });
    ASSERT_FALSE(came);
    EXPECT_EQ(came.error().status, mxp::session::status::DataLoss);
    EXPECT_EQ(came.error().name, "segment_partial");
    EXPECT_TRUE(came.error().acted);
    EXPECT_EQ(came.error().method.find(service), 0U) << came.error().method;
    std::string ended;
    const auto wrong = net::open_bidi_stream<Query, Lease>(*client, negate, {});
    wrong.on_value([](const Lease&) { FAIL() << "a Heartbeat is no Lease"; });
    wrong.on_end([&](const net::failure* why) { ended = why == nullptr ? "fine" : why->name; });
    wrong.send({"hello"});
    EXPECT_TRUE(until(context, [&] { return !ended.empty(); }));
    EXPECT_EQ(ended, "segment_partial");
    EXPECT_TRUE(until(context, [&] { return by->ended == "cancelled"; }));
}

TEST_F(typed, what_cannot_be_encoded_is_not_sent) {  // [MXP-13.7]
    begin();
    const auto mine = ask(too_long());
    ASSERT_FALSE(mine);
    EXPECT_EQ(mine.error().name, "value_too_large");
    EXPECT_FALSE(mine.error().acted);
    const auto theirs = ask("long");
    ASSERT_FALSE(theirs);
    EXPECT_EQ(theirs.error().name, "value_too_large");
    EXPECT_EQ(theirs.error().status, mxp::session::status::Internal);
    ASSERT_TRUE(by->refused);
    EXPECT_EQ(by->refused->name, "value_too_large");
    std::string ended;
    const auto both = net::open_bidi_stream<Query, Heartbeat>(*client, negate, {});
    both.on_end([&](const net::failure* why) { ended = why == nullptr ? "fine" : why->name; });
    both.send({too_long()});
    EXPECT_EQ(ended, "value_too_large");
    expect_idle();
}

TEST_F(typed, streams_of_responses_are_read) {
    begin();
    const auto read = [&](std::uint64_t most) {
        std::uint64_t all = 0;
        std::string ended;
        const auto values = net::open_server_stream<Lease>(*client, count, Lease{most}, {});
        values.on_value([&](Lease one) { all += one.lease; });
        values.on_end([&](const net::failure* why) { ended = why == nullptr ? "" : why->name; });
        EXPECT_TRUE(until(context, [&] { return values.is_over(); }));
        return std::pair{all, ended};
    };
    // More than is granted at once.
    EXPECT_EQ(read(5'000), (std::pair<std::uint64_t, std::string>{12'502'500, ""}));
    EXPECT_EQ(by->ended, "fine");
    EXPECT_EQ(read(0), (std::pair<std::uint64_t, std::string>{0, "none"}));
    expect_idle();
}

TEST_F(typed, a_stream_of_responses_that_is_left_ends_at_the_server) {
    begin();
    const auto values =
        net::open_server_stream<Lease>(*client, count, Lease{~std::uint64_t{0}}, {});
    bool has_come = false;
    values.on_value([&](const Lease&) {
        has_come = true;
        values.cancel();
    });
    EXPECT_TRUE(until(context, [&] { return by->ended == "cancelled"; }));
    EXPECT_TRUE(has_come);
    expect_idle();
}

TEST_F(typed, streams_of_requests_have_one_response) {  // [MXP-13.6]
    begin();
    const auto asked = [&](const net::method& of, std::uint64_t most) {
        return wait<Lease>([&](auto then) {
            const auto to = net::open_client_stream<Lease, Lease>(*client, of, then, {});
            to.send_all([next = std::uint64_t{0}, most]() mutable {
                return next < most ? std::optional{Lease{++next}} : std::nullopt;
            });
        });
    };
    EXPECT_EQ(asked(sum, 5'000)->lease, 12'502'500U);
    EXPECT_EQ(asked(sum, 0)->lease, 0U);
    EXPECT_EQ(asked({service, 11, {}}, 3)->lease, 7U);
    for (const std::uint16_t number : {std::uint16_t{10}, std::uint16_t{12}}) {
        const auto wrong = asked({service, number, {}}, 3);
        ASSERT_FALSE(wrong);
        EXPECT_EQ(wrong.error().name, "stream_responses");
        EXPECT_EQ(wrong.error().status, mxp::session::status::Internal);
        EXPECT_TRUE(wrong.error().acted);
    }
    EXPECT_EQ(asked(raw_sum, 3).error().name, "segment_partial");
    EXPECT_EQ(asked({service, 99, {}}, 3).error().name, "method_unknown");
    expect_idle();
}

TEST_F(typed, a_response_ends_a_stream_of_requests_before_they_do) {
    begin();
    std::optional<net::sender<Lease>> to;
    const auto came = wait<Lease>([&](auto then) {
        to.emplace(net::open_client_stream<Lease, Lease>(*client, sum, then, {}));
        to->send({enough});
    });
    ASSERT_TRUE(came);
    EXPECT_EQ(came->lease, enough);
    EXPECT_TRUE(to->is_over());
    expect_idle();
}

TEST_F(typed, a_chunk_that_cannot_be_decoded_ends_the_stream) {  // [MXP-13.4]
    begin();
    std::optional<net::failure> why;
    const auto bytes = client->open(negate, mxp::bytes_view{}, {});
    bytes.on_end([&](const net::failure* end) { why = end == nullptr ? net::failure{} : *end; });
    bytes.send(std::string_view{"\5"});
    EXPECT_TRUE(until(context, [&] { return why.has_value(); }));
    EXPECT_EQ(why->name, "length_exceeds_input");
    EXPECT_EQ(why->status, mxp::session::status::InvalidArgument);
    EXPECT_TRUE(why->acted);
    EXPECT_EQ(by->ended, "length_exceeds_input");
}

TEST_F(typed, events_are_taken_or_not) {
    begin();
    net::event_options acked;
    acked.requires_ack = true;
    const auto sent = [&](std::uint64_t n) {
        return wait<void>(
            [&](auto then) { net::send(*client, note, Lease{n}, std::move(then), acked); });
    };
    EXPECT_TRUE(sent(5));
    EXPECT_EQ(sent(13).error().name, "unlucky");
    EXPECT_EQ(by->noted, 18U);
    net::send(*client, note, Lease{100}, nullptr, {});
    EXPECT_TRUE(until(context, [&] { return by->noted == 118; }));
    std::optional<net::failure> why;
    client->event(note, std::string_view{"x"}, acked,
                  [&](const net::answer& came) { why = came.failed; });
    EXPECT_TRUE(until(context, [&] { return why.has_value(); }));
    EXPECT_EQ(why->name, "segment_partial");
    EXPECT_FALSE(why->acted);
}

TEST_F(typed, types_are_told_in_order_and_once) {  // [MXP-13.3]
    auto types = net::types_of<Query, Heartbeat, Query>();
    ASSERT_EQ(types.size(), 2U);
    EXPECT_EQ(types[0].name, "mxp.registry.Heartbeat");
    EXPECT_EQ(types[1].name, "mxp.registry.Query");
    EXPECT_EQ(types[1].fingerprints.size(), sdp::fingerprints<Query>.size());
    EXPECT_EQ(types[1].layout, sdp::layout<Query>());
    net::add_types(types, net::types_of<Lease, Query>());
    ASSERT_EQ(types.size(), 3U);
    EXPECT_EQ(types[1].name, "mxp.registry.Lease");
}

TEST_F(typed, peers_that_mean_other_bytes_by_a_type_are_told_apart) {
    how.types = net::types_of<Query>();
    how.types[0].fingerprints[0] ^= 1;
    how.types[0].layout.clear();
    begin();
    std::optional<net::failure> why;
    client->call(question, std::string_view{}, {},
                 [&](const net::answer& came) { why = came.failed; });
    EXPECT_TRUE(until(context, [&] { return why.has_value(); }));
    EXPECT_EQ(why->name, "session_schema") << why->text;
}

}  // namespace

}  // namespace typed_tests
