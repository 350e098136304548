// The texts of failures.
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "mxp/engine/failure_text.hpp"
#include "running.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;
namespace ms = mxp::session;
using namespace std::chrono_literals;

namespace failure_tests {

namespace {

constexpr const char* echo_service = "demo.Echo";

/// The rows of a table that all languages test.
std::vector<std::vector<std::string>> table(const std::string& name) {
    const std::string here = __FILE__;
    std::ifstream file{here.substr(0, here.rfind('/')) + "/../../../testdata/" + name};
    std::vector<std::vector<std::string>> rows;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::vector<std::string> row(1);
        for (const char c : line) {
            if (c == '\t') {
                row.emplace_back();
            } else {
                row.back() += c;
            }
        }
        rows.push_back(row);
    }
    EXPECT_FALSE(rows.empty());
    return rows;
}

TEST(failures, have_one_text) {
    for (const auto& row : table("failures.tsv")) {
        ASSERT_EQ(row.size(), 7U);
        net::failure why;
        why.method = row[0];
        why.peer = row[1];
        why.status = static_cast<ms::status>(std::stoi(row[2]));
        why.name = row[3];
        why.text = row[4];
        why.acted = row[5] == "yes";
        EXPECT_EQ(to_string(why), row[6]);
    }
}

TEST(failures, name_times_alike) {
    for (const auto& row : table("times.tsv")) {
        ASSERT_EQ(row.size(), 2U);
        EXPECT_EQ(mxp::engine::span_text(std::chrono::microseconds{std::stoll(row[0])}), row[1]);
    }
}

#if !defined(__cpp_lib_expected)
TEST(failures, are_said_by_exceptions) {
    net::failure why;
    why.name = "odd";
    const net::outcome<int> none = net::failed_outcome{why};
    try {
        static_cast<void>(none.value());
        FAIL() << "there was a value";
    } catch (const std::exception& thrown) {
        EXPECT_STREQ(thrown.what(), "Unknown (2) odd");
    }
}
#endif

/// A server of requests that fail, and a client of it.
class failing : public testing::Test {
   protected:
    void start(net::server_options serving = {}, net::client_options asking = {}) {
        net::services all;
        auto& one = all.service(echo_service);
        one.call(1,
                 [](const net::request& asked, const net::responder& to) {
                     running::bytes many;
                     for (int i = 0; i < 100; ++i) {
                         many.insert(many.end(), asked.value.begin(), asked.value.end());
                     }
                     to.respond(std::move(many));
                 })
            .call(
                2, [this](const net::request&, const net::responder& to) { held.push_back(to); },
                "wait")
            .call(3,
                  [](const net::request&, const net::responder& to) {
                      net::failure why;
                      why.name = "unknown";
                      why.acted = true;
                      for (std::size_t i = 0; i < ms::failure_text_bytes; ++i) {
                          why.text += "ä";
                      }
                      to.fail(why);
                  })
            .call(4,
                  [](const net::request&, const net::responder& to) {
                      to.fail({ms::status::Internal, "broken", "it broke",
                               running::bytes(ms::control_bytes), true});
                  })
            .stream(5,
                    [this](const net::request&, const net::stream& end) { streams.push_back(end); })
            .call(6, [](const net::request&, const net::responder&) {
                throw std::runtime_error{"at once"};
            });
        for (std::uint16_t n = 100; n < 108; ++n) {
            one.event(n, [](const net::request&) {
                net::failure why;
                why.name = "unknown";
                why.text = "not taken";
                why.acted = true;
                return std::optional{why};
            });
        }
        serving.on_failure = [this](const net::failure& why) {
            log.push_back(to_string(running::told_at(why, at)));
        };
        server.emplace(context, std::move(all), serving);
        at = server->listen(folder.at("s")).value();
        client.emplace(context, *net::parse_address(at), std::move(asking));
    }
    /// Lets each side take no more than so many bytes in a payload.
    void start_taking(std::size_t server_takes, std::size_t client_takes) {
        net::server_options serving;
        serving.payload_bytes = server_takes;
        net::client_options asking;
        asking.payload_bytes = client_takes;
        start(std::move(serving), std::move(asking));
    }

