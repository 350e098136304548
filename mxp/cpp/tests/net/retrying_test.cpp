// Requests that are made again, by a policy or by an interceptor [MXP-14.8].
#include "running.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;
using namespace std::chrono_literals;
using mxp::session::status;

namespace retrying {

namespace {

constexpr net::method ask{"demo.Fails", 1, "ask"};
constexpr net::method find{"demo.Fails", 1, "find", true};
constexpr net::method note{"demo.Fails", 2, "note"};

net::failure unavailable(bool has_acted) {
    net::failure why;
    why.status = status::Unavailable;
    why.name = "busy";
    why.acted = has_acted;
    return why;
}

net::retry_policy brief(std::size_t attempts = 3) {
    net::retry_policy made;
    made.attempts = attempts;
    made.least_pause = made.greatest_pause = 1us;
    return made;
}

/// A server that fails with something so many times, and then answers.
class repeated : public testing::Test {
   protected:
    void serve() {
        net::services all;
        all.service("demo.Fails")
            .call(1,
                  [this](const net::request& asked, const net::responder& to) {
                      ++made;
                      std::string token;
                      for (const auto& one : asked.metadata) {
                          token += std::string{one.key()} + "=" + text_of(one.value());
                      }
                      tokens.push_back(token);
                      if (made <= failing) {
                          to.fail(why);
                      } else {
                          to.respond(asked.value);
                      }
                  })
            .event(2, [this](const net::request&) {
                return ++made <= failing ? std::optional{why} : std::nullopt;
            });
        server.emplace(context, std::move(all));
        at = server->listen(folder.at("s")).value();
    }
    void begin() {
        serve();
        client.emplace(context, at, how);
    }
    std::string call(const net::method& of, const net::call_options& with = {}) {
        std::optional<std::string> came;
        client->call(of, std::string_view{"x"}, with, [&](const net::answer& told) {
            came = told.failed ? told.failed->name : text_of(told.value);
        });
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        return came.value_or("");
    }

