// Channels of other users, and of openers that end before theirs is opened, at unix sockets.
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "channels.hpp"
#include "peer.hpp"

namespace user_tests {

namespace {

using namespace sharing;

/// Does something as a user that only root can become: on a thread of its own.
void as_nobody(const std::function<void()>& what) {
    std::thread{[&] {
        constexpr uid_t nobody = 65'534;
        // The library's function would change the user of all threads.
        ASSERT_EQ(::syscall(SYS_setresuid, nobody, nobody, nobody), 0);
        what();
    }}.join();
}

// [MXP-16.4], [MXP-18.11], [MXP-18.13]: also where the socket's file lets
// everybody connect. A client asks nobody whose server it is.
TEST(refusal, of_another_user_unless_all_are_let_in) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can be somebody else";
    }
    for (const bool is_open : {false, true}) {
        net::server_options how;
        how.any_user = is_open;
        desk server{channel_options{}, how};
        const std::string path = server.address.substr(server.address.find("//") + 2);
        ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
        ASSERT_EQ(::chmod(path.substr(0, path.rfind('/')).c_str(), 0755), 0);
        as_nobody([&] {
            auto made = server.open();
            const auto called =
                net::blocking_client{server.address}.call("demo.Echo", 1, std::string_view{});
            ASSERT_FALSE(called);
            if (is_open) {
                ASSERT_TRUE(made) << to_string(made.error());
                EXPECT_EQ(called.error().name, "service_unknown") << to_string(called.error());
                auto there = server.take();
                EXPECT_EQ(there.who.transport, "shm");
                EXPECT_EQ(there.who.process->user, 65'534U);
                EXPECT_EQ(made->sender.send(level(7)), send_status::sent);
                EXPECT_EQ(sharing::take(there.channel.receiver), value(7));
                return;
            }
            ASSERT_FALSE(made);
            for (const auto& why : {made.error(), called.error()}) {
                EXPECT_EQ(why.status, ms::status::PermissionDenied) << to_string(why);
                EXPECT_EQ(why.name, "not_admitted");
                EXPECT_EQ(why.text, "the peer runs as user 65534");
            }
        });
        EXPECT_FALSE(server.has_opened());
    }
}

// [MXP-18.18].
TEST(refusal, a_channel_that_is_offered_and_not_opened_is_closed_in_time) {
    net::server_options how;
    how.limits.hello_us = 50'000;
    desk server{channel_options{}, how};
    const descriptor socket = dial(server.address);
    const descriptor memory = file();
    auto offer = an_offer();
    offer[6] = 1;
    send_with(socket.get(), offer.data(), offer.size(), {memory.get()});
    const auto begun = std::chrono::steady_clock::now();
    static_cast<void>(receive(socket.get()));
    const auto waited = std::chrono::steady_clock::now() - begun;
    EXPECT_GE(waited, 40ms);
    EXPECT_LT(waited, 5s);
    EXPECT_TRUE(soon([&] { return server.connections() == 0; }));
}

}  // namespace

}  // namespace user_tests
