// Processes with channels that are killed at any moment [MXP-18.17].
#include <random>

#include "channels.hpp"
#include "parts.hpp"

namespace killed_channel_tests {

namespace {

using namespace sharing;

/// The number of times that a process is killed.
std::size_t kills() {
    const char* const asked = std::getenv("MXP_KILLS");
    return asked == nullptr ? 6 : std::stoul(asked);
}

const bool has_parts = [] {
    parts()["sender"] = [](const std::string& address) {
        auto made = net::open_channel(methods::levels, address);
        for (std::uint64_t n = 0; made->sender.closed() == channel_end::none;) {
            if (made->sender.send(level(n)) == send_status::sent) {
                ++n;
            } else {
                static_cast<void>(made->sender.wait(1s));
            }
            made->sender.wake();
        }
    };
    return true;
}();

// This program's other processes are this test.
TEST(part, of_a_process_is_done) {
    const char* const name = std::getenv(part_name);
    if (name == nullptr) {
        EXPECT_EQ(parts().count("sender"), 1U);
        return;
    }
    parts().at(name)(std::getenv(part_address));
}

// [MXP-18.17].
TEST(killed, of_a_process_there_are_whole_values_and_then_its_loss) {
    desk server;
    std::mt19937 random{9};
    std::uint64_t all = 0;
    for (std::size_t n = 0; n < kills(); ++n) {
        part other{"sender", server.address};
        std::thread taking{[&, channel = server.take().channel]() mutable {
            std::uint64_t next = 0;
            for (taken one = nothing; one.how != receive_status::closed;
                 one = take(channel.receiver)) {
                if (one.how == receive_status::received) {
                    ASSERT_EQ(one.n, next);
                    ++next;
                } else {
                    channel.receiver.wake();
                    static_cast<void>(channel.receiver.wait(1s));
                }
            }
            EXPECT_EQ(channel.receiver.closed(), channel_end::lost);
            EXPECT_EQ(channel.sender.closed(), channel_end::lost);
            all += next;
        }};
        std::this_thread::sleep_for(std::chrono::microseconds{random() % 20'000});
        other.kill();
        taking.join();
        EXPECT_TRUE(soon([&] { return server.connections() == 0; }));
    }
    EXPECT_GT(all, 0U);
}

}  // namespace

}  // namespace killed_channel_tests
