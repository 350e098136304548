// Agents over sockets [MXP-12].
#include "mxp/agents.hpp"
#include "running.hpp"

using running::until;
namespace net = mxp::net;
using namespace std::chrono_literals;

namespace agents {

namespace {

/// The name of a failure, or nothing.
template <class T>
std::string name_of(const net::outcome<T>& of) {
    return of ? "" : of.error().name;
}

std::string shown(const std::vector<net::agent>& all) {
    std::string text;
    for (const net::agent& one : all) {
        text += one.name;
        for (const std::string& can : one.capabilities) {
            text += " " + can;
        }
        text += one.lease > 0 && one.lease <= 60'000'000 ? ", " : " without a lease, ";
    }
    return text;
}

TEST(agents, are_known_while_their_connection_is_there) {
    running::folder folder;
    asio::io_context context{1};
    net::server_options keeping;
    keeping.agents = true;
    net::server server{context, {}, keeping};
    const auto at = server.listen(folder.at("s")).value();
    std::optional<net::client> mixer{std::in_place, context, at};
    net::client other{context, at};
    std::string said;
    const auto lease = [&](const net::outcome<std::chrono::microseconds>& came) {
        said = came ? std::to_string(came->count()) : came.error().name;
    };
    const auto found = [&](const net::outcome<std::vector<net::agent>>& came) {
        said = came ? "found " + shown(*came) : came.error().name;
    };
    const auto after = [&](const auto& ask) {
        said.clear();
        ask();
        EXPECT_TRUE(until(context, [&] { return !said.empty(); }));
        return said;
    };
    EXPECT_EQ(after([&] {
                  mixer->register_agent("mixer", {"mix", "eq"}, 30s, lease);
              }),
              "30000000");
    EXPECT_EQ(after([&] { other.register_agent("meter", {"eq"}, 1us, lease); }), "1000000");
    EXPECT_EQ(after([&] { other.register_agent("mixer", {}, 30s, lease); }), "agent_taken");
    EXPECT_EQ(after([&] { other.register_agent("", {}, 30s, lease); }), "agent_invalid");
    EXPECT_EQ(after([&] { mixer->heartbeat("mixer", lease); }), "30000000");
    EXPECT_EQ(after([&] { other.heartbeat("mixer", lease); }), "agent_unknown");
    EXPECT_EQ(after([&] { other.discover("mix", found); }), "found mixer mix eq, ");
    EXPECT_EQ(after([&] { other.discover("", found); }), "found meter eq, mixer mix eq, ");
    mixer.reset();
    EXPECT_TRUE(until(context, [&] { return server.connections() == 1; }));
    EXPECT_EQ(after([&] { other.discover("mix", found); }), "found ");
    EXPECT_EQ(after([&] { other.register_agent("mixer", {}, 30s, lease); }), "30000000");
}

TEST(agents, are_refused_where_nobody_keeps_them) {
    running::folder folder;
    asio::io_context context{1};
    net::server server{context, {}};
    const auto at = server.listen(folder.at("s")).value();
    net::client client{context, at};
    std::optional<net::failure> why;
    client.discover("",
                    [&](const net::outcome<std::vector<net::agent>>& came) { why = came.error(); });
    EXPECT_TRUE(until(context, [&] { return why.has_value(); }));
    EXPECT_EQ(why->name, "agents_off");
    EXPECT_EQ(why->peer, at);
    EXPECT_FALSE(why->acted);
}

TEST(agents, register_by_blocking_clients) {
    net::server_options keeping;
    keeping.agents = true;
    running::in_thread served{keeping};
    net::blocking_client mixer{served.address};
    net::blocking_client other{served.address};
    EXPECT_EQ(mixer.register_agent("mixer", {"mix"}, 30s).value(), 30s);
    EXPECT_EQ(mixer.heartbeat("mixer").value(), 30s);
    EXPECT_EQ(name_of(other.heartbeat("mixer")), "agent_unknown");
    EXPECT_EQ(name_of(other.register_agent("mixer", {}, 30s)), "agent_taken");
    EXPECT_EQ(shown(other.discover("mix").value()), "mixer mix, ");
    EXPECT_EQ(shown(other.discover("none").value()), "");
}

}  // namespace

}  // namespace agents