    std::string call(std::uint16_t method, std::size_t n, net::call_options how = {}) {
        std::optional<net::answer> ended;
        client->call(echo_service, method, running::bytes(n), std::move(how),
                     [&](const net::answer& came) { ended = came; });
        EXPECT_TRUE(until(context, [&] { return ended.has_value(); }));
        return ended && ended->failed ? to_string(*ended->failed) : "";
    }

    [[nodiscard]] std::string line(std::uint16_t method, const std::string& rest) const {
        return std::string{echo_service} + "/" + std::to_string(method) + " at " + at + ": " + rest;
    }
    /// Whether something was told that has a text.
    [[nodiscard]] bool was_told(const std::string& text) const {
        for (const std::string& one : log) {
            if (one.find(text) != one.npos) {
                return true;
            }
        }
        return false;
    }

    running::folder folder;
    std::vector<net::responder> held;
    std::vector<net::stream> streams;
    std::vector<std::string> log;
    asio::io_context context{1};
    std::optional<net::server> server;
    std::optional<net::client> client;
    std::string at;
};

TEST_F(failing, says_what_happened_and_where) {
    start_taking(1000, 2000);
    const std::string has = "it has call 1, call wait = 2, call 3, call 4, stream 5, call 6, "
                            "event 100, event 101 and 6 more; it was not acted on";
    const std::string most = "it has event 100, event 101, event 102, event 103, event 104, event "
                             "105, event 106, event 107 and 6 more; it was not acted on";
    const std::string unknown = "Unimplemented (12) method_unknown: demo.Echo has no call ";
    EXPECT_EQ(call(1, 2000), line(1, "OutOfRange (11) payload_too_large: a payload of 2018 bytes, "
                                     "where the peer takes 1000; it was not acted on"));
    EXPECT_EQ(call(1, 500), line(1, "OutOfRange (11) payload_too_large: a payload of 50005 bytes, "
                                    "where the peer takes 2000; it may have been acted on"));
    EXPECT_EQ(call(9, 0), line(9, unknown + "9; " + has));
    EXPECT_EQ(call(5, 0), line(5, unknown + "5; " + has));
    EXPECT_EQ(call(104, 0), line(104, unknown + "104; " + most));
    EXPECT_EQ(call(3, 0), line(3, "Unknown (2) unknown; it may have been acted on"));
    EXPECT_EQ(call(4, 0), line(4, "Internal (13) broken: it broke; it may have been acted on"));
    EXPECT_TRUE(was_told(line(9, unknown)));
    EXPECT_TRUE(was_told("50005"));
    EXPECT_TRUE(was_told("demo.Echo/4 at " + at + ": Internal (13) broken: it broke"));

    std::string told;
    const auto tell = [&](const net::answer& came) {
        told = came.failed ? to_string(*came.failed) : "nothing";
    };
    net::event_options acked;
    acked.requires_ack = true;
    client->event(echo_service, 100, running::bytes{}, acked, tell);
    EXPECT_TRUE(until(context, [&] { return !told.empty(); }));
    EXPECT_EQ(told, line(100, "Unknown (2) unknown: not taken; it may have been acted on"));
    EXPECT_TRUE(was_told("demo.Echo/100 at " + at + ": Unknown (2) unknown: not taken"));
    told.clear();
    client->call("demo.Eho", 1, running::bytes{}, {}, tell);
    EXPECT_TRUE(until(context, [&] { return !told.empty(); }));
    EXPECT_EQ(told, "demo.Eho/1 at " + at +
                        ": Unimplemented (12) service_unknown: the peer does not serve demo.Eho; "
                        "it serves demo.Echo; it was not acted on");
}

TEST_F(failing, tells_of_answers_that_have_waited_for_room) {
    net::server_options serving;
    serving.limits.queue_bytes = 1;
    net::client_options asking;
    asking.payload_bytes = 2000;
    start(serving, asking);
    std::size_t n = 0;
    for (const std::size_t bytes : {1U, 500U}) {  // the second waits until the first is written
        client->call(echo_service, 1, running::bytes(bytes), {}, [&](const net::answer&) { ++n; });
    }
    EXPECT_TRUE(until(context, [&] { return n == 2; }));
    EXPECT_TRUE(was_told(line(1, "OutOfRange (11) payload_too_large: a payload of 50005 bytes")));
}

TEST_F(failing, says_which_request_an_interceptor_refused) {
    net::client_options asking;
    asking.interceptors = {[](net::outgoing_request& asked) {
        net::failure why;
        why.status = ms::status::PermissionDenied;
        why.name = "denied";
        asked.refuse(why);
    }};
    start({}, asking);
    const std::string denied = "PermissionDenied (7) denied; it was not acted on";
    EXPECT_EQ(call(1, 0), line(1, denied));
    std::string told;
    const net::stream end = client->open(echo_service, 5, running::bytes{}, {});
    end.on_end([&](const net::failure* why) { told = why ? to_string(*why) : "nothing"; });
    EXPECT_TRUE(until(context, [&] { return !told.empty(); }));
    EXPECT_EQ(told, line(5, denied));
    net::blocking_options how;
    how.interceptors = asking.interceptors;
    net::blocking_client blocking{at, how};
    EXPECT_EQ(to_string(blocking.call(echo_service, 1, running::bytes{}).error()), line(1, denied));
    EXPECT_EQ(to_string(blocking.open({echo_service, 5, {}}, running::bytes{}).error()),
              line(5, denied));
}

TEST(texts, for_peers_are_utf8) {
    using mxp::engine::bounded;
    EXPECT_EQ(bounded("as it is", 8), "as it is");
    EXPECT_EQ(bounded("\xff\xfe"
                      "a\xc3",
                      20),
              "\xef\xbf\xbd"
              "a\xef\xbf\xbd");
    EXPECT_EQ(bounded("äöüß", 7), "äö…");
    EXPECT_EQ(bounded("aäöü", 6), "aä…");
    EXPECT_EQ(bounded("aaäö", 5), "aa…");
}

TEST_F(failing, cuts_texts) {
    start();
    std::string text;
    client->call(echo_service, 3, running::bytes{}, {},
                 [&](const net::answer& came) { text = came.failed->text; });
    EXPECT_TRUE(until(context, [&] { return !text.empty(); }));
    std::string cut;
    for (std::size_t i = 0; i < ms::failure_text_bytes / 2 - 2; ++i) {
        cut += "ä";
    }
    EXPECT_EQ(text, cut + "…");
}

TEST_F(failing, tells_what_handlers_throw) {
    start();
    std::string told;
    client->call(echo_service, 6, running::bytes{}, {},
                 [&](const net::answer& came) { told = to_string(*came.failed); });
    bool has_thrown = false;
    for (int i = 0; i < 10'000 && (told.empty() || !has_thrown); ++i) {
        try {
            context.restart();
            context.run_one_for(1ms);
        } catch (const std::runtime_error&) {
            has_thrown = true;
        }
    }
    EXPECT_TRUE(has_thrown);
    EXPECT_TRUE(was_told(line(6, "Internal (13) internal: the handler threw: at once")));
    EXPECT_EQ(told,
              line(6, "Internal (13) internal: the handler threw; it may have been acted on"));
}

TEST_F(failing, says_how_long_was_waited) {
    start();
    net::call_options how;
    how.deadline = 30ms;
    const auto is_late = [](const std::string& text, const std::string& head,
                            const std::string& end) {
        const std::string start = head + ": DeadlineExceeded (4) deadline_exceeded: after ";
        return text.compare(0, start.size(), start) == 0 &&
               text.find(" ms, with a deadline of 30 ms") != text.npos &&
               text.size() > end.size() &&
               text.compare(text.size() - end.size(), end.size(), end) == 0;
    };
    const std::string acted = "; it may have been acted on";
    const std::string called = call(2, 0, how);
    EXPECT_TRUE(is_late(called, "demo.Echo/2 at " + at, acted)) << called;

    std::string streamed;
    const net::stream end = client->open(echo_service, 5, running::bytes{}, how);
    end.on_end([&](const net::failure* why) { streamed = why ? to_string(*why) : "nothing"; });
    EXPECT_TRUE(until(context, [&] { return !streamed.empty(); }));
    EXPECT_TRUE(is_late(streamed, "demo.Echo/5 at " + at, acted)) << streamed;

    const std::string there = folder.at("x");
    net::blocking_client nobody{there};
    const auto none = nobody.call(echo_service, 1, running::bytes{}, how);
    ASSERT_FALSE(none);
    // Why it could not connect says more than how long it tried.
    const std::string said = to_string(none.error());
    EXPECT_EQ(said.find("demo.Echo/1 at " + there + ": Unavailable (14) not_connected: "), 0U)
        << said;
    EXPECT_NE(said.find(running::absent), said.npos) << said;
}

TEST_F(failing, says_why_a_connection_was_lost) {
    start();
    std::string called;
    std::string streamed;
    client->call(echo_service, 2, running::bytes{}, {},
                 [&](const net::answer& came) { called = to_string(*came.failed); });
    const net::stream end = client->open(echo_service, 5, running::bytes{}, {});
    end.on_end([&](const net::failure* why) { streamed = why ? to_string(*why) : "nothing"; });
    EXPECT_TRUE(until(context, [&] { return !held.empty() && !streams.empty(); }));
    server->close();
    EXPECT_TRUE(until(context, [&] { return !called.empty() && !streamed.empty(); }));
    const std::string lost = "Unavailable (14) session_lost: the peer has closed the connection; "
                             "it may have been acted on";
    EXPECT_EQ(called, line(2, lost));
    EXPECT_EQ(streamed, line(5, lost));
}

TEST(blocking_failures, say_the_same) {
    running::in_thread server;
    net::blocking_client client{*net::parse_address(server.address)};
    const auto told = [&](std::uint16_t method) {
        const auto came = client.call(echo_service, method, std::string_view{"x"});
        return came ? "" : to_string(came.error());
    };
    EXPECT_EQ(told(2),
              "demo.Echo/2 at " + server.address +
                  ": FailedPrecondition (9) refused: not today; it may have been acted on");
    EXPECT_EQ(told(9), "demo.Echo/9 at " + server.address +
                           ": Unimplemented (12) method_unknown: demo.Echo has no call 9; it has "
                           "call 1, call 2, stream 3, event 4, call 5, stream 6; it was not acted "
                           "on");
    const net::method wait{echo_service, 5, "wait"};
    net::call_options how;
    how.deadline = 20ms;
    const auto late = client.call(wait, std::string_view{}, how);
    ASSERT_FALSE(late);
    EXPECT_EQ(to_string(late.error())
                  .find("demo.Echo/wait at " + server.address +
                        ": DeadlineExceeded (4) deadline_exceeded: after "),
              0U)
        << to_string(late.error());
}

TEST(options, out_of_range_are_refused) {
    running::folder folder;
    asio::io_context context{1};
    const std::string at = folder.at("s");
    const std::string large = "payload_bytes is 33554432, and can be 1 to 16777216";
    net::server_options serving;
    serving.payload_bytes = 32 << 20;
    net::server server{context, net::services{}, serving};
    const auto listens = server.listen(at);
    ASSERT_FALSE(listens);
    EXPECT_EQ(listens.error().text, large);

    net::client_options asking;
    asking.payload_bytes = 32 << 20;
    net::client client{context, *net::parse_address(at), asking};
    std::string told;
    client.call(echo_service, 1, running::bytes{}, {},
                [&](const net::answer& came) { told = to_string(*came.failed); });
    EXPECT_TRUE(until(context, [&] { return !told.empty(); }));
    const std::string line = "demo.Echo/1 at " + at + ": InvalidArgument (3) ";
    EXPECT_EQ(told, line + large + "; it was not acted on");

    for (auto wrong : {&ms::limits::in_flight, &ms::limits::queue_bytes}) {
        net::blocking_options how;
        how.limits.*wrong = 0;
        net::blocking_client blocking{*net::parse_address(at), how};
        const auto came = blocking.call(echo_service, 1, running::bytes{});
        ASSERT_FALSE(came);
        EXPECT_EQ(to_string(came.error()).find(line), 0U) << to_string(came.error());
        EXPECT_NE(came.error().text.find(" is 0, and can be 1 to "), std::string::npos);
    }
}

}  // namespace

}  // namespace failure_tests
