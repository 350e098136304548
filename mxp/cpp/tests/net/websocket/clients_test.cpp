// Clients and servers that talk over WebSocket.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "../certificates.hpp"
#include "../running.hpp"
#include "peer.hpp"

#if defined(MXP_TLS)
using running::certificate;
#endif
using running::text_of;
using running::until;

namespace websocket_tests {

namespace {

constexpr const char* service = "demo.Echo";

/// The answer to a call, which may have failed.
net::answer called(asio::io_context& on, net::client& client, const bytes& value, bytes& back) {
    std::optional<net::answer> ended;
    client.call(service, 1, value, {}, [&](const net::answer& came) {
        back.assign(came.value.begin(), came.value.end());
        ended = came;
    });
    EXPECT_TRUE(until(on, [&] { return ended.has_value(); }));
    return ended.value_or(net::answer{});
}

void expect_calls_and_streams(const std::string& at, const net::client_options& how) {
    asio::io_context on{1};
    net::client client{on, at, how};
    for (const std::size_t size : {0U, 1U, 1'000U, 100'000U, 3U << 20U}) {
        bytes value(size, std::byte{7});
        if (size > 0) {
            value[size / 2] = std::byte{9};
        }
        bytes back;
        EXPECT_FALSE(called(on, client, value, back).failed) << size;
        EXPECT_TRUE(back == value) << size;
    }
    std::size_t chunks = 0;
    bool has_ended = false;
    const auto stream = client.open(service, 3, std::string_view{}, {});
    stream.on_chunk([&](mxp::bytes_view chunk) { chunks += chunk.size() == 5'000 ? 1U : 0U; });
    stream.on_end([&](const net::failure* why) { has_ended = why == nullptr; });
    for (int i = 0; i < 1'000; ++i) {
        stream.send(bytes(5'000));
    }
    stream.finish();
    EXPECT_TRUE(until(on, [&] { return has_ended; }));
    EXPECT_EQ(chunks, 1'000U);
}

// Chunks are told, and answered, while more is written.
TEST(websocket, goes_both_ways_at_once) {
    const served all;
    asio::io_context on{1};
    net::client client{on, all.at};
    constexpr std::size_t most = 400;
    std::vector<net::stream> streams;
    std::vector<std::size_t> counts(3);
    std::size_t wrong = 0;
    std::size_t calls = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        streams.push_back(client.open(service, 3, std::string_view{}, {}));
        streams[i].on_chunk([&, i](mxp::bytes_view chunk) {
            wrong += chunk.size() == counts[i] % 700 ? 0U : 1U;
            if (++counts[i] < most) {
                streams[i].send(bytes(counts[i] % 700));
                client.call(service, 1, bytes(i), {}, [&, i](const net::answer& came) {
                    wrong += came.value.size() == i ? 0U : 1U;
                    ++calls;
                });
            }
        });
        streams[i].send(bytes(0));
    }
    EXPECT_TRUE(until(on, [&] { return calls == 3 * (most - 1); })) << calls;
    EXPECT_TRUE(until(on, [&] { return counts == std::vector<std::size_t>(3, most); }));
    EXPECT_EQ(wrong, 0U);
}

// [MXP-19.1] [MXP-19.3]
TEST(websocket, carries_calls_and_streams) {
    const served all{{}, "/mxp"};
    EXPECT_EQ(all.at.substr(all.at.size() - 4), "/mxp");
    expect_calls_and_streams(all.at, {});
}

#if defined(MXP_TLS)

TEST(websocket, carries_them_in_tls) {
    const certificate shown{"IP:127.0.0.1"};
    asio::ssl::context theirs{asio::ssl::context::tls_server};
    shown.identify(theirs);
    asio::ssl::context mine{asio::ssl::context::tls_client};
    shown.vouch(mine);
    asio::io_context on{1};
    net::server_options how;
    how.tls = &theirs;
    net::services echoes = running::echo(std::make_shared<running::seen>());
    std::shared_ptr<const net::peer> who;
    echoes.intercept([&](net::incoming_request& asked) { who = asked.request.peer; });
    net::server server{on, std::move(echoes), how};
    const std::string at = server.listen("mxp+wss://127.0.0.1:0/a").value();
    const auto works = asio::make_work_guard(on);
    std::thread serves{[&] { on.run(); }};
    net::client_options asks;
    asks.tls = &mine;
    expect_calls_and_streams(at, asks);
    on.stop();
    serves.join();
    ASSERT_TRUE(who);
    EXPECT_EQ(who->transport, "wss");
    EXPECT_EQ(who->address.find("mxp+wss://127.0.0.1:"), 0U) << who->address;
}

#endif

// A reader that takes nothing makes the sender wait, and others go on.
TEST(websocket, credit_holds_streams_back) {
    asio::io_context on{1};
    net::services all = running::echo(std::make_shared<running::seen>());
    std::optional<net::stream> held;
    std::size_t size = 0;
    all.service("demo.Held").stream(1, [&](const net::request&, const net::stream& end) {
        end.on_chunk([&](mxp::bytes_view chunk) { size += chunk.size(); });
        end.pause();
        held = end;
    });
    net::server server{on, std::move(all)};
    net::client client{on, server.listen("mxp+ws://127.0.0.1:0").value()};
    const auto stream = client.open("demo.Held", 1, std::string_view{}, {});
    for (int i = 0; i < 200; ++i) {
        stream.send(bytes(100'000));
    }
    bytes back;
    for (int i = 0; i < 20; ++i) {
        EXPECT_FALSE(called(on, client, bytes(10), back).failed);
    }
    EXPECT_LT(server.stats().held_bytes, 4U << 20U);
    ASSERT_TRUE(held);
    held->resume();
    EXPECT_TRUE(until(on, [&] { return size == 200U * 100'000U; })) << size;
    held.reset();
}

// A server that is gone and comes back is found again; a call that is in flight ends.
TEST(websocket, servers_come_back) {
    asio::io_context on{1};
    auto first = std::make_unique<served>(net::server_options{}, "/a");
    const std::string at = first->at;
    std::optional<net::answer> held;
    net::client client{on, at};
    bytes back;
    EXPECT_FALSE(called(on, client, bytes(1), back).failed);
    client.call(service, 5, std::string_view{}, {}, [&](const net::answer& came) { held = came; });
    EXPECT_TRUE(until(on, [&] {
        return first->ask([](net::server&, running::seen& by) { return !by.held.empty(); });
    }));
    first.reset();
    EXPECT_TRUE(until(on, [&] { return held.has_value(); }));
    EXPECT_TRUE(held->failed);
    running::in_thread second;
    EXPECT_EQ(second.ask([&](net::server& of, running::seen&) { return of.listen(at).value(); }),
              at);
    EXPECT_FALSE(called(on, client, bytes(1), back).failed);
}

// Threads share a context of each side.
TEST(websocket, goes_on_between_threads) {
    asio::io_context theirs;
    net::server server{theirs, running::echo(std::make_shared<running::seen>())};
    const std::string at = server.listen("mxp+ws://127.0.0.1:0/").value();
    asio::io_context mine;
    net::client client{mine, at};
    const auto their_work = asio::make_work_guard(theirs);
    const auto my_work = asio::make_work_guard(mine);
    std::vector<std::thread> all;
    for (int i = 0; i < 3; ++i) {
        all.emplace_back([&] { theirs.run(); });
        all.emplace_back([&] { mine.run(); });
    }
    constexpr int each = 300;
    std::atomic<int> good{0};
    std::atomic<int> ended{0};
    std::vector<std::thread> asking;
    for (int i = 0; i < 3; ++i) {
        asking.emplace_back([&, i] {
            for (int n = 0; n < each; ++n) {
                const bytes value(static_cast<std::size_t>(n * 97 % 20'000), std::byte(i));
                client.call(service, 1, value, {}, [&, value](const net::answer& came) {
                    good += !came.failed && bytes(came.value.begin(), came.value.end()) == value;
                    ++ended;
                });
            }
        });
    }
    for (std::thread& one : asking) {
        one.join();
    }
    for (int i = 0; i < 2'000 && ended < 3 * each; ++i) {
        std::this_thread::sleep_for(10ms);
    }
    EXPECT_EQ(good, 3 * each);
    theirs.stop();
    mine.stop();
    for (std::thread& one : all) {
        one.join();
    }
}

// Calls that are under way when a context ends are let go of with it.
TEST(websocket, ends_with_its_context) {
    for (const int turns : {0, 3, 10, 40, 200}) {
        asio::io_context on{1};
        net::server server{on, running::echo(std::make_shared<running::seen>())};
        net::client client{on, server.listen("mxp+ws://127.0.0.1:0/").value()};
        client.call(service, 5, bytes(100'000), {}, [](const net::answer&) {});
        for (int i = 0; i < turns; ++i) {
            on.poll_one();
        }
    }
}

// Blocking clients have none.
TEST(websocket, is_not_for_blocking_clients) {
    const auto came = net::blocking_client{"mxp+ws://127.0.0.1:1/"}.call(service, 1, {});
    ASSERT_FALSE(came);
    EXPECT_EQ(came.error().status, ms::status::FailedPrecondition);
    EXPECT_EQ(came.error().text, "this client does not speak mxp+ws");
}

}  // namespace

}  // namespace websocket_tests
