// Named pipes of Windows [MXP-21].
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mxp/net/admission.hpp"
#include "mxp/net/transports.hpp"
#include "running.hpp"

using running::until;
namespace net = mxp::net;
using mxp::session::status;
using namespace std::chrono_literals;

namespace pipe_tests {

namespace {

constexpr const char* service = "demo.Echo";

/// The system's name of the pipe at an address.
std::string path_of(const std::string& at) {
    return net::detail::pipe_path(net::parse_address(at).value().path);
}

/// The access list of this program's user, or of all users who have logged in.
net::detail::access_list access(bool any_user = false) {
    return net::detail::access_list{net::detail::pipe_access(running::own_user(), any_user)};
}

/// The bytes of a pipe up to its end.
std::string read_all(net::blocking_bytes& from) {
    std::string all;
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < end) {
        running::bytes room(100);
        std::error_code why;
        const std::size_t n = from.read(room.data(), room.size(), why);
        if (n == 0 && why != std::errc::operation_would_block) {
            EXPECT_FALSE(why) << why.message();
            return all;
        }
        all += running::text_of({room.data(), n});
        static_cast<void>(from.wait(true, false, 1s));
    }
    ADD_FAILURE() << "the pipe has no end";
    return all;
}

/// Writes to a pipe, and returns why it could not.
std::error_code write_all(net::blocking_bytes& to, std::string text) {
    const net::iovec piece{text.data(), text.size()};
    std::error_code why;
    do {
        static_cast<void>(to.wait(false, true, 1s));
        static_cast<void>(to.write(&piece, 1, why));
    } while (why == std::errc::operation_would_block);
    return why;
}

// [MXP-21.1]
TEST(pipes_of_windows, have_names) {
    const std::string longest(200, 'x');
    for (const std::string& name : {std::string{"x"}, std::string{"A-z_0.9"}, longest}) {
        const std::string at = "mxp+pipe://" + name;
        EXPECT_EQ(net::to_string(net::parse_address(at).value()), at);
    }
    for (const std::string& name : {std::string{}, std::string{"a b"}, std::string{"a\\b"},
                                    std::string{"a/b"}, std::string{"\xC3\xBC"}, longest + "x"}) {
        EXPECT_FALSE(net::parse_address("mxp+pipe://" + name)) << name;
    }
}

// [MXP-21.2]
TEST(pipes_of_windows, are_served_by_one_server) {
    const running::folder folder;
    const std::string at = folder.at("s");
    asio::io_context context{1};
    const auto seen = std::make_shared<running::seen>();
    net::server first{context, running::echo(seen)};
    ASSERT_TRUE(first.listen(at));
    net::server second{context, running::echo(seen)};
    const auto refused = second.listen(at);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, std::errc::address_in_use);
    EXPECT_EQ(refused.error().text, "somebody listens on " + path_of(at));
    // A connection keeps the name, and a server that drains serves it no more.
    net::client client{context, at};
    std::size_t held = 0;
    client.call(service, 5, std::string_view{}, {}, [&](const net::answer&) {});
    ASSERT_TRUE(until(context, [&] { return seen->held.size() == 1; }));
    first.drain("restart", 60s, [] {});
    EXPECT_TRUE(until(context, [&] {
        held = second.listen(at) ? 1 : 0;
        return held == 1;
    }));
    EXPECT_EQ(first.connections(), 1U);
    seen->held.clear();
    first.close();
    second.close();
    net::server third{context, {}};
    EXPECT_TRUE(until(context, [&] { return third.listen(at).has_value(); }));
}

// A thread that ends gives its event back, and nothing of another's.
TEST(pipes_of_windows, leave_nothing_of_threads_that_end) {
    const auto count = [] {
        DWORD n = 0;
        EXPECT_NE(::GetProcessHandleCount(::GetCurrentProcess(), &n), 0);
        return n;
    };
    const auto end_many = [] {
        for (int i = 0; i < 200; ++i) {
            std::thread{[] {
                EXPECT_NE(net::detail::own_event(), nullptr);
                EXPECT_EQ(net::detail::own_event(), net::detail::own_event());
                *net::detail::read_room() = std::byte{1};
            }}.join();
        }
    };
    end_many();
    const DWORD before = count();
    end_many();
    EXPECT_LE(count(), before + 5);
}

// [MXP-21.2]
TEST(pipes_of_windows, have_an_instance_before_a_connection_is_given) {
    const running::folder folder;
    const auto at = net::parse_address(folder.at("s")).value();
    asio::io_context context{1};
    std::vector<std::unique_ptr<net::byte_stream>> given;
    std::vector<net::detail::system_handle> opened;
    const auto open = [&] {
        auto made = net::detail::try_pipe(at.path);
        EXPECT_TRUE(made && *made) << given.size();
        opened.push_back(std::move(*made));
    };
    const auto serves = net::pipe_transport{}.listen(context, at, net::server_options{},
                                                     [&](std::unique_ptr<net::byte_stream> bytes) {
                                                         given.push_back(std::move(bytes));
                                                         if (given.size() < 4) {
                                                             open();
                                                         }
                                                     });
    ASSERT_TRUE(serves);
    open();
    EXPECT_TRUE(until(context, [&] { return given.size() == 4; }));
    serves->close();
}

