// The observer that is told of requests, held to what all languages tell.
#include <asio/steady_timer.hpp>
#include <atomic>
#include <fstream>
#include <map>

#include "recorder.hpp"
#include "running.hpp"

using recording::recorder;
using recording::told;
using running::until;
namespace net = mxp::net;
using namespace std::chrono_literals;
using namespace std::string_view_literals;
using mxp::session::side;
using mxp::session::status;

namespace telemetry_tests {

namespace {

constexpr const char* service = "demo.Told";
constexpr net::method echo{service, 1, "echo"};
constexpr net::method refuse{service, 2, "refuse"};
constexpr net::method hang{service, 3, "hang"};
constexpr net::method count{service, 4, "count"};
constexpr net::method notice{service, 5, "notice"};

/// The time by which the deadline of a late call's handler is earlier than its caller's.
constexpr auto sooner = 10s;

/// The longest payload that clients of the cases take.
constexpr std::size_t most_taken = 16384;

/// A request as the cases have it: name, status and attributes.
std::string line(const told& of, const std::string& port) {
    std::string text = of.name + "\t" + (of.is_error ? "error" : "unset") + "\t";
    for (const auto& [key, value] : of.span) {
        text += text.back() == '\t' ? "" : " ";
        text += key + "=" + (key == "server.port" && value == port ? "PORT" : value);
    }
    return text;
}

/// The cases that all languages tell of, by case and side.
std::map<std::string, std::string> cases() {
    const std::string here = __FILE__;
    std::ifstream file{here.substr(0, here.rfind('/')) + "/../../../testdata/telemetry.tsv"};
    std::map<std::string, std::string> all;
    std::string one;
    std::getline(file, one);
    while (std::getline(file, one)) {
        const std::size_t first = one.find('\t');
        const std::size_t second = one.find('\t', first + 1);
        all.emplace(one.substr(0, first) + " " + one.substr(first + 1, second - first - 1),
                    one.substr(second + 1));
    }
    return all;
}

/// The failure that a method refuses a request with.
std::optional<net::failure> failure_of(mxp::bytes_view value) {
    const std::string text = running::text_of(value);
    net::failure why;
    if (text == "refused") {
        why.status = status::NotFound;
        why.name = "song_unknown";
    } else if (text == "failed") {
        why.text = "something is broken";
    } else if (text == "odd") {
        why.status = static_cast<mxp::session::status>(4711);
        why.name = "4711";
    } else {
        return std::nullopt;
    }
    return why;
}

/// The service of the cases, on a thread of its own.
class serving {
   public:
    explicit serving(net::server_options how) : server_(context_, services(), std::move(how)) {
        address = server_.listen("mxp+tcp://127.0.0.1:0").value();
        port = address.substr(address.rfind(':') + 1);
        thread_ = std::thread([this] {
            const auto work = asio::make_work_guard(context_);
            context_.run();
        });
    }
    serving(const serving&) = delete;
    serving& operator=(const serving&) = delete;
    ~serving() {
        server_.close();
        context_.stop();
        thread_.join();
    }

    std::string address;
    std::string port;
    /// The calls that wait to be taken back.
    std::atomic<int> hanging{0};

   private:
    net::services services() {
        net::services all;
        all.service(service)
            .call(echo, [](const net::request& asked,
                           const net::responder& to) { to.respond(asked.value); })
            .call(refuse, [](const net::request& asked,
                             const net::responder& to) { to.fail(*failure_of(asked.value)); })
            .call(hang,
                  [this](const net::request& asked, const net::responder& to) {
                      if (running::text_of(asked.value) == "late") {
                          late(asked.until - sooner, to);
                      } else {
                          ++hanging;
                          to.on_cancel(
                              [to] { to.fail(net::failure_of(mxp::session::kind::cancelled)); });
                      }
                  })
            .stream(count,
                    [](const net::request& asked, const net::stream& on) {
                        for (int i = 0; i < 3; ++i) {
                            on.send(mxp::session::value{asked.value});
                        }
                        if (const auto why = failure_of(asked.value)) {
                            on.fail(*why);
                        } else {
                            on.finish();
                        }
                    })
            .event(notice, [](const net::request&) {});
        return all;
    }

