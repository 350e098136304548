// The interceptors that see requests on their way.
#include "running.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;
using mxp::session::purpose;

namespace intercepting_tests {

namespace {

constexpr net::method echo{"demo.Echo", 1, "echo"};
constexpr net::method upper{"demo.Echo", 3, "upper"};
constexpr net::method tick{"demo.Echo", 4, "tick"};

const char* kind_of(purpose of) {
    return of == purpose::call ? "call" : of == purpose::stream ? "stream" : "event";
}

std::string name_of(const std::optional<net::failure>& of) { return of ? of->name : "fine"; }

net::failure denied() {
    net::failure why;
    why.status = mxp::session::status::PermissionDenied;
    why.name = "denied";
    return why;
}

/// A server and a client with interceptors that write down what they see.
class intercepting : public testing::Test {
   protected:
    intercepting() {
        services.service("demo.Echo")
            .call(
                1,
                [this](const net::request& asked, const net::responder& to) {
                    log.push_back("handler " + text_of(asked.value));
                    if (text_of(asked.value) == "drop") {
                        return;
                    }
                    to.respond(asked.value);
                },
                "echo")
            .stream(
                3,
                [this](const net::request&, const net::stream& on) {
                    log.emplace_back("handler");
                    on.on_chunk([on](mxp::bytes_view chunk) { on.send(chunk); });
                    on.on_finish([on] { on.finish(); });
                },
                "upper")
            .event(
                4, [this](const net::request&) { log.emplace_back("handler"); }, "tick");
    }

    void begin() {
        server.emplace(context, std::move(services));
        const auto at = server->listen(folder.at("s")).value();
        client.emplace(context, at, std::move(how));
    }

    net::incoming_interceptor at_server(const std::string& name) {
        return [this, name](net::incoming_request& asked) {
            log.push_back(name + " " + std::string{asked.method.service} + "/" +
                          std::string{asked.method.name} + " " + kind_of(asked.kind));
            asked.on_end([this, name](const net::answer_end& end) {
                log.push_back(name + " " + name_of(end.failed));
            });
        };
    }
    net::outgoing_interceptor at_client(const std::string& name) {
        return [this, name](net::outgoing_request& asked) {
            log.push_back(name + " " + std::string{asked.method.name} + " " + kind_of(asked.kind));
            asked.on_end([this, name](const net::answer& end) {
                log.push_back(name + " " + name_of(end.failed));
            });
        };
    }

    /// How a call ends, and with which value.
    std::pair<std::string, std::string> call(const std::string& text,
                                             net::call_options asked = {}) {
        std::optional<std::pair<std::string, std::string>> came;
        client->call(echo, text, std::move(asked), [&](const net::answer& told) {
            came.emplace(name_of(told.failed), text_of(told.value));
        });
        EXPECT_FALSE(came) << "it is told from within";
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        return came.value_or(std::pair<std::string, std::string>{});
    }
    std::string event() {
        std::optional<std::string> came;
        net::event_options acked;
        acked.requires_ack = true;
        client->event(tick, std::string_view{}, acked,
                      [&](const net::answer& told) { came = name_of(told.failed); });
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        return came.value_or("");
    }
    std::string stream() {
        std::optional<std::string> came;
        const auto on = client->open(upper, mxp::bytes_view{}, {});
        on.on_end([&](const net::failure* why) { came = why == nullptr ? "fine" : why->name; });
        on.finish();
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        EXPECT_TRUE(until(context, [&] { return server->stats().in_flight_peer == 0; }));
        return came.value_or("");
    }

