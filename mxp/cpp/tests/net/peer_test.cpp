// Peers that ask, and the rules that let them in.
#include "mxp/net/system/features.hpp"
#if MXP_HAS_UNIX_SOCKETS
#include <unistd.h>
#endif

#include "running.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;
using namespace std::chrono_literals;

namespace peers {

namespace {

constexpr net::method echo{"demo.Echo", 1, "echo"};

/// How a call ends.
net::answer ask(asio::io_context& on, net::client& by) {
    std::optional<net::answer> came;
    by.call(echo, std::string_view{"x"}, {}, [&](const net::answer& told) { came = told; });
    EXPECT_TRUE(until(on, [&] { return came.has_value(); }));
    return came.value_or(net::answer{});
}

TEST(peer, is_seen_by_handlers_and_interceptors) {
    asio::io_context context{1};
    running::folder folder;
    std::vector<std::shared_ptr<const net::peer>> seen;
    net::services all;
    all.service("demo.Echo").call(1, [&](const net::request& asked, const net::responder& to) {
        seen.push_back(asked.peer);
        to.respond(asked.value);
    });
    all.intercept([&](net::incoming_request& asked) { seen.push_back(asked.request.peer); });
    net::server server{context, std::move(all)};
    const auto own_at = server.listen(folder.at("s")).value();
    const auto tcp_at = server.listen("mxp+tcp://127.0.0.1:0").value();
    for (const auto& at : {own_at, tcp_at}) {
        net::client client{context, at};
        EXPECT_FALSE(ask(context, client).failed);
    }
    ASSERT_EQ(seen.size(), 4U);
    EXPECT_EQ(seen[0], seen[1]);
    const net::peer& here = *seen[0];
    EXPECT_EQ(here.transport, running::plain);
    EXPECT_EQ(here.process.has_value(), running::plain == "unix");
#if MXP_HAS_UNIX_SOCKETS
    EXPECT_EQ(here.address, own_at);
    EXPECT_EQ(here.process->user, ::geteuid());
    EXPECT_EQ(here.process->group, ::getegid());
    EXPECT_EQ(here.process->id, ::getpid());
#endif
    const net::peer& there = *seen[2];
    EXPECT_EQ(there.transport, "tcp");
    EXPECT_EQ(there.address.find("mxp+tcp://127.0.0.1:"), 0U) << there.address;
    EXPECT_FALSE(there.process);
    EXPECT_FALSE(there.certificate);
}

TEST(peer, that_is_not_let_in_is_told_why_and_does_not_come_back_at_once) {
    asio::io_context context{1};
    running::folder folder;
    bool is_open = false;
    int asked = 0;
    net::server_options how;
    how.admit = [&](const net::peer& who) -> std::optional<net::failure> {
        EXPECT_EQ(who.transport, running::plain);
        ++asked;
        net::failure why;
        why.text = "not this one";
        return is_open ? std::nullopt : std::optional{why};
    };
    net::server server{context, running::echo(std::make_shared<running::seen>()), how};
    const auto at = server.listen(folder.at("s")).value();
    net::client_options with;
    with.pause_least = 10s;
    with.pause_most = 10s;
    std::vector<std::string> log;
    with.logger = [&](net::severity, std::string_view line) { log.emplace_back(line); };
    {
        net::client client{context, at, with};
        for (int i = 0; i < 3; ++i) {
            const auto came = ask(context, client);
            ASSERT_TRUE(came.failed);
            EXPECT_EQ(came.failed->status, mxp::session::status::PermissionDenied);
            EXPECT_EQ(came.failed->name, "not_admitted");
            EXPECT_EQ(came.failed->text, "not this one");
            EXPECT_FALSE(came.failed->acted);
        }
        EXPECT_EQ(asked, 1);
    }
    net::blocking_client blocking{at};
    std::thread running{[&] {
        const auto came = blocking.call(echo, {});
        ASSERT_FALSE(came);
        EXPECT_EQ(came.error().name, "not_admitted");
    }};
    EXPECT_TRUE(until(context, [&] { return asked == 2 && server.connections() == 0; }));
    running.join();
    is_open = true;
    with.pause_least = with.pause_most = 1ms;
    net::client later{context, at, with};
    EXPECT_FALSE(ask(context, later).failed);
}

TEST(peer, that_is_let_in_later_is_served_by_the_same_client) {
    asio::io_context context{1};
    running::folder folder;
    int asked = 0;
    net::server_options how;
    how.admit = [&](const net::peer&) -> std::optional<net::failure> {
        net::failure why;
        why.status = mxp::session::status::Unauthenticated;
        why.name = "who_is_this";
        return ++asked > 3 ? std::nullopt : std::optional{why};
    };
    net::server server{context, running::echo(std::make_shared<running::seen>()), how};
    const auto at = server.listen(folder.at("s")).value();
    net::client_options with;
    with.pause_least = with.pause_most = 1ms;
    std::vector<std::string> log;
    with.logger = [&](net::severity, std::string_view line) {
        log.emplace_back(line.substr(at.size()));
    };
    net::client client{context, at, with};
    const auto came = ask(context, client);
    ASSERT_TRUE(came.failed);
    EXPECT_EQ(came.failed->name, "who_is_this");
    EXPECT_EQ(came.failed->status, mxp::session::status::Unauthenticated);
    EXPECT_TRUE(until(context, [&] { return asked > 3 && client.is_connected(); }));
    EXPECT_FALSE(ask(context, client).failed);
    // It is told once, not for each attempt [MXP-14.5].
    EXPECT_EQ(log, (std::vector<std::string>{": connected", ": not connected: who_is_this",
                                             ": connected"}));
}

}  // namespace

}  // namespace peers