    void late(std::chrono::steady_clock::time_point at, const net::responder& to) {
        const auto timer = std::make_shared<asio::steady_timer>(context_, at);
        timer->async_wait([timer, to](const std::error_code&) {
            to.fail(net::failure_of(mxp::session::kind::deadline_exceeded));
        });
    }

    asio::io_context context_{1};
    net::server server_;
    std::thread thread_;
};

class telemetry : public testing::Test {
   protected:
    telemetry() {
        net::server_options how;
        how.telemetry = there;
        server.emplace(std::move(how));
    }

    /// The only request that an observer was told of.
    static told only(const recorder& of) {
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (of.all().empty() && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(1ms);
        }
        const auto all = of.all();
        EXPECT_EQ(all.size(), 1U);
        return all.empty() ? told{} : all.front();
    }

    /// Both sides were told what all languages tell of a case.
    void expect(const std::string& name, const std::optional<net::failure>& ended,
                std::chrono::steady_clock::time_point begun) {
        const auto all = cases();
        const told asking = only(*here);
        const told serving = only(*there);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
        EXPECT_EQ(line(asking, server->port), all.at(name + " client"));
        EXPECT_EQ(line(serving, server->port), all.at(name + " server"));
        EXPECT_EQ(asking.side, side::client);
        EXPECT_EQ(serving.side, side::server);
        for (told one : {asking, serving}) {
            EXPECT_GT(one.seconds, 0);
            EXPECT_LE(one.seconds, took.count());
            one.span.erase("rpc.method_original");
            EXPECT_EQ(one.measured, one.span);
        }
        EXPECT_EQ(asking.is_error, ended.has_value());
        EXPECT_EQ(asking.description, ended ? to_string(*ended) : "");
        EXPECT_EQ(serving.parent, asking.trace);
        EXPECT_EQ(serving.state, "by=me");
    }