    running::folder folder;
    asio::io_context context{1};
    net::failure why = unavailable(false);
    int failing = 0;
    int made = 0;
    std::vector<std::string> tokens;
    std::string at;
    net::client_options how;
    std::optional<net::server> server;
    std::optional<net::client> client;
};

TEST_F(repeated, is_what_nobody_has_acted_on_or_what_is_idempotent) {
    struct {
        const char* what;
        const net::method& method;
        net::failure why;
        int failing;
        int made;
        const char* end;
        std::optional<net::retry_policy> own;
    } const cases[] = {
        {"once", ask, unavailable(false), 1, 2, "x", {}},
        {"twice", ask, unavailable(false), 2, 3, "x", {}},
        {"no more", ask, unavailable(false), 9, 3, "busy", {}},
        {"acted on", ask, unavailable(true), 9, 1, "busy", {}},
        {"idempotent", find, unavailable(true), 2, 3, "x", {}},
        {"another status", find, {status::Internal, "broken", {}, {}, false}, 9, 1, "broken", {}},
        {"by its own policy", ask, unavailable(false), 3, 4, "x", brief(4)},
        {"by none", ask, unavailable(false), 9, 1, "busy", brief(1)},
    };
    how.retry = brief();
    how.retry->budget = 10;
    begin();
    for (const auto& one : cases) {
        SCOPED_TRACE(one.what);
        why = one.why;
        failing = one.failing;
        made = 0;
        net::call_options with;
        with.retry = one.own;
        EXPECT_EQ(call(one.method, with), one.end);
        EXPECT_EQ(made, one.made);
    }
    EXPECT_EQ(client->stats().retries, 10U);
    EXPECT_EQ(client->stats().retries_over_budget, 0U);
}

TEST_F(repeated, are_events_that_are_acknowledged) {
    how.retry = brief();
    failing = 2;
    begin();
    std::optional<bool> is_taken;
    net::event_options acked;
    acked.requires_ack = true;
    client->event(note, std::string_view{}, acked,
                  [&](const net::answer& came) { is_taken = !came.failed; });
    EXPECT_TRUE(until(context, [&] { return is_taken.has_value(); }));
    EXPECT_EQ(is_taken, true);
    EXPECT_EQ(made, 3);
}

TEST_F(repeated, is_nothing_unless_the_user_says_so) {
    failing = 9;
    begin();
    EXPECT_EQ(call(find), "busy");
    EXPECT_EQ(made, 1);
}

TEST_F(repeated, is_no_more_than_the_budget_has) {
    how.retry = brief(100);
    how.retry->budget = 0.5;
    failing = 1000;
    begin();
    EXPECT_EQ(call(ask), "busy");
    EXPECT_EQ(made, 11);
    EXPECT_EQ(call(ask), "busy");
    EXPECT_EQ(made, 12);
    EXPECT_EQ(call(ask), "busy");
    EXPECT_EQ(made, 14) << "two requests have earned one repetition";
    EXPECT_EQ(client->stats().retries, 11U);
    EXPECT_EQ(client->stats().retries_over_budget, 3U);
    EXPECT_NE(client->stats().prometheus().find("mxp_retries_total 11\n"), std::string::npos);
}

TEST_F(repeated, is_nothing_that_would_be_later_than_its_deadline) {
    how.retry.emplace();
    how.retry->least_pause = how.retry->greatest_pause = 1h;
    failing = 9;
    begin();
    net::call_options with;
    with.deadline = 30min;
    EXPECT_EQ(call(ask, with), "busy");
    EXPECT_EQ(client->stats().retries_over_budget, 0U);
}

TEST_F(repeated, can_be_taken_back_in_the_pause) {
    how.retry.emplace();
    how.retry->least_pause = how.retry->greatest_pause = 1h;
    failing = 9;
    begin();
    std::string end;
    const auto ticket = client->call(ask, std::string_view{}, {}, [&](const net::answer& came) {
        end = came.failed ? came.failed->name : "";
    });
    ASSERT_TRUE(until(context, [&] { return client->stats().retries == 1; }));
    client->cancel(ticket);
    EXPECT_TRUE(until(context, [&] { return end == "cancelled"; }));
}

TEST_F(repeated, is_seen_once_by_interceptors) {
    std::vector<std::string> seen;
    how.interceptors = {[&](net::outgoing_request& asked) {
        seen.emplace_back("asked");
        asked.on_end([&](const net::answer& came) {
            seen.push_back(came.failed ? came.failed->name : "fine");
        });
    }};
    how.retry = brief();
    failing = 2;
    begin();
    EXPECT_EQ(call(ask), "x");
    EXPECT_EQ(seen, (std::vector<std::string>{"asked", "fine"}));
}

TEST_F(repeated, is_what_a_blocking_client_asks) {
    serve();
    failing = 2;
    std::string end;
    std::thread asking{[&] {
        net::blocking_options with;
        with.retry = brief();
        net::blocking_client blocking{at, with};
        const auto came = blocking.call(ask, running::bytes(1));
        end = came ? "fine" : came.error().name;
        EXPECT_EQ(blocking.stats().retries, 2U);
        asio::post(context, [&] { context.stop(); });
    }};
    const auto works = asio::make_work_guard(context);
    context.run();
    asking.join();
    EXPECT_EQ(end, "fine");
    EXPECT_EQ(made, 3);
}

net::metadata token(const std::string& text) {
    const auto* const from = reinterpret_cast<const std::byte*>(text.data());
    return {{"token", {from, from + text.size()}}};
}

// A request that has waited for a connection for as long as it may is not made again. [MXP-14.4]
TEST_F(repeated, is_nothing_that_has_found_no_connection) {
    constexpr auto most = 200ms;
    const std::string nowhere = folder.at("none");
    const auto expect_once = [&](const std::optional<net::failure>& ended,
                                 std::chrono::steady_clock::duration took) {
        ASSERT_TRUE(ended);
        EXPECT_EQ(ended->name, "not_connected");
        EXPECT_TRUE(took >= most && took < 2 * most) << took.count();
    };
    net::client_options options;
    options.retry = brief();
    options.connect_timeout = most;
    net::client alone{context, nowhere, options};
    std::optional<net::failure> ended;
    auto begun = std::chrono::steady_clock::now();
    alone.call(find, std::string_view{"x"}, {},
               [&](const net::answer& came) { ended = came.failed; });
    ASSERT_TRUE(until(context, [&] { return ended.has_value(); }));
    expect_once(ended, std::chrono::steady_clock::now() - begun);
    net::blocking_options with;
    with.retry = brief();
    with.connect_timeout = most;
    net::blocking_client blocking{nowhere, with};
    begun = std::chrono::steady_clock::now();
    const auto came = blocking.call(find, std::string_view{"x"});
    ASSERT_FALSE(came);
    expect_once(came.error(), std::chrono::steady_clock::now() - begun);
}

// As one that asks for a fresh token does, which takes its time.
TEST_F(repeated, is_what_an_interceptor_holds_back_and_asks_again) {
    why.status = status::Unauthenticated;
    failing = 1;
    std::vector<std::string> outer;
    std::vector<std::string> inner;
    const auto note_in = [](std::vector<std::string>& to) {
        return [&to](net::outgoing_request& asked) {
            asked.on_end([&to](const net::answer& came) {
                to.push_back(came.failed ? came.failed->name : "fine");
            });
        };
    };
    how.interceptors = {
        note_in(outer),
        [this](net::outgoing_request& asked) {
            asked.metadata = token("old");
            asked.on_end([this](net::answer& came) {
                if (!came.failed || came.failed->status != status::Unauthenticated) {
                    EXPECT_FALSE(came.hold());
                    return;
                }
                asio::post(context, [later = came.hold().value()] { later.ask(token("fresh")); });
                EXPECT_FALSE(came.hold()) << "it is held already";
            });
        },
        note_in(inner)};
    begin();
    EXPECT_EQ(call(ask), "x");
    EXPECT_EQ(tokens, (std::vector<std::string>{"token=old", "token=fresh"}));
    EXPECT_EQ(outer, std::vector<std::string>{"fine"});
    EXPECT_EQ(inner, (std::vector<std::string>{"busy", "fine"}));
}

TEST_F(repeated, is_nothing_that_an_interceptor_lets_go_of) {
    failing = 9;
    how.interceptors = {[](net::outgoing_request& asked) {
        asked.on_end([](net::answer& came) { static_cast<void>(came.hold()); });
    }};
    begin();
    EXPECT_EQ(call(ask), "busy");
    EXPECT_EQ(made, 1);
}

}  // namespace

}  // namespace retrying