    running::folder folder;
    asio::io_context context{1};
    std::vector<std::string> log;
    net::services services;
    net::client_options how;
    std::optional<net::server> server;
    std::optional<net::client> client;
};

using lines = std::vector<std::string>;

TEST_F(intercepting, the_first_that_is_given_is_the_outermost) {
    how.interceptors = {at_client("a"), at_client("b")};
    services.intercept(at_server("c")).intercept(at_server("d"));
    begin();
    EXPECT_EQ(call("x").second, "x");
    EXPECT_EQ(log,
              (lines{"a echo call", "b echo call", "c demo.Echo/echo call", "d demo.Echo/echo call",
                     "handler x", "d fine", "c fine", "b fine", "a fine"}));
    log.clear();
    EXPECT_EQ(event(), "fine");
    EXPECT_EQ(log,
              (lines{"a tick event", "b tick event", "c demo.Echo/tick event",
                     "d demo.Echo/tick event", "handler", "d fine", "c fine", "b fine", "a fine"}));
    log.clear();
    EXPECT_EQ(stream(), "fine");
    std::sort(log.begin(), log.end());  // both sides have seen the end by themselves
    EXPECT_EQ(log, (lines{"a fine", "a upper stream", "b fine", "b upper stream",
                          "c demo.Echo/upper stream", "c fine", "d demo.Echo/upper stream",
                          "d fine", "handler"}));
}

TEST_F(intercepting, what_a_server_refuses_no_handler_sees) {
    services.intercept(at_server("c"))
        .intercept([](net::incoming_request& asked) { asked.refuse(denied()); })
        .intercept(at_server("unseen"));
    begin();
    EXPECT_EQ(call("x").first, "denied");
    EXPECT_EQ(event(), "denied");
    EXPECT_EQ(stream(), "denied");
    EXPECT_EQ(log, (lines{"c demo.Echo/echo call", "c denied", "c demo.Echo/tick event", "c denied",
                          "c demo.Echo/upper stream", "c denied"}));
}

TEST_F(intercepting, what_a_client_refuses_is_not_sent) {
    how.interceptors = {at_client("a"),
                        [](net::outgoing_request& asked) { asked.refuse(denied()); },
                        at_client("unseen")};
    begin();
    EXPECT_EQ(call("x").first, "denied");
    EXPECT_EQ(event(), "denied");
    EXPECT_EQ(stream(), "denied");
    EXPECT_EQ(log, (lines{"a echo call", "a denied", "a tick event", "a denied", "a upper stream",
                          "a denied"}));
}

TEST_F(intercepting, values_and_metadata_can_be_changed) {
    std::string seen;
    how.interceptors = {[&](net::outgoing_request& asked) {
        asked.metadata.emplace_back("key", std::vector<std::byte>{std::byte{'k'}});
        asked.value = std::vector<std::byte>(3, std::byte{'a'});
        asked.on_end([&, more = std::string{"changed"}](net::answer& came) {
            seen = text_of(came.value);
            for (const auto& one : came.metadata) {
                seen += " " + std::string{one.key()} + "=" + text_of(one.value());
            }
            came.value = more;
        });
    }};
    services.intercept([](net::incoming_request& asked) {
        ASSERT_EQ(asked.request.metadata.size(), 1U);
        EXPECT_EQ((*asked.request.metadata.begin()).key(), "key");
        asked.request.value = std::string_view{"bb"};
        asked.on_end([](net::answer_end& end) {
            end.metadata.emplace_back("seen", std::vector<std::byte>{std::byte{'s'}});
            auto longer = std::move(end.value).own();
            longer.push_back(std::byte{'!'});
            end.value = std::move(longer);
        });
    });
    begin();
    EXPECT_EQ(call("x"), (std::pair<std::string, std::string>{"fine", "changed"}));
    EXPECT_EQ(seen, "bb! seen=s");
    EXPECT_EQ(log, lines{"handler bb"});
}

TEST_F(intercepting, the_end_of_what_nobody_answers_is_told) {
    services.intercept(at_server("c"));
    begin();
    EXPECT_EQ(call("drop").first, "cancelled");
    EXPECT_EQ(log, (lines{"c demo.Echo/echo call", "handler drop", "c cancelled"}));
}

}  // namespace

}  // namespace intercepting_tests
