// Bytes in both directions, and their waiting readers and writers.
#include "sharing.hpp"

namespace flow_tests {

namespace {

using namespace sharing;

// [MXP-18.7] [MXP-18.9]: both sides wait for bytes and for room, in the smallest rings.
TEST(flow, values_larger_than_the_ring_pass_in_both_directions_at_once) {
    for (const auto spin : {0us, 100us}) {
        net::server_options how;
        how.shm = rings(4096, spin);
        served server{how};
        const auto several = [&](std::size_t n) {
            asking one{server.address, rings(4096, spin)};
            std::size_t came = 0;
            for (std::size_t i = 0; i < n; ++i) {
                one.client().call("demo.Echo", 1, std::string(100'000 + i, 'v'), {},
                                  [&, i](const net::answer& answer) {
                                      came += answer.value.size() == 100'000 + i ? 1U : 0U;
                                  });
            }
            EXPECT_TRUE(running::until(
                one.context(), [&] { return came == n; }, 60s));
        };
        std::thread other{[&] { several(20); }};
        several(20);
        other.join();
        net::blocking_options with;
        with.shm = rings(4096, spin);
        net::blocking_client blocked{server.address, with};
        for (std::size_t i = 0; i < 5; ++i) {
            EXPECT_FALSE(call(blocked, std::string(1'000'000 + i, 'v')));
        }
        for (const auto& one : server.transports(3)) {
            EXPECT_EQ(one, "shm");
        }
    }
}

// A stream of which both ends are full.
TEST(flow, blocking_streams_go_both_ways) {
    net::server_options how;
    how.shm = rings(4096, 0us);
    served server{how};
    net::blocking_options with;
    with.shm = rings(8192, 0us);
    net::blocking_client client{server.address, with};
    auto stream = client.open({"demo.Echo", 3, "give_back"}, mxp::bytes_view{});
    ASSERT_TRUE(stream);
    std::size_t back = 0;
    for (std::size_t i = 0; i < 2'000; ++i) {
        ASSERT_TRUE(stream->write(std::string(i * 7, 'x')));
        if (i % 2 == 1) {
            const auto chunk = stream->read();
            ASSERT_TRUE(chunk && *chunk);
            EXPECT_EQ((*chunk)->size(), 7 * back++);
        }
    }
    ASSERT_TRUE(stream->finish());
    for (; back < 2'000; ++back) {
        const auto chunk = stream->read();
        ASSERT_TRUE(chunk && *chunk);
        EXPECT_EQ((*chunk)->size(), 7 * back);
    }
    EXPECT_EQ(server.transports(1), (std::vector<std::string>{"shm"}));
}

// [MXP-18.9]: neither side sleeps when there is something for it, however they take turns.
TEST(flow, nobody_sleeps_over_bytes_that_have_come) {
    for (const auto spin : {0us, 20us}) {
        net::server_options how;
        how.shm = rings(4096, spin);
        served server{how};
        net::blocking_options with;
        with.shm = rings(4096, spin);
        with.patience = 5s;
        net::blocking_client blocked{server.address, with};
        const auto begun = std::chrono::steady_clock::now();
        for (int i = 0; i < 5'000; ++i) {
            ASSERT_FALSE(call(blocked, "hello"));
        }
        // A sleep that nobody has ended takes 100 ms.
        EXPECT_LT(std::chrono::steady_clock::now() - begun, running::patience * 20s);
        asking one{server.address, rings(4096, spin)};
        for (int i = 0; i < 2'000; ++i) {
            ASSERT_FALSE(one.call("hello"));
        }
    }
}

// A client that has nothing to say is told that its server is gone, and connects again.
TEST(flow, a_blocking_client_that_was_idle_connects_anew) {
    const running::folder folder;
    const std::string address = folder.at("s", "shm");
    net::blocking_client client{address};
    for (int i = 0; i < 3; ++i) {
        const served server{{}, {}, address};
        EXPECT_FALSE(call(client, "hello"));
    }
    EXPECT_EQ(client.stats().shm_fallbacks, 0U);
}

// Connections on which nothing happens take no time of the processor, and none is lost.
TEST(flow, idle_connections_take_no_time) {
    served server;
    asio::io_context context{1};
    std::vector<std::unique_ptr<net::client>> clients;
    const auto call_all = [&] {
        std::size_t came = 0;
        for (const auto& one : clients) {
            one->call("demo.Echo", 1, std::string_view{"x"}, {},
                      [&](const net::answer& answer) { came += answer.failed ? 0U : 1U; });
        }
        EXPECT_TRUE(running::until(context, [&] { return came == clients.size(); }));
    };
    for (int i = 0; i < 16; ++i) {
        clients.push_back(std::make_unique<net::client>(context, server.address));
    }
    call_all();
    std::thread runs{[&] {
        const auto works = asio::make_work_guard(context);
        context.restart();
        context.run_for(900ms);
    }};
    std::this_thread::sleep_for(300ms);
    const auto before = spent();
    std::this_thread::sleep_for(400ms);
    EXPECT_LT(spent() - before, running::patience * 40ms);
    runs.join();
    call_all();
    const auto all = server.transports(16);
    EXPECT_EQ(std::count(all.begin(), all.end(), "shm"), 16);
}

// Several threads run the contexts of both sides.
TEST(flow, contexts_of_several_threads_carry_it) {
    const running::folder folder;
    const std::string address = folder.at("s", "shm");
    asio::io_context context;
    net::server_options how;
    how.shm = rings(4096, 20us);
    net::server server{context, running::echo(std::make_shared<running::seen>()), how};
    ASSERT_TRUE(server.listen(address));
    const auto works = asio::make_work_guard(context);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] { context.run(); });
    }
    {
        net::client_options with;
        with.shm = rings(4096, 20us);
        net::client client{context, address, with};
        std::atomic<std::size_t> came{0};
        for (std::size_t i = 0; i < 500; ++i) {
            client.call("demo.Echo", 1, std::string(i * 50, 'v'), {},
                        [&, i](const net::answer& answer) {
                            came += answer.value.size() == i * 50 ? 1U : 0U;
                        });
        }
        EXPECT_TRUE(soon([&] { return came == 500; }));
        std::promise<void> is_drained;
        server.drain("done", 5s, [&] { is_drained.set_value(); });
        EXPECT_EQ(is_drained.get_future().wait_for(20s), std::future_status::ready);
    }
    context.stop();
    for (auto& one : threads) {
        one.join();
    }
}

}  // namespace

}  // namespace flow_tests