// [MXP-21.3]
TEST(pipes_of_windows, are_waited_for_while_all_instances_are_taken) {
    const running::folder folder;
    const std::string at = folder.at("s");
    asio::io_context there{1};
    net::server server{there, running::echo(std::make_shared<running::seen>())};
    ASSERT_TRUE(server.listen(at));
    const auto taken = net::detail::try_pipe(net::parse_address(at)->path);
    ASSERT_TRUE(taken && *taken);
    const auto none = net::detail::try_pipe(net::parse_address(at)->path);
    EXPECT_TRUE(none && !*none);
    asio::io_context here{1};
    net::client client{here, at};
    bool is_answered = false;
    client.call(service, 1, std::string_view{}, {},
                [&](const net::answer& came) { is_answered = !came.failed; });
    static_cast<void>(until(
        here, [] { return false; }, 50ms));
    EXPECT_TRUE(until(here, [&] {
        there.restart();
        there.poll();
        return is_answered;
    }));
    net::blocking_options how;
    how.connect_timeout = 1min;
    net::blocking_client blocking{at, how};
    std::thread serving{[&] {
        std::this_thread::sleep_for(50ms);
        const auto works = asio::make_work_guard(there);
        there.restart();
        there.run();
    }};
    EXPECT_TRUE(blocking.call(service, 1, std::string_view{}));
    there.stop();
    serving.join();
}

// [MXP-21.2]
TEST(pipes_of_windows, are_for_the_own_user_unless_others_are_let_in) {
    const std::string own = running::own_user();
    const std::string alone = "O:" + own + "D:P(A;;GA;;;" + own + ")";
    EXPECT_EQ(net::detail::pipe_access(own, false), alone);
    EXPECT_EQ(net::detail::pipe_access(own, true), alone + "(A;;0x12019b;;;AU)");
    EXPECT_EQ(net::detail::pipe_rights, 0x12019bU);
    EXPECT_TRUE(access(true));
}

// [MXP-21.4] [MXP-16.4]
TEST(pipes_of_windows, tell_the_process_and_user_of_a_peer) {
    const running::folder folder;
    for (const bool any_user : {false, true}) {
        asio::io_context context{1};
        std::optional<net::peer> told;
        net::server_options how;
        how.any_user = any_user;
        how.admit = [&](const net::peer& who) -> std::optional<net::failure> {
            told = who;
            return std::nullopt;
        };
        net::server server{context, running::echo(std::make_shared<running::seen>()), how};
        const std::string at = server.listen(folder.at(any_user ? "any" : "own")).value();
        net::client client{context, at};
        bool is_answered = false;
        client.call(service, 1, std::string_view{}, {},
                    [&](const net::answer& came) { is_answered = !came.failed; });
        ASSERT_TRUE(until(context, [&] { return is_answered; }));
        ASSERT_TRUE(told && told->process);
        EXPECT_EQ(told->process->id, ::GetCurrentProcessId());
        EXPECT_EQ(told->process->user, running::own_user());
        EXPECT_FALSE(told->process->group);
        EXPECT_FALSE(net::detail::admit_same_user(*told));
        told->process->user = running::other_user();
        EXPECT_EQ(net::detail::admit_same_user(*told).value().text,
                  "the peer runs as user " + running::other_user());
    }
}

// A name that another user serves is not for this program [MXP-21.3].
TEST(pipes_of_windows, of_others_are_refused) {
    const std::string nobody = "S-1-5-21-1-2-3-1000";
    const running::folder folder;
    const std::string at = folder.at("s");
    const net::detail::access_list others{"O:" + nobody + "D:(A;;GA;;;WD)"};
    // One for each client, and one for a server that looks.
    std::vector<net::detail::system_handle> instances;
    for (int i = 0; i < 3; ++i) {
        instances.push_back(net::detail::make_instance(path_of(at), others, 0));
    }
    if (!instances.back()) {
        GTEST_SKIP() << "this system lets nobody make pipes of others";
    }
    const std::string text =
        "the pipe is that of user " + nobody + ", and this program runs as " + running::own_user();
    const auto refused = net::blocking_client{at}.call(service, 1, std::string_view{});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, status::FailedPrecondition);
    EXPECT_NE(refused.error().text.find(text), std::string::npos) << refused.error().text;
    asio::io_context context{1};
    net::client client{context, at};
    std::optional<net::failure> why;
    client.call(service, 1, std::string_view{}, {},
                [&](const net::answer& came) { why = came.failed; });
    ASSERT_TRUE(until(context, [&] { return why.has_value(); }));
    EXPECT_EQ(why->status, status::FailedPrecondition);
    EXPECT_NE(why->text.find(text), std::string::npos) << why->text;
    net::server server{context, {}};
    EXPECT_FALSE(server.listen(at));
}

// [MXP-21.4]
TEST(pipes_of_windows, have_bytes_that_are_read_before_the_end) {
    const running::folder folder;
    const std::string path = path_of(folder.at("s"));
    for (const bool is_servers : {true, false}) {
        auto made = net::detail::make_instance(path, access(), 0);
        auto opened = net::detail::open_pipe(path);
        ASSERT_TRUE(made && opened);
        if (is_servers) {
            std::swap(made, opened);
        }
        net::detail::pipe_bytes reader{std::move(made)};
        {
            net::detail::pipe_bytes writer{std::move(opened)};
            EXPECT_FALSE(write_all(writer, "all of it"));
        }
        EXPECT_EQ(read_all(reader), "all of it");
        EXPECT_EQ(write_all(reader, "late"), std::errc::broken_pipe);
    }
}

// [MXP-21.4]
TEST(pipes_of_windows, tell_what_is_no_frame_before_their_end) {
    const running::in_thread server;
    auto opened = net::detail::open_pipe(path_of(server.address));
    ASSERT_TRUE(opened);
    net::detail::pipe_bytes peer{std::move(opened)};
    EXPECT_FALSE(write_all(peer, std::string(64, '\xFF')));
    const std::string told = read_all(peer);
    EXPECT_NE(told.find("frame_magic"), std::string::npos) << told;
}

}  // namespace

}  // namespace pipe_tests
