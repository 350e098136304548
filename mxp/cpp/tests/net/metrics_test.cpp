// The counters of requests by their methods, of servers and clients.
#include "running.hpp"

namespace metrics {

namespace {

using mxp::session::side;
using mxp::session::status;
using running::until;
namespace net = mxp::net;
using namespace std::chrono_literals;

constexpr std::string_view service = "demo.Counted";
constexpr net::method find{service, 1, "find"};

net::failure not_found() {
    net::failure why;
    why.status = status::NotFound;
    why.name = "demo_nothing";
    return why;
}

/// The counters of a method, by its name.
mxp::session::method_statistics of(const mxp::session::statistics& all, std::string_view method) {
    for (const auto& one : all.methods) {
        if (one.service == service && one.method == method) {
            return one;
        }
    }
    return {};
}

class counted : public testing::Test {
   protected:
    void begin(net::client_options with = {}) {
        net::services all;
        all.service(std::string{service})
            .call(find, [](const net::request& asked,
                           const net::responder& to) { to.respond(asked.value); })
            .call(2, [](const net::request&, const net::responder& to) { to.fail(not_found()); })
            .call(3, [this](const net::request&, const net::responder& to) { held.push_back(to); })
            .call(4, [](const net::request&,
                        const net::responder& to) { to.respond(std::vector<std::byte>(200'000)); })
            .call(7,
                  [](const net::request&, const net::responder& to) {
                      net::failure why;
                      why.status = status::Unavailable;
                      why.acted = false;
                      to.fail(why);
                  })
            .event(5,
                   [](const net::request& asked) {
                       return asked.value.empty() ? std::nullopt : std::optional{not_found()};
                   })
            .stream(6, [](const net::request& asked, const net::stream& end) {
                end.on_chunk([end, fails = !asked.value.empty()](mxp::bytes_view chunk) {
                    if (fails) {
                        end.fail(not_found());
                    } else {
                        end.send(chunk);
                    }
                });
                end.on_finish([end] { end.finish(); });
            });
        server.emplace(context, std::move(all));
        at = server->listen(folder.at("s")).value();
        with.payload_bytes = 100'000;
        client.emplace(context, at, std::move(with));
    }
    void call(const net::method& what, status end) {
        std::optional<status> came;
        client->call(what, std::string_view{"x"}, {}, [&](const net::answer& told) {
            came = told.failed ? told.failed->status : status::Ok;
        });
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        EXPECT_EQ(came, end);
    }
    void call(std::uint16_t number, status end) { call({service, number, {}}, end); }
    void event(std::string_view value, bool requires_ack) {
        bool has_ended = false;
        net::event_options with;
        with.requires_ack = requires_ack;
        client->event(service, 5, value, with, [&](const net::answer&) { has_ended = true; });
        EXPECT_TRUE(until(context, [&] { return has_ended; }));
    }
    net::stream open(std::string_view value) {
        const auto made = client->open(service, 6, value, {});
        made.on_chunk([](mxp::bytes_view) {});
        made.on_end([this](const net::failure*) { ++ended; });
        made.send(std::string_view{"chunk"});
        return made;
    }

    running::folder folder;
    asio::io_context context{1};
    std::vector<net::responder> held;
    int ended = 0;
    std::string at;
    std::optional<net::server> server;
    std::optional<net::client> client;
};

TEST_F(counted, are_requests_by_method_and_status) {
    begin();
    for (int i = 0; i < 3; ++i) {
        call(find, status::Ok);
    }
    call(2, status::NotFound);
    call(4, status::OutOfRange);
    const auto hangs =
        client->call(service, 3, std::string_view{}, {}, [&](const net::answer&) { ++ended; });
    ASSERT_TRUE(until(context, [&] { return !held.empty(); }));
    EXPECT_EQ(of(client->stats(), "3").in_flight, 1U);
    EXPECT_EQ(of(server->stats(), "3").in_flight, 1U);
    client->cancel(hangs);
    ASSERT_TRUE(until(context, [&] { return ended == 1 && held[0].is_cancelled(); }));
    EXPECT_EQ(of(server->stats(), "3").in_flight, 1U);  // the handler is still there
    held[0].respond(std::string_view{});
    for (const bool requires_ack : {true, false}) {
        event("", requires_ack);
        event("x", requires_ack);
    }
    const auto good = open("");
    good.finish();
    open("x");
    ASSERT_TRUE(until(context, [&] { return ended == 3; }));
    const auto taken_back = open("");
    ASSERT_TRUE(until(context, [&] { return of(server->stats(), "6").in_flight == 1; }));
    taken_back.cancel();
    ASSERT_TRUE(until(context, [&] { return of(server->stats(), "6").in_flight == 0; }));
    const auto stays = open("");
    ASSERT_TRUE(until(context, [&] {
        const auto all = server->stats();
        return of(all, "6").in_flight == 1 && of(all, "6").took.count() == 3 &&
               of(all, "5").took.count() == 4 && of(all, "3").in_flight == 0;
    }));

    for (const auto& [all, where] :
         {std::pair{server->stats(), side::server}, std::pair{client->stats(), side::client}}) {
        SCOPED_TRACE(where == side::client ? "client" : "server");
        ASSERT_EQ(all.methods.size(), 6U);
        EXPECT_EQ(all.methods[0].side, where);
        EXPECT_EQ(of(all, "find").requests(status::Ok), 3U);
        EXPECT_EQ(of(all, "find").took.count(), 3U);
        EXPECT_EQ(of(all, "find").in_flight, 0U);
        EXPECT_EQ(of(all, "2").requests(status::NotFound), 1U);
        EXPECT_EQ(of(all, "2").requests(status::Ok), 0U);
        EXPECT_EQ(of(all, "3").requests(status::Cancelled), 1U);
        EXPECT_EQ(of(all, "4").requests(status::OutOfRange), 1U);
        // Nobody tells a client what became of an event without an Ack.
        const auto failed = where == side::server ? 2U : 1U;
        EXPECT_EQ(of(all, "5").requests(status::NotFound), failed);
        EXPECT_EQ(of(all, "5").requests(status::Ok), 4U - failed);
        EXPECT_EQ(of(all, "6").requests(status::Ok), 1U);
        EXPECT_EQ(of(all, "6").requests(status::NotFound), 1U);
        EXPECT_EQ(of(all, "6").requests(status::Cancelled), 1U);
        EXPECT_EQ(of(all, "6").in_flight, 1U);
    }
    client->close();
    ASSERT_TRUE(until(context, [&] { return of(server->stats(), "6").in_flight == 0; }));
    EXPECT_EQ(of(client->stats(), "6").in_flight, 0U);
}

/// The text of a client's or a server's counters of `find`, with all times in the last bucket.
std::string text_of(const std::string& name, const std::string& made) {
    const std::string labels = "{side=\"" + name + "\",service=\"demo.Counted\",method=\"find\"";
    std::string text = "# TYPE mxp_requests_total counter\nmxp_requests_total" + labels +
                       ",status=\"Ok\"} 2\n" + "# TYPE mxp_requests_in_flight gauge\n" +
                       "mxp_requests_in_flight" + labels + "} 0\n" +
                       "# TYPE mxp_request_seconds histogram\n";
    // Times differ from run to run, and are left as they are.
    const auto times = made.find("mxp_request_seconds_bucket");
    return text + made.substr(times == std::string::npos ? made.size() : times);
}

TEST_F(counted, have_a_text_of_their_own) {
    begin();
    EXPECT_EQ(client->stats().prometheus().find("mxp_request"), std::string::npos);
    call(find, status::Ok);
    call(find, status::Ok);
    for (const auto& [name, all] : {std::pair{"client", client->stats().prometheus()},
                                    std::pair{"server", server->stats().prometheus()}}) {
        const std::string made = all.substr(all.find("# TYPE mxp_requests_total"));
        EXPECT_EQ(made, text_of(name, made));
        const std::string last = std::string{"mxp_request_seconds_count{side=\""} + name +
                                 "\",service=\"demo.Counted\",method=\"find\"} 2\n";
        ASSERT_GE(made.size(), last.size());
        EXPECT_EQ(made.substr(made.size() - last.size()), last);
    }
}

// A repetition by policy is a request of its own, as it is for the server.
TEST_F(counted, are_repetitions) {
    net::client_options with;
    with.retry.emplace();
    with.retry->attempts = 3;
    with.retry->least_pause = with.retry->greatest_pause = 1us;
    begin(with);
    call(7, status::Unavailable);
    for (const auto& all : {client->stats(), server->stats()}) {
        EXPECT_EQ(of(all, "7").requests(status::Unavailable), 3U);
        EXPECT_EQ(of(all, "7").in_flight, 0U);
    }
}

// A request that waits for a connection is in flight until it ends.
TEST_F(counted, are_requests_that_are_never_sent) {
    client.emplace(context, folder.at("nobody"));
    std::optional<status> came;
    net::call_options with;
    with.deadline = 1ms;
    client->call(find, std::string_view{}, with,
                 [&](const net::answer& told) { came = told.failed->status; });
    EXPECT_EQ(of(client->stats(), "find").in_flight, 1U);
    ASSERT_TRUE(until(context, [&] { return came.has_value(); }));
    EXPECT_EQ(of(client->stats(), "find").requests(*came), 1U);
    EXPECT_EQ(of(client->stats(), "find").in_flight, 0U);
}

// A call whose handler takes too long has the status that its caller was told.
TEST_F(counted, are_calls_that_are_late) {
    begin();
    ASSERT_TRUE(until(context, [&] { return client->is_connected(); }));
    std::optional<status> came;
    net::call_options with;
    with.deadline = 100ms;
    client->call(service, 3, std::string_view{}, with,
                 [&](const net::answer& told) { came = told.failed->status; });
    ASSERT_TRUE(until(context, [&] { return held.size() == 1; }));
    // Both are late by now: else the client's Cancel might come before the server looks.
    std::this_thread::sleep_for(120ms);
    ASSERT_TRUE(until(context, [&] { return came.has_value() && held[0].is_cancelled(); }));
    held.clear();
    ASSERT_TRUE(until(context, [&] { return of(server->stats(), "3").in_flight == 0; }));
    EXPECT_EQ(of(server->stats(), "3").requests(status::DeadlineExceeded), 1U);
    EXPECT_EQ(of(client->stats(), "3").requests(status::DeadlineExceeded), 1U);
}

TEST_F(counted, are_handlers_that_throw) {
    net::services all;
    all.service(std::string{service})
        .call(find, [](const net::request&, const net::responder&) { throw 1; })
        .event(5, [](const net::request&) { throw 1; });
    server.emplace(context, std::move(all));
    client.emplace(context, server->listen(folder.at("s")).value());
    client->call(find, std::string_view{}, {}, {});
    EXPECT_THROW(until(context, [] { return false; }), int);
    client->event(service, 5, std::string_view{}, {}, {});
    EXPECT_THROW(until(context, [] { return false; }), int);
    for (const auto* const method : {"find", "5"}) {
        EXPECT_EQ(of(server->stats(), method).requests(status::Internal), 1U) << method;
        EXPECT_EQ(of(server->stats(), method).in_flight, 0U) << method;
    }
}

// Requests of handlers to their callers belong to the server's counters.
TEST_F(counted, are_requests_back) {
    net::client_options with;
    with.services.service("demo.Back")
        .call(7,
              [](const net::request& asked, const net::responder& to) { to.respond(asked.value); });
    net::services all;
    all.service(std::string{service})
        .call(find, [](const net::request& asked, const net::responder& to) {
            asked.client()->call("demo.Back", 7, std::string_view{}, {},
                                 [to](const net::answer& came) {
                                     EXPECT_FALSE(came.failed);
                                     to.respond(std::string_view{});
                                 });
        });
    server.emplace(context, std::move(all));
    client.emplace(context, server->listen(folder.at("s")).value(), with);
    call(find, status::Ok);
    const auto there = server->stats().methods;
    const auto here = client->stats().methods;
    ASSERT_EQ(there.size(), 2U);
    ASSERT_EQ(here.size(), 2U);
    EXPECT_EQ(there[0].service + "/" + there[0].method, "demo.Back/7");
    EXPECT_EQ(there[0].side, side::client);
    EXPECT_EQ(there[0].requests(status::Ok), 1U);
    EXPECT_EQ(here[1].service + "/" + here[1].method, "demo.Back/7");
    EXPECT_EQ(here[1].side, side::server);
    EXPECT_EQ(here[1].requests(status::Ok), 1U);
}

// A blocking client counts its own, too.
TEST(counted_blocking, are_requests_by_method_and_status) {
    running::in_thread server;
    net::blocking_client client{server.address};
    EXPECT_TRUE(client.call({"demo.Echo", 1, "echo"}, mxp::bytes_view{}));
    EXPECT_FALSE(client.call("demo.Echo", 2, mxp::bytes_view{}));
    EXPECT_TRUE(client.event("demo.Echo", 4, mxp::bytes_view{}));
    {
        auto stream = client.open({"demo.Echo", 3, {}}, mxp::bytes_view{});
        ASSERT_TRUE(stream);
        ASSERT_EQ(client.stats().methods.size(), 4U);
        EXPECT_EQ(client.stats().methods[1].in_flight, 1U);
    }
    const auto made = client.stats().methods;
    const std::vector<std::pair<std::string, status>> ends{{"2", status::FailedPrecondition},
                                                           {"3", status::Cancelled},
                                                           {"4", status::Ok},
                                                           {"echo", status::Ok}};
    ASSERT_EQ(made.size(), ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) {
        EXPECT_EQ(made[i].service, "demo.Echo");
        EXPECT_EQ(made[i].method, ends[i].first);
        EXPECT_EQ(made[i].requests(ends[i].second), 1U);
        EXPECT_EQ(made[i].took.count(), 1U);
        EXPECT_EQ(made[i].in_flight, 0U);
    }
}

}  // namespace

}  // namespace metrics
