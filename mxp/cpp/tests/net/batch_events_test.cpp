// Events that are sent several at once.
#include <algorithm>
#include <list>
#include <set>
#include <string>
#include <vector>

#include "many.hpp"

namespace many_values {

namespace {

/// Is told the end of events, and how often.
struct end_told {
    std::size_t times = 0;
    std::string how;

    [[nodiscard]] auto by_number() {
        return [this](const net::answer& came) { note(came.failed ? &*came.failed : nullptr); };
    }
    [[nodiscard]] net::callback<void> by_type() {
        return [this](const net::outcome<void>& came) { note(came ? nullptr : &came.error()); };
    }
    void note(const net::failure* why) {
        ++times;
        how = why == nullptr ? "fine" : why->name;
    }
};

[[nodiscard]] std::uint64_t frames_of(const mxp::session::statistics& all) {
    return all.in(mxp::frame_type::events).frames + all.in(mxp::frame_type::event).frames;
}

TEST_F(many, EventsOfARangeComeInTheirOrderWithAndWithoutBatches) {
    const texts all = numbered(20'000);
    for (const auto& [mine, theirs] : {std::pair{true, true}, {true, false}, {false, true}}) {
        client_how.batches = mine;
        server_how.batches = theirs;
        begin();
        // Once before there is a connection, and once on one.
        for (const bool is_connected : {false, true}) {
            EXPECT_EQ(client->is_connected(), is_connected);
            came.clear();
            const std::uint64_t before = frames_of(server->stats());
            end_told end;
            client->events(told, all, {}, end.by_number());
            EXPECT_EQ(end.times, 0U);
            ASSERT_TRUE(until(context, [&] { return end.times > 0 && came.size() == all.size(); }));
            EXPECT_EQ(end.how, "fine");
            EXPECT_EQ(end.times, 1U);
            EXPECT_EQ(came, all);
            const std::uint64_t frames = frames_of(server->stats()) - before;
            if (mine && theirs) {
                EXPECT_LT(frames, all.size() / 100);
            } else {
                EXPECT_EQ(frames, all.size());
            }
        }
        const auto stats = client->stats();
        ASSERT_EQ(stats.methods.size(), 1U);
        EXPECT_EQ(stats.methods[0].ended[0], 2 * all.size());
        EXPECT_EQ(stats.methods[0].in_flight, 0U);
        client.reset();
        server.reset();
        services = {};
    }
}

TEST_F(many, EventsOfSeveralRangesAndOthersComeInTheirOrder) {
    begin();
    texts all = numbered(1'000);
    all[3] = std::string(4'097, 'x');     // no batch takes it
    all[500] = std::string(10'000, 'y');  // nor is it copied
    all[501].clear();
    end_told end;
    for (std::size_t i = 0; i < all.size(); i += 100) {
        const texts some(all.begin() + static_cast<std::ptrdiff_t>(i),
                         all.begin() + static_cast<std::ptrdiff_t>(i + 99));
        client->events(told, some, {}, end.by_number());
        client->event(told, bytes_view{all[i + 99]}, {}, {});
    }
    ASSERT_TRUE(until(context, [&] { return came.size() == all.size() && end.times == 10; }));
    EXPECT_EQ(came, all);
}

TEST_F(many, NoEventsAreToldToHaveEnded) {
    begin();
    for (const bool has_ack : {false, true}) {
        end_told end;
        net::event_options how;
        how.requires_ack = has_ack;
        client->events(told, {}, how, end.by_number());
        EXPECT_EQ(end.times, 0U);
        ASSERT_TRUE(until(context, [&] { return end.times == 1; }));
        EXPECT_EQ(end.how, "fine");
    }
    client->events(told, texts{"x"}, {}, {});
    ASSERT_TRUE(until(context, [&] { return came.size() == 1; }));
}

TEST_F(many, EventsWaitForRoomOrAreDropped) {
    client_how.limits.queue_bytes = 5'000;
    begin();
    const texts all(2'000, std::string(100, 'x'));
    ASSERT_TRUE(until(context, [&] { return client->is_connected(); }));
    end_told end;
    client->events(told, all, {}, end.by_number());
    ASSERT_TRUE(until(context, [&] { return end.times > 0 && came.size() == all.size(); }));
    EXPECT_EQ(end.how, "fine");
    EXPECT_EQ(end.times, 1U);
    for (const auto full :
         {mxp::session::when_full::drop_oldest, mxp::session::when_full::drop_newest}) {
        came.clear();
        net::event_options how;
        how.full = full;
        end_told dropped;
        client->events(told, numbered(2'000), how, dropped.by_number());
        ASSERT_TRUE(until(context, [&] { return dropped.times > 0 && !came.empty(); }));
        EXPECT_EQ(dropped.how, "fine");
        EXPECT_LT(came.size(), 1'000U);
        const bool is_newest = full == mxp::session::when_full::drop_newest;
        EXPECT_EQ(came.front() == "message 0", is_newest);
        EXPECT_EQ(came.back() == "message 1999", !is_newest);
    }
}

TEST_F(many, EventsBeforeOneThatIsTooLargeAreSentAndTheFailureIsToldOnce) {
    server_how.payload_bytes = 65'536;
    begin();
    texts all = numbered(1'000);
    all[700] = std::string(70'000, 'x');
    for (int i = 0; i < 2; ++i) {
        came.clear();
        end_told end;
        client->events(told, all, {}, end.by_number());
        ASSERT_TRUE(until(context, [&] { return end.times > 0 && came.size() == 700; }));
        static_cast<void>(until(
            context, [&] { return came.size() > 700; }, std::chrono::milliseconds{20}));
        EXPECT_EQ(end.how, "payload_too_large");
        EXPECT_EQ(end.times, 1U);
        EXPECT_EQ(came, texts(all.begin(), all.begin() + 700));
    }
    const auto stats = client->stats();
    ASSERT_EQ(stats.methods.size(), 1U);
    EXPECT_EQ(stats.methods[0].ended[0], 1'400U);
    EXPECT_EQ(stats.methods[0].in_flight, 0U);
}

TEST_F(many, ValuesAreEventsUntilOneCanNotBeEncoded) {
    begin();
    std::list<Query> all;
    for (int i = 0; i < 500; ++i) {
        all.push_back({std::to_string(i)});
    }
    end_told end;
    net::send_all<Query>(*client, told, all, end.by_type(), {});
    ASSERT_TRUE(until(context, [&] { return end.times > 0 && came.size() == 500; }));
    EXPECT_EQ(end.how, "fine");
    EXPECT_EQ(sdp::decode<Query>(bytes_view{came[499]})->capability, "499");
    // A text's length has 16 bits.
    const std::vector<Query> some{{"one"}, {std::string(70'000, 'x')}, {"three"}};
    end_told failed;
    net::send_all<Query>(*client, told, some, failed.by_type(), {});
    ASSERT_TRUE(until(context, [&] { return failed.times > 0 && came.size() == 501; }));
    net::send_all<Query>(*client, told, some, {}, {});
    ASSERT_TRUE(until(context, [&] { return came.size() == 502; }));
    EXPECT_EQ(failed.how, "value_too_large");
    EXPECT_EQ(failed.times, 1U);
}

TEST_F(many, EventsThatWereNotGivenOutAreMadeAgainAndNoneTwice) {
    begin();
    texts all = numbered(4'000);
    for (std::string& one : all) {
        one.resize(1'000, '.');
    }
    end_told end;
    client->events(told, all, {}, end.by_number());
    ASSERT_TRUE(until(context, [&] { return came.size() > 100; }));
    EXPECT_EQ(end.times, 0U);
    server.reset();
    net::services again;
    again.service(service, net::types_of<Lease>())
        .events(told, [this](const net::request&, several values) -> std::optional<net::failure> {
            for (const bytes_view one : values) {
                back.push_back(text_of(one));
            }
            return std::nullopt;
        });
    server.emplace(context, std::move(again), server_how);
    ASSERT_TRUE(server->listen(address));
    ASSERT_TRUE(until(context, [&] { return end.times > 0; }));
    static_cast<void>(until(
        context, [&] { return end.times > 1; }, std::chrono::milliseconds{50}));
    EXPECT_EQ(end.times, 1U);
    EXPECT_EQ(end.how, "fine");
    EXPECT_GT(back.size(), 1'000U);
    std::set<std::string> seen(came.begin(), came.end());
    seen.insert(back.begin(), back.end());
    EXPECT_EQ(seen.size(), came.size() + back.size());
    EXPECT_EQ(client->stats().methods[0].in_flight, 0U);
}

TEST_F(many, EventsThatFindNobodyFailOnce) {
    client_how.connect_timeout = std::chrono::milliseconds{20};
    client.emplace(context, folder.at("nobody"), client_how);
    for (const bool has_ack : {false, true}) {
        net::event_options how;
        how.requires_ack = has_ack;
        end_told end;
        client->events(told, numbered(1'000), how, end.by_number());
        ASSERT_TRUE(until(context, [&] { return end.times > 0; }));
        static_cast<void>(until(
            context, [&] { return end.times > 1; }, std::chrono::milliseconds{20}));
        EXPECT_EQ(end.how, "not_connected");
        EXPECT_EQ(end.times, 1U);
    }
    end_told closed;
    client->events(told, numbered(1'000), {}, closed.by_number());
    client.reset();
    ASSERT_TRUE(until(context, [&] { return closed.times > 0; }));
    EXPECT_EQ(closed.times, 1U);
}

TEST_F(many, EventsThatRequireAcksAreTakenBeforeTheirEndIsTold) {
    begin();
    const texts all = numbered(2'000);
    net::event_options how;
    how.requires_ack = true;
    end_told end;
    client->events(told, all, how, end.by_number());
    ASSERT_TRUE(until(context, [&] { return end.times > 0; }));
    EXPECT_EQ(came, all);
    EXPECT_EQ(end.how, "fine");
    came.clear();
    texts some = all;
    some[10] = "no";
    end_told failed;
    client->events(told, some, how, failed.by_number());
    ASSERT_TRUE(until(context, [&] { return failed.times > 0; }));
    EXPECT_EQ(failed.how, "unwanted");
    EXPECT_LT(came.size(), 1'000U);
    static_cast<void>(until(
        context, [&] { return failed.times > 1; }, std::chrono::milliseconds{20}));
    EXPECT_EQ(failed.times, 1U);
}

TEST_F(many, InterceptorsSeeEachOfSeveralEvents) {
    std::size_t shown = 0;
    std::size_t over = 0;
    client_how.interceptors.emplace_back([&](net::outgoing_request& asked) {
        if (++shown == 1'500) {
            asked.refuse(named("enough"));
        }
        asked.on_end([&](net::answer&) { ++over; });
    });
    begin();
    const texts all = numbered(5'000);
    end_told end;
    client->events(told, all, {}, end.by_number());
    ASSERT_TRUE(until(context, [&] { return end.times > 0; }));
    EXPECT_EQ(end.how, "enough");
    EXPECT_EQ(shown, over);
    EXPECT_LT(shown, 2'000U);
    ASSERT_TRUE(until(context, [&] { return came.size() == shown - 1; }));
    EXPECT_EQ(end.times, 1U);
}

/// A blocking client, and a server on a thread of its own that counts its events.
struct blocking_sent {
    explicit blocking_sent(net::blocking_options how, net::server_options theirs = {})
        : server(theirs), client(server.address, std::move(how)) {}
    [[nodiscard]] bool has_come(std::size_t n) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (std::chrono::steady_clock::now() < end) {
            if (server.ask([](net::server&, running::seen& by) { return by.events; }) == n) {
                return true;
            }
        }
        return false;
    }

    running::in_thread server;
    net::blocking_client client;
};

constexpr net::method counted{"demo.Echo", 4, "counted"};

TEST(BlockingEvents, ShareFramesWhereBothSidesTakeThat) {
    for (const auto& [mine, theirs] : {std::pair{true, true}, {true, false}, {false, true}}) {
        net::blocking_options how;
        how.batches = mine;
        net::server_options serving;
        serving.batches = theirs;
        blocking_sent by{how, serving};
        const std::size_t n = 20'000;
        ASSERT_TRUE(by.client.events(counted, numbered(n)));
        EXPECT_TRUE(by.has_come(n));
        const std::uint64_t frames = frames_of(by.server.stats());
        EXPECT_EQ(frames < n / 100, mine && theirs) << frames;
        const auto stats = by.client.stats();
        EXPECT_EQ(stats.methods[0].ended[0], n);
        EXPECT_EQ(stats.methods[0].in_flight, 0U);
        // With an Ack each is a request of its own.
        net::event_options acked;
        acked.requires_ack = true;
        ASSERT_TRUE(by.client.events(counted, numbered(100), acked));
        EXPECT_EQ(by.server.ask([](net::server&, running::seen& of) { return of.events; }),
                  n + 100);
        ASSERT_TRUE(by.client.events(counted, {}));
    }
}

TEST(BlockingEvents, ThoseBeforeAFailureAreSent) {
    net::server_options serving;
    serving.payload_bytes = 65'536;
    blocking_sent by{{}, serving};
    texts all = numbered(1'000);
    all[700] = std::string(70'000, 'x');
    const auto came = by.client.events(counted, all);
    ASSERT_FALSE(came);
    EXPECT_EQ(came.error().name, "payload_too_large");
    EXPECT_TRUE(by.has_come(700));
    EXPECT_EQ(by.client.stats().methods[0].ended[0], 700U);
    EXPECT_EQ(by.client.stats().methods[0].took.count(), 701U);
    std::vector<Query> some(1'000, Query{"one"});
    some[500].capability = std::string(70'000, 'x');
    const auto failed = net::send_all<Query>(by.client, counted, some, {});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().name, "value_too_large");
    EXPECT_TRUE(by.has_come(1'200));
    some.resize(500);
    EXPECT_TRUE(net::send_all<Query>(by.client, counted, some, {}));
    EXPECT_TRUE(by.has_come(1'700));
}

TEST(BlockingEvents, InterceptorsSeeEach) {
    std::size_t shown = 0;
    net::blocking_options how;
    how.interceptors.emplace_back([&](net::outgoing_request& asked) {
        if (++shown == 11) {
            net::failure why;
            why.name = "enough";
            asked.refuse(why);
        }
    });
    blocking_sent by{how};
    const auto came = by.client.events(counted, numbered(20));
    ASSERT_FALSE(came);
    EXPECT_EQ(came.error().name, "enough");
    EXPECT_EQ(shown, 11U);
    EXPECT_TRUE(by.has_come(10));
}

}  // namespace

}  // namespace many_values
