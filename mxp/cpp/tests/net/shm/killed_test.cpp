// Processes that are killed at any moment [MXP-18.10].
#include <random>

#include "parts.hpp"
#include "sharing.hpp"

namespace killed_tests {

namespace {

using namespace sharing;

/// The number of times that a process is killed.
std::size_t kills() {
    const char* const asked = std::getenv("MXP_KILLS");
    return asked == nullptr ? 6 : std::stoul(asked);
}

const bool has_parts = [] {
    parts()["server"] = [](const std::string& address) {
        const served server{{}, {}, address};
        std::this_thread::sleep_for(1h);
    };
    parts()["client"] = [](const std::string& address) {
        asking one{address};
        std::mt19937 random{std::random_device{}()};
        for (;;) {
            one.call(std::string(random() % 100'000, 'v'));
        }
    };
    return true;
}();

// This program's other processes are this test.
TEST(part, of_a_process_is_done) {
    const char* const name = std::getenv(part_name);
    if (name == nullptr) {
        EXPECT_EQ(parts().count("server"), 1U);
        return;
    }
    parts().at(name)(std::getenv(part_address));
}

/// How calls end whose server is killed.
bool is_loss(const net::failure& why) {
    return why.name == "session_lost" || why.name == "not_connected" ||
           why.name == "deadline_exceeded";
}

// Each call ends once, by its answer or as one that was lost, and no memory, descriptor or file is
// left.
TEST(killed, calls_end_once_with_their_server) {
    std::mt19937 random{7};
    std::size_t answered = 0;
    for (std::size_t n = 0; n < kills(); ++n) {
        const running::folder folder;
        const std::string address = folder.at("s", "shm");
        const left before = open_now();
        part server{"server", address};
        EXPECT_FALSE(asking{address}.call("is there"));
        asking one{address, {}, 100ms};
        std::size_t ended = 0;
        std::size_t lost = 0;
        std::function<void(std::size_t)> ask = [&](std::size_t which) {
            one.client().call("demo.Echo", 1, std::string(which * 2'000, 'v'), {},
                              [&, which](const net::answer& came) {
                                  ++ended;
                                  if (came.failed) {
                                      ++lost;
                                      EXPECT_TRUE(is_loss(*came.failed)) << to_string(*came.failed);
                                      return;
                                  }
                                  EXPECT_EQ(came.value.size(), which * 2'000);
                                  ++answered;
                                  ask(which);
                              });
        };
        for (std::size_t which = 0; which < 20; ++which) {
            ask(which);
        }
        std::thread blocked{[&] {
            net::blocking_options how;
            how.connect_timeout = 100ms;
            net::blocking_client other{address, how};
            std::optional<net::failure> why;
            while (!why) {
                why = call(other, "x");
            }
            EXPECT_TRUE(is_loss(*why)) << to_string(*why);
        }};
        // Every second one is killed while clients connect.
        const std::size_t before_it = answered;
        running::until(one.context(), [&] { return n % 2 == 0 || answered > before_it; });
        const std::chrono::milliseconds more{random() % 20};
        running::until(
            one.context(), [] { return false; }, more);
        server.kill();
        EXPECT_TRUE(running::until(one.context(), [&] { return lost == 20; }));
        blocked.join();
        one.client().close();
        running::until(
            one.context(), [] { return false; }, 5ms);
        EXPECT_TRUE(soon([&] { return open_now() == before; }));
    }
    EXPECT_GT(answered, 0U);
}

// Clients that are killed are forgotten, and others are served.
TEST(killed, nothing_is_left_of_clients) {
    std::mt19937 random{8};
    served server;
    asking one{server.address};
    EXPECT_FALSE(one.call("hello"));
    const left before = open_now();
    for (std::size_t n = 0; n < kills(); ++n) {
        part other{"client", server.address};
        EXPECT_TRUE(soon([&] { return server.connections() == 2; }));
        std::this_thread::sleep_for(std::chrono::microseconds{random() % 20'000});
        other.kill();
        EXPECT_TRUE(soon([&] { return server.connections() == 1; }));
        EXPECT_FALSE(one.call(std::string(100'000, 'v')));
        EXPECT_TRUE(soon([&] { return open_now() == before; }));
    }
    EXPECT_EQ(server.stats().in_flight_peer, 0U);
}

// A blocking client that waits finds out soon. [MXP-18.10]
TEST(killed, who_sleeps_finds_out) {
    const running::folder folder;
    const std::string address = folder.at("s", "shm");
    part server{"server", address};
    net::blocking_client one{address};
    EXPECT_FALSE(call(one, "hello"));
    std::thread killing{[&] {
        std::this_thread::sleep_for(50ms);
        server.kill();
    }};
    const auto lost = one.call("demo.Echo", 5, std::string_view{"never"});
    const auto at = std::chrono::steady_clock::now();
    killing.join();
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().name, "session_lost");
    EXPECT_TRUE(lost.error().acted);
    EXPECT_LT(std::chrono::steady_clock::now() - at, 5s);
}

}  // namespace

}  // namespace killed_tests