    std::shared_ptr<recorder> here = std::make_shared<recorder>();
    std::shared_ptr<recorder> there = std::make_shared<recorder>();
    std::optional<serving> server;
};

/// Makes the request of a case, and returns its failure.
std::optional<net::failure> ask(const std::string& name, net::client& client,
                                asio::io_context& context, const serving& there) {
    std::optional<std::optional<net::failure>> came;
    const auto then = [&](const net::answer& of) { came.emplace(of.failed); };
    const auto over = [&](const net::failure* why) {
        came.emplace(why == nullptr ? std::nullopt : std::optional{*why});
    };
    std::optional<net::stream> values;
    const std::string long_text(2 * most_taken, 'x');
    if (name == "answered") {
        client.call(echo, name, {}, then);
    } else if (name == "too_large") {
        client.call(echo, long_text, {}, then);
    } else if (name == "unknown") {
        client.call(service, 99, {}, {}, then);
    } else if (name == "cancelled") {
        const auto ticket = client.call(hang, name, {}, then);
        EXPECT_TRUE(until(context, [&] { return there.hanging > 0; }));
        client.cancel(ticket);
    } else if (name == "late") {
        net::call_options late;
        late.deadline = sooner + 50ms;
        client.call(hang, name, late, then);
    } else if (name == "stream" || name == "stream_refused") {
        values = client.open(count, std::string_view{name == "stream" ? "x" : "refused"}, {}, true);
        values->on_chunk([](mxp::bytes_view) {});
        values->on_end(over);
    } else if (name == "event") {
        net::event_options acked;
        acked.requires_ack = true;
        client.event(notice, name, acked, then);
    } else {
        client.call(refuse, name, {}, then);
    }
    EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
    return came.value_or(std::nullopt);
}

/// The same, by a client that waits.
std::optional<net::failure> ask(const std::string& name, net::blocking_client& client) {
    const auto failure_of = [](const auto& came) {
        return came ? std::nullopt : std::optional{came.error()};
    };
    if (name == "answered") {
        return failure_of(client.call(echo, name));
    }
    if (name == "too_large") {
        return failure_of(client.call(echo, std::string(2 * most_taken, 'x')));
    }
    if (name == "unknown") {
        return failure_of(client.call(net::method{service, 99, {}}, mxp::bytes_view{}));
    }
    if (name == "late") {
        net::call_options late;
        late.deadline = sooner + 50ms;
        return failure_of(client.call(hang, name, late));
    }
    if (name == "stream" || name == "stream_refused") {
        auto values =
            client.open(count, std::string_view{name == "stream" ? "x" : "refused"}, {}, true);
        EXPECT_TRUE(values);
        for (;;) {
            const auto chunk = values->read();
            if (!chunk || !*chunk) {
                return failure_of(chunk);
            }
        }
    }
    if (name == "event") {
        net::event_options acked;
        acked.requires_ack = true;
        return failure_of(client.event(notice, name, acked));
    }
    return failure_of(client.call(refuse, name));
}

class case_of : public telemetry, public testing::WithParamInterface<const char*> {};

TEST_P(case_of, all_languages_is_told) {
    asio::io_context context{1};
    net::client_options how;
    how.telemetry = here;
    how.payload_bytes = most_taken;
    net::client client{context, server->address, how};
    const auto begun = std::chrono::steady_clock::now();
    const auto ended = ask(GetParam(), client, context, *server);
    expect(GetParam(), ended, begun);
}

/// A client that waits takes nothing back: the case of that is not among these.
class waiting_case_of : public case_of {};

TEST_P(waiting_case_of, all_languages_is_told) {
    net::blocking_options how;
    how.telemetry = here;
    how.payload_bytes = most_taken;
    net::blocking_client client{server->address, how};
    const auto begun = std::chrono::steady_clock::now();
    const auto ended = ask(GetParam(), client);
    expect(GetParam(), ended, begun);
}

INSTANTIATE_TEST_SUITE_P(telemetry, case_of,
                         testing::Values("answered", "too_large", "refused", "failed", "odd",
                                         "unknown", "cancelled", "late", "stream", "stream_refused",
                                         "event"));
INSTANTIATE_TEST_SUITE_P(telemetry, waiting_case_of,
                         testing::Values("answered", "too_large", "refused", "failed", "odd",
                                         "unknown", "late", "stream", "stream_refused", "event"));

TEST_F(telemetry, all_repetitions_are_one_request) {
    asio::io_context context{1};
    running::folder folder;
    int attempts = 0;
    net::services all;
    all.service(service).call(echo, [&](const net::request& asked, const net::responder& to) {
        if (++attempts < 3) {
            net::failure busy;
            busy.status = status::Unavailable;
            busy.name = "busy";
            to.fail(net::refused(busy));
        } else {
            to.respond(asked.value);
        }
    });
    net::server busy_server{context, std::move(all)};
    const auto at = busy_server.listen(folder.at("s")).value();
    net::client_options how;
    how.telemetry = here;
    how.retry = net::retry_policy{};
    net::client client{context, at, how};
    bool is_over = false;
    client.call(echo, "x"sv, {}, [&](const net::answer& came) { is_over = !came.failed; });
    ASSERT_TRUE(until(context, [&] { return is_over; }));
    EXPECT_EQ(attempts, 3);
    EXPECT_EQ(line(only(*here), ""),
              "demo.Told/echo\tunset\trpc.method=demo.Told/echo rpc.response.status_code=OK "
              "rpc.system.name=mxp server.address=" +
                  (running::plain == "unix"
                       ? folder.in("s")
                       : "127.0.0.1 server.port=" + net::parse_address(at)->port));
}

TEST_F(telemetry, methods_beyond_the_most_are_others) {
    asio::io_context context{1};
    net::client_options how;
    how.telemetry = here;
    net::client client{context, server->address, how};
    std::size_t over = 0;
    for (int i = 0; i < 1'100; ++i) {
        client.call("demo.Guess" + std::to_string(i), 1, {}, {},
                    [&](const net::answer&) { ++over; });
    }
    ASSERT_TRUE(until(context, [&] { return over == 1'100; }));
    std::map<std::string, std::size_t> methods;
    for (const told& one : here->all()) {
        const std::string& method = one.span.at("rpc.method");
        ++methods[method];
        if (method == "_OTHER") {
            EXPECT_EQ(one.name, "mxp");
            EXPECT_EQ(one.span.at("rpc.method_original").rfind("demo.Guess", 0), 0U);
        }
    }
    EXPECT_EQ(methods.size(), 1'025U);
    EXPECT_EQ(methods["_OTHER"], 1'100U - 1'024U);
}

/// The client stands still meanwhile, and takes nothing back.
TEST_F(telemetry, a_handler_that_is_too_late_is_told_of) {
    asio::io_context context{1};
    net::client client{context, server->address};
    net::call_options late;
    late.deadline = 200ms;
    client.call(hang, "x"sv, late, {});
    ASSERT_TRUE(until(context, [&] { return server->hanging > 0; }));
    EXPECT_EQ(only(*there).span.at("error.type"), "deadline_exceeded");
}

/// A server whose handlers run on the thread of the test.
class telemetry_here : public testing::Test {
   protected:
    void serve(net::services all) {
        net::server_options served;
        served.telemetry = there;
        server.emplace(context, std::move(all), std::move(served));
        how.telemetry = here;
        client.emplace(context, server->listen(folder.at("s")).value(), std::move(how));
    }

    running::folder folder;
    asio::io_context context{1};
    std::shared_ptr<recorder> here = std::make_shared<recorder>();
    std::shared_ptr<recorder> there = std::make_shared<recorder>();
    net::client_options how;
    std::optional<net::server> server;
    std::optional<net::client> client;
};

TEST_F(telemetry_here, what_a_handler_asks_its_client_for_is_of_its_trace) {
    how.services.service("demo.Back")
        .call(1,
              [](const net::request& asked, const net::responder& to) { to.respond(asked.value); });
    net::services all;
    all.service(service).call(echo, [](const net::request& asked, const net::responder& to) {
        asked.client()->call("demo.Back", 1, {}, net::call_options{}.following(asked),
                             [to](const net::answer& came) { to.respond(came.value); });
    });
    serve(std::move(all));
    net::call_options with;
    with.trace.emplace();
    with.trace->id[3] = 7;
    with.trace->parent = 8;
    bool is_over = false;
    client->call(echo, "x"sv, with, [&](const net::answer&) { is_over = true; });
    ASSERT_TRUE(until(context, [&] { return is_over; }));
    const auto mine = here->all();
    const auto its = there->all();
    ASSERT_EQ(mine.size(), 2U);
    ASSERT_EQ(its.size(), 2U);
    EXPECT_EQ(mine[1].parent, with.trace);
    EXPECT_EQ(its[1].parent, mine[1].trace);
    EXPECT_EQ(its[0].parent, its[1].trace);
    EXPECT_EQ(mine[0].parent, its[0].trace);
    EXPECT_EQ(its[0].side, side::client);
    EXPECT_EQ(its[0].span.count("server.address"), 0U);
}

TEST_F(telemetry_here, a_handler_that_throws_has_failed) {
    net::services all;
    all.service(service).call(echo, [](const net::request&, const net::responder&) {
        throw std::runtime_error{"as it is meant to"};
    });
    serve(std::move(all));
    client->call(echo, "x"sv, {}, {});
    EXPECT_THROW(static_cast<void>(until(context, [] { return false; })), std::runtime_error);
    ASSERT_EQ(there->all().size(), 1U);
    EXPECT_EQ(there->all().front().span.at("error.type"), "INTERNAL");
}

TEST_F(telemetry_here, a_handler_of_an_event_that_throws_has_failed) {
    net::services all;
    all.service(service).event(
        notice, [](const net::request&) { throw std::runtime_error{"as it is meant to"}; });
    serve(std::move(all));
    client->event(notice, "x"sv, {}, {});
    EXPECT_THROW(static_cast<void>(until(context, [] { return false; })), std::runtime_error);
    ASSERT_EQ(there->all().size(), 1U);
    EXPECT_EQ(there->all().front().span.at("error.type"), "INTERNAL");
}

TEST_F(telemetry_here, requests_of_a_client_that_is_gone_were_cancelled_or_failed) {
    net::services all;
    std::optional<net::responder> held;
    all.service(service).call(
        echo, [&](const net::request&, const net::responder& to) { held.emplace(to); });
    serve(std::move(all));
    client->call(echo, "x"sv, {}, {});
    ASSERT_TRUE(until(context, [&] { return held.has_value(); }));
    client.reset();
    ASSERT_TRUE(until(context, [&] { return !here->all().empty(); }));
    EXPECT_TRUE(here->all().front().is_error);
    held.reset();
    ASSERT_TRUE(until(context, [&] { return !there->all().empty(); }));
    EXPECT_EQ(there->all().front().span.at("rpc.response.status_code"), "CANCELLED");
}

TEST(telemetry_cases, are_all) { EXPECT_EQ(cases().size(), 22U); }

}  // namespace

}  // namespace telemetry_tests
