// Channels between programs that mean well.
#include "channels.hpp"

namespace channel_tests {

namespace {

using namespace sharing;

// [MXP-18.15].
TEST(channel, a_queue_has_all_values_in_order_and_says_when_it_is_full) {
    both all;
    EXPECT_EQ(take(all.there.receiver), nothing);
    std::uint64_t sent = 0;
    std::uint64_t come = 0;
    for (std::uint64_t round = 0; round < 1000; ++round) {
        while (all.here.sender.send(level(sent)) == send_status::sent) {
            ++sent;
        }
        ASSERT_EQ(sent - come, slots);
        ASSERT_EQ(all.here.sender.send(level(sent)), send_status::full);
        ASSERT_EQ(all.here.sender.closed(), channel_end::none);
        for (std::uint64_t n = 0; n <= round % slots; ++n) {
            ASSERT_EQ(take(all.there.receiver), value(come));
            ++come;
        }
    }
    for (; come < sent; ++come) {
        ASSERT_EQ(take(all.there.receiver), value(come));
    }
    EXPECT_EQ(take(all.there.receiver), nothing);
}

TEST(channel, who_opens_is_told_to_the_server) {
    desk server;
    const auto here = server.open();
    ASSERT_TRUE(here);
    const auto there = server.take();
    EXPECT_EQ(there.who.transport, "shm");
    EXPECT_EQ(there.who.process->id, this_process());
}

TEST(channel, two_threads_exchange_values_without_waking_each_other) {
    both all;
    std::thread echo{[there = std::move(all.there)]() mutable {
        for (;;) {
            Level one;
            const auto how = there.receiver.receive(one);
            if (how == receive_status::closed) {
                EXPECT_EQ(there.receiver.closed(), channel_end::ended);
                return;
            }
            if (how == receive_status::empty) {
                std::this_thread::yield();
                continue;
            }
            while (there.sender.send(one) == send_status::full) {
                std::this_thread::yield();
            }
        }
    }};
    std::thread sending{[sender = std::move(all.here.sender)]() mutable {
        for (std::uint64_t n = 0; n < 20'000; ++n) {
            while (sender.send(level(n)) == send_status::full) {
                std::this_thread::yield();
            }
        }
    }};
    std::uint64_t next = 0;
    for (taken one = nothing; one.how != receive_status::closed; one = take(all.here.receiver)) {
        if (one.how == receive_status::received) {
            ASSERT_EQ(one.n, next);
            ++next;
        } else {
            std::this_thread::yield();
        }
    }
    sending.join();
    echo.join();
    EXPECT_EQ(next, 20'000U);
    EXPECT_EQ(all.here.receiver.closed(), channel_end::ended);
}

/// Both sides of a channel of blocks for levels.
struct both_of_blocks {
    explicit both_of_blocks(const channel_options& by) {
        const auto all = std::make_shared<net::channels>();
        std::promise<net::channel<Level, Block>> opened;
        all->add(methods::blocks, by, [&](net::channel<Level, Block> one, const net::peer&) {
            opened.set_value(std::move(one));
        });
        server.emplace(all, net::server_options{});
        here.emplace(*net::open_channel(methods::blocks, server->address, by));
        there.emplace(opened.get_future().get());
    }

    std::optional<desk> server{};
    std::optional<net::channel<Block, Level>> here{};
    std::optional<net::channel<Level, Block>> there{};
};

/// Whether all samples of a block are one number.
[[nodiscard]] bool is_all(const Block& block, float number) {
    return std::all_of(block.samples->begin(), block.samples->end(),
                       [number](float one) { return !(one < number) && !(one > number); });
}

// [MXP-18.14].
TEST(channel, values_that_fill_many_pages_come_whole_into_memory_that_is_there) {
    channel_options by;
    by.capacity = 4;
    both_of_blocks all{by};
    Block sent;
    Block got;
    const float* const place = got.samples->data();
    for (int n = 1; n < 20; ++n) {
        const auto number = static_cast<float>(n);
        sent.samples->fill(number);
        ASSERT_EQ(all.here->sender.send(sent), send_status::sent);
        ASSERT_EQ(all.there->receiver.receive(got), receive_status::received);
        ASSERT_TRUE(is_all(got, number));
        ASSERT_EQ(all.there->receiver.receive(got), receive_status::empty);
    }
    EXPECT_EQ(got.samples->data(), place);
    EXPECT_EQ(all.there->sender.send(level(1)), send_status::sent);
    EXPECT_EQ(take(all.here->receiver), value(1));
}

// [MXP-18.16].
TEST(channel, of_the_latest_only_the_newest_is_seen_and_once) {
    both all{latest()};
    EXPECT_EQ(take(all.there.receiver), nothing);
    for (std::uint64_t n = 1; n < 1000; ++n) {
        for (std::uint64_t m = 0; m < n; ++m) {
            ASSERT_EQ(all.here.sender.send(level(n * 1000 + m)), send_status::sent);
        }
        ASSERT_EQ(take(all.there.receiver), value(n * 1000 + n - 1));
        ASSERT_EQ(take(all.there.receiver), nothing);
    }
    { const auto gone = std::move(all.here.sender); }
    EXPECT_EQ(take(all.there.receiver), over);
    EXPECT_EQ(all.there.receiver.closed(), channel_end::ended);
}

// [MXP-18.16]: a receiver that is overrun all the time sees whole values alone.
TEST(channel, a_value_that_is_written_over_is_never_seen) {
    both_of_blocks all{latest()};
    // Blocks whose samples are all the same, sent in turn as fast as they can be.
    constexpr std::size_t kinds = 16;
    std::array<Block, kinds> blocks;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        blocks[kind].samples->fill(static_cast<float>(kind));
    }
    constexpr std::size_t most = 50'000;
    std::thread sending{[&blocks, sender = std::move(all.here->sender)]() mutable {
        for (std::size_t n = 0; n < most; ++n) {
            ASSERT_EQ(sender.send(blocks[n % kinds]), send_status::sent);
        }
    }};
    Block got;
    std::size_t kind = 0;
    std::size_t seen = 0;
    bool is_whole = true;
    for (auto how = receive_status::empty; is_whole && how != receive_status::closed;
         how = all.there->receiver.receive(got)) {
        if (how == receive_status::received) {
            kind = static_cast<std::size_t>(got.samples->front());
            const Block& sent = blocks[kind % kinds];
            is_whole =
                std::memcmp(got.samples->data(), sent.samples->data(), sizeof(*got.samples)) == 0;
            ++seen;
        }
    }
    sending.join();
    EXPECT_TRUE(is_whole) << kind;
    EXPECT_EQ(all.there->receiver.closed(), channel_end::ended);
    EXPECT_GT(seen, 0U);
    EXPECT_EQ(kind, (most - 1) % kinds);
}

// [MXP-18.17].
TEST(channel, who_waits_is_woken_when_it_is_said_and_else_when_its_time_is_over) {
    channel_options sleeps;
    sleeps.spin = 0us;
    for (const auto& by : {channel_options{}, sleeps, latest()}) {
        both all{by};
        const auto begun = std::chrono::steady_clock::now();
        EXPECT_FALSE(all.there.receiver.wait(30ms));
        EXPECT_FALSE(all.there.receiver.wait(0ms));
        EXPECT_GE(std::chrono::steady_clock::now() - begun, 30ms);
        std::chrono::steady_clock::time_point woken;
        std::thread waiting{[&] {
            EXPECT_TRUE(all.there.receiver.wait(10s));
            woken = std::chrono::steady_clock::now();
        }};
        std::this_thread::sleep_for(20ms);
        EXPECT_EQ(all.here.sender.send(level(1)), send_status::sent);
        const auto said = std::chrono::steady_clock::now();
        all.here.sender.wake();
        waiting.join();
        EXPECT_LT(woken - said, 60ms * running::patience);
        EXPECT_EQ(take(all.there.receiver), value(1));
        // Nobody was woken, but the value is there.
        EXPECT_EQ(all.here.sender.send(level(2)), send_status::sent);
        EXPECT_TRUE(all.there.receiver.wait(0ms));
        EXPECT_EQ(take(all.there.receiver), value(2));
    }
}

TEST(channel, who_waits_for_room_is_woken_too) {
    channel_options by;
    by.spin = 0us;
    both all{by};
    while (all.here.sender.send(level(0)) == send_status::sent) {
    }
    EXPECT_FALSE(all.here.sender.wait(10ms));
    std::thread waiting{[sender = std::move(all.here.sender)]() mutable {
        EXPECT_TRUE(sender.wait(10s));
        EXPECT_EQ(sender.send(level(1)), send_status::sent);
    }};
    std::this_thread::sleep_for(20ms);
    EXPECT_EQ(take(all.there.receiver), value(0));
    all.there.receiver.wake();
    waiting.join();
    for (std::uint64_t n = 1; n < slots; ++n) {
        EXPECT_EQ(take(all.there.receiver), value(0));
    }
    EXPECT_EQ(take(all.there.receiver), value(1));
    EXPECT_EQ(take(all.there.receiver), over);
}

// [MXP-18.17].
TEST(channel, an_end_that_is_gone_is_told_to_the_other_in_memory) {
    const left before = open_now();
    {
        desk server;
        {
            auto here = server.open();
            ASSERT_TRUE(here);
            levels there = server.take().channel;
            EXPECT_EQ(here->sender.closed(), channel_end::none);
            EXPECT_EQ(there.receiver.closed(), channel_end::none);
            EXPECT_EQ(here->sender.send(level(1)), send_status::sent);
            { const auto gone = std::move(here->sender); }
            EXPECT_EQ(take(there.receiver), value(1));
            EXPECT_EQ(take(there.receiver), over);
            EXPECT_EQ(there.receiver.closed(), channel_end::ended);
            EXPECT_EQ(there.sender.send(level(2)), send_status::sent);
            EXPECT_EQ(take(here->receiver), value(2));
            { const auto gone = std::move(here->receiver); }
            EXPECT_EQ(there.sender.closed(), channel_end::ended);
            EXPECT_EQ(there.sender.send(level(3)), send_status::closed);
            EXPECT_EQ(server.connections(), 1U);
        }
        EXPECT_TRUE(soon([&] { return server.connections() == 0; }));
    }
    EXPECT_TRUE(soon([&] { return open_now() == before; }));
}

TEST(channel, a_watcher_looks_after_the_socket_and_closes_the_channel) {
    both all;
    const auto watcher = all.here.watcher();
    const auto other = all.there.watcher();
    EXPECT_TRUE(watcher.is_connected() && other.is_connected());
    EXPECT_EQ(all.here.sender.send(level(1)), send_status::sent);
    watcher.close();
    EXPECT_FALSE(watcher.is_connected());
    EXPECT_EQ(all.here.sender.send(level(2)), send_status::closed);
    EXPECT_EQ(all.here.sender.closed(), channel_end::here);
    EXPECT_EQ(take(all.here.receiver), over);
    EXPECT_EQ(all.here.receiver.closed(), channel_end::here);
    EXPECT_EQ(take(all.there.receiver), value(1));
    EXPECT_EQ(take(all.there.receiver), over);
    EXPECT_EQ(all.there.sender.closed(), channel_end::ended);
    { const auto gone = std::move(all.here); }
    EXPECT_FALSE(other.is_connected() || watcher.is_connected());
}

// A value without an encoding is not sent, and all values around it are.
TEST(channel, a_value_that_has_no_encoding_is_not_sent) {
    both all;
    Level wrong = level(1);
    wrong.place = static_cast<meters::Place>(7);
    EXPECT_EQ(all.here.sender.send(level(0)), send_status::sent);
    EXPECT_EQ(all.here.sender.send(wrong), send_status::invalid);
    EXPECT_EQ(all.here.sender.closed(), channel_end::none);
    EXPECT_EQ(all.here.sender.send(level(2)), send_status::sent);
    EXPECT_EQ(take(all.there.receiver), value(0));
    EXPECT_EQ(take(all.there.receiver), value(2));
    EXPECT_EQ(take(all.there.receiver), nothing);
}

// An end can be replaced by another, and takes its part then.
TEST(channel, an_end_that_is_replaced_has_ended) {
    both first;
    both second;
    first.here = std::move(second.here);
    { const auto gone = std::move(second.here); }
    EXPECT_EQ(take(first.there.receiver), over);
    EXPECT_EQ(first.here.sender.send(level(5)), send_status::sent);
    EXPECT_EQ(take(second.there.receiver), value(5));
}

// [MXP-18.18].
TEST(channel, it_counts_as_a_connection_and_ends_when_the_server_drains) {
    net::server_options how;
    how.connections = 2;
    desk server{channel_options{}, how};
    auto first = server.open();
    const auto second = server.open();
    ASSERT_TRUE(first && second);
    const auto refused = server.open();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ms::status::Unavailable);
    EXPECT_EQ(server.connections(), 2U);
    std::optional<levels> there{server.take().channel};
    EXPECT_EQ(there->sender.send(level(1)), send_status::sent);
    std::thread other{[one = server.take().channel, here = std::move(there)]() mutable {
        EXPECT_TRUE(one.receiver.wait(20s));
        EXPECT_EQ(one.receiver.closed(), channel_end::here);
        // The server closes one channel after the other.
        EXPECT_TRUE(here->receiver.wait(20s));
        EXPECT_EQ(take(here->receiver), over);
        EXPECT_EQ(here->receiver.closed(), channel_end::here);
    }};
    server.drain(10s);
    other.join();
    EXPECT_EQ(take(first->receiver), value(1));
    EXPECT_EQ(take(first->receiver), over);
    EXPECT_EQ(server.connections(), 0U);
}

TEST(channel, a_handler_that_throws_ends_its_channel_alone) {
    const auto all = std::make_shared<net::channels>();
    std::atomic<std::size_t> opened{0};
    std::size_t thrown = 0;
    all->add(methods::levels, {}, [&](const levels&, const net::peer&) {
        ++thrown;
#ifdef _WIN32
        // A channel that is gone leaves its opener no memory to take.
        EXPECT_TRUE(soon([&] { return opened == thrown; }));
#endif
        throw std::runtime_error{"not today"};
    });
    desk server{all, net::server_options{}};
    for (std::size_t n = 1; n < 3; ++n) {
        auto here = server.open();
        ASSERT_TRUE(here);
        opened = n;
        EXPECT_TRUE(here->receiver.wait(10s));
        EXPECT_EQ(here->receiver.closed(), channel_end::ended);
        EXPECT_TRUE(soon([&] { return server.log().count("not today") == n; }));
    }
}

// Ends that nobody gives up keep no server from draining in time.
TEST(channel, a_server_drains_in_time_whoever_has_its_channels) {
    both all;
    all.server.drain(20ms);
    EXPECT_EQ(all.there.receiver.closed(), channel_end::here);
}

}  // namespace

}  // namespace channel_tests
