// Values of a schema, events, and the chunks of blocking clients, several at once.
#include <algorithm>
#include <list>

#include "many.hpp"

namespace many_values {

namespace {

TEST_F(many, ValuesAreSentAndToldSeveralAtATime) {
    begin();
    std::uint64_t total = 0;
    std::string failed;
    const auto open_sum = [&] {
        return net::open_client_stream<Lease, Lease>(*client, sum,
                                                     [&](const net::outcome<Lease>& of) {
                                                         here = of ? "fine" : of.error().name;
                                                         total = of ? of->lease : 0;
                                                     },
                                                     {});
    };
    for (const int by : {0, 1, 2}) {
        here.clear();
        sizes.clear();
        const auto stream = open_sum();
        if (by == 0) {
            stream.send_all([n = std::uint64_t{0}]() mutable {
                return n < 5'000 ? std::optional{Lease{++n}} : std::nullopt;
            });
        } else {
            std::list<Lease> all;
            for (std::uint64_t n = 1; n <= 5'000; ++n) {
                all.push_back({n});
            }
            if (by == 1) {
                stream.send_all(std::move(all));
            } else {
                stream.send_batch(all);
                stream.finish();
            }
        }
        ASSERT_TRUE(until_over());
        EXPECT_EQ(here, "fine");
        EXPECT_EQ(total, 12'502'500U);
        EXPECT_LT(sizes.size(), 1'000U);
    }
}

TEST_F(many, ValuesBeforeOneThatCanNotBeDecodedAreTold) {
    begin();
    const net::stream stream = open(sum);
    const auto one = *sdp::encode(Lease{7});
    const std::array<bytes_view, 4> all{one, one, std::string_view{"x"}, one};
    stream.send_batch({all.data(), all.size()});
    stream.finish();
    ASSERT_TRUE(until(context, [&] { return !here.empty() && !ended.empty(); }));
    EXPECT_EQ(here, "segment_partial");
    EXPECT_EQ(ended, "segment_partial");
    EXPECT_EQ(added, 14U);
}

TEST_F(many, ValuesBeforeOneThatCanNotBeEncodedAreSent) {
    begin();
    for (const bool at_once : {false, true}) {
        here.clear();
        came.clear();
        const auto stream = net::open_client_stream<Lease, Query>(
            *client, take,
            [&](const net::outcome<Lease>& of) { here = of ? "fine" : of.error().name; }, {});
        // A text's length has 16 bits.
        const std::vector<Query> all{{"one"}, {std::string(70'000, 'x')}, {"three"}};
        if (at_once) {
            stream.send_batch(all);
        } else {
            stream.send_all(all);
        }
        ASSERT_TRUE(until_over());
        EXPECT_EQ(here, "value_too_large");
        EXPECT_LE(came.size(), 1U);
    }
}

TEST_F(many, EventsAreToldSeveralAtATime) {
    begin();
    texts failures;
    const texts all = numbered(1'000);
    for (const std::string& one : all) {
        client->event(told, bytes_view{one}, {}, {});
    }
    ASSERT_TRUE(until(context, [&] { return came.size() == all.size(); }));
    EXPECT_EQ(came, all);
    EXPECT_LT(sizes.size(), 500U);
    EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), 256U);
    const auto stats = server->stats();
    ASSERT_EQ(stats.methods.size(), 1U);
    EXPECT_EQ(stats.methods[0].ended[0], all.size());
    EXPECT_EQ(stats.methods[0].took.count(), all.size());
    // An event that requires an Ack is told alone, and answered.
    net::event_options acked;
    acked.requires_ack = true;
    texts answers;
    for (const char* const one : {"yes", "no"}) {
        client->event(told, std::string_view{one}, acked, [&](const net::answer& how) {
            answers.push_back(how.failed ? how.failed->name : "fine");
        });
    }
    ASSERT_TRUE(until(context, [&] { return answers.size() == 2; }));
    EXPECT_EQ(answers, (texts{"fine", "unwanted"}));
}

TEST_F(many, EventsThatAreNotTakenAreEachCountedAndToldOnce) {
    texts failures;
    server_how.on_failure = [&](const net::failure& why) { failures.push_back(why.name); };
    begin();
    for (const char* const one : {"a", "b", "no"}) {
        client->event(told, std::string_view{one}, {}, {});
    }
    ASSERT_TRUE(until(context, [&] { return came.size() == 3; }));
    const auto stats = server->stats();
    const std::size_t unknown =
        mxp::session::method_statistics::place(mxp::session::status::Unknown);
    EXPECT_EQ(stats.methods[0].ended[0] + stats.methods[0].ended[unknown], 3U);
    EXPECT_EQ(failures, texts{"unwanted"});
}

TEST_F(many, InterceptorsSeeEachEventByItself) {
    texts seen;
    services.intercept([&](net::incoming_request& asked) {
        seen.push_back(text_of(asked.request.value));
        if (seen.back() == "message 1") {
            asked.refuse(named("not_this"));
        }
    });
    begin();
    const texts all = numbered(3);
    for (const std::string& one : all) {
        client->event(told, bytes_view{one}, {}, {});
    }
    ASSERT_TRUE(until(context, [&] { return seen.size() == 3; }));
    EXPECT_EQ(seen, all);
    ASSERT_TRUE(until(context, [&] { return came.size() == 2; }));
    EXPECT_EQ(came, (texts{"message 0", "message 2"}));
}

TEST(BatchesOfBlockingClients, ComeInTheirOrder) {
    for (const bool has : {true, false}) {
        running::in_thread server;
        net::blocking_options options;
        options.batches = has;
        net::blocking_client client{server.address, options};
        auto stream = client.open({"demo.Echo", 3, "echoes"}, bytes_view{});
        ASSERT_TRUE(stream);
        const texts all = numbered(3'000);
        const auto some = views_of(all);
        ASSERT_TRUE(stream->write_batch({some.data(), some.size()}));
        ASSERT_TRUE(stream->finish());
        texts back;
        std::size_t reads = 0;
        for (;; ++reads) {
            const auto came = stream->read_batch([&](several chunks) {
                EXPECT_LE(chunks.size(), 256U);
                for (const bytes_view one : chunks) {
                    back.push_back(text_of(one));
                }
            });
            ASSERT_TRUE(came);
            if (*came == 0) {
                break;
            }
        }
        EXPECT_EQ(back, all);
        EXPECT_LT(reads, 1'000U);
        const auto late = stream->write_batch({some.data(), 1});
        EXPECT_FALSE(late);
    }
}

TEST_F(many, BlockingClientsSendAndReadSeveralValues) {
    begin();
    std::thread server_thread{[&] { context.run(); }};
    {
        net::blocking_client blocking{address};
        auto stream = net::open_bidi_stream<Lease, Lease>(blocking, echo, {});
        ASSERT_TRUE(stream);
        std::vector<Lease> all(2'000);
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].lease = i;
        }
        ASSERT_TRUE(stream->write_batch(all));
        ASSERT_TRUE(stream->finish());
        std::vector<Lease> some;
        std::uint64_t next = 0;
        for (auto n = stream->read_batch(some); n && *n > 0; n = stream->read_batch(some)) {
            ASSERT_EQ(some.size(), *n);
            for (const Lease& one : some) {
                EXPECT_EQ(one.lease, next++);
            }
        }
        EXPECT_EQ(next, all.size());

        auto texts_in = net::open_bidi_stream<Query, Lease>(blocking, echo, {});
        ASSERT_TRUE(texts_in);
        // Values before one that can't be decoded are there.
        auto raw = blocking.open(echo, bytes_view{});
        ASSERT_TRUE(raw);
        const auto good = *sdp::encode(Lease{7});
        const std::array<bytes_view, 3> mixed{good, std::string_view{"x"}, good};
        ASSERT_TRUE(raw->write_batch({mixed.data(), mixed.size()}));
        ASSERT_TRUE(raw->finish());
        net::blocking_receiver<Lease> typed{std::move(*raw)};
        auto read = typed.read_batch(some);
        if (read) {  // the first came alone
            EXPECT_EQ(some.size(), 1U);
            read = typed.read_batch(some);
        }
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().name, "segment_partial");
        // A value that can't be encoded is not sent; all values before it are.
        const std::vector<Query> wrong{{"one"}, {std::string(70'000, 'x')}};
        const auto sent = texts_in->write_batch(wrong);
        ASSERT_FALSE(sent);
        EXPECT_EQ(sent.error().name, "value_too_large");
    }
    context.stop();
    server_thread.join();
}

}  // namespace

}  // namespace many_values
