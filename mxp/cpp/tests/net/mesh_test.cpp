// Clients of agents that a node tells of, and programs that are registered at it [MESH-3].
#include "lying_node.hpp"
#include "mxp/agents.hpp"
#include "running.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;
using namespace std::chrono_literals;

namespace mesh_tests {

namespace {

constexpr net::method who{"who.Am", 1, "who"};
constexpr net::method hold{"who.Am", 2, "hold"};

/// A node, agents around it, and their clients.
class mesh : public testing::Test {
   protected:
    std::string at(const std::string& name) const { return folder.at(name); }
    void begin_node() {
        net::server_options keeping;
        keeping.agents = true;
        node = std::make_unique<net::server>(context, net::services{}, keeping);
        ASSERT_TRUE(node->listen(at("node")));
    }
    /// Serves at a place, whose name is the answer.
    void serve(const std::string& place) {
        net::services all;
        all.service("who.Am")
            .call(1, [place](const net::request&,
                             const net::responder& to) { to.respond(std::string_view{place}); })
            .call(2, [this](const net::request&, const net::responder& to) { held.push_back(to); });
        servers[place] = std::make_unique<net::server>(context, std::move(all));
        ASSERT_TRUE(servers[place]->listen(at(place)));
    }
    void announce(const std::string& name, std::vector<std::string> places) {
        mxp::registry::Registration asked;
        asked.name = name;
        asked.capabilities = {"answers"};
        asked.services = {"who.Am"};
        asked.lease = 1'000'000;
        for (const std::string& place : places) {
            asked.addresses.push_back(at(place));
        }
        announced[name] = std::make_unique<net::announcement>(context, asked, options());
        EXPECT_TRUE(until(context, [&] { return announced[name]->epoch() != 0; }));
    }
    net::client_options options() const {
        net::client_options made;
        made.node = at("node");
        made.connect_timeout = 20s;
        return made;
    }
    std::string ask(net::client& by, std::chrono::microseconds deadline = 20s) {
        std::optional<std::string> came;
        net::call_options how;
        how.deadline = deadline;
        by.call(who, std::string_view{}, how, [&](const net::answer& told) {
            came = told.failed ? told.failed->name : text_of(told.value);
        });
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        return came.value_or("");
    }
    bool comes_to(net::client& by, const std::string& answer,
                  std::chrono::microseconds deadline = 20s) {
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (ask(by, deadline) != answer) {
            if (std::chrono::steady_clock::now() > end) {
                return false;
            }
        }
        return true;
    }
    void rest(std::chrono::milliseconds time) {
        const auto end = std::chrono::steady_clock::now() + time;
        until(context, [&] { return std::chrono::steady_clock::now() > end; });
    }

    running::folder folder;
    asio::io_context context{1};
    std::unique_ptr<net::server> node;
    std::map<std::string, std::unique_ptr<net::server>> servers;
    std::vector<net::responder> held;
    std::map<std::string, std::unique_ptr<net::announcement>> announced;
};

// [MESH-3.1]
TEST_F(mesh, addresses_that_name_no_agents_are_refused) {
    const std::string long_one(255, 'n');
    for (const std::string& wrong :
         {std::string{"mesh:///"}, std::string{"mesh:///?"}, std::string{"mesh:///a b"},
          std::string{"mesh:///a..b"}, std::string{"mesh:///."}, std::string{"mesh:///a."},
          std::string{"mesh:///*"}, std::string{"mesh:///>"}, std::string("mesh:///a\0", 10),
          std::string{"mesh:///?capability="}, std::string{"mesh:///?capability=a&capability=b"},
          std::string{"mesh:///?colour=red"}, std::string{"mesh:///?name=*"},
          std::string{"mesh:///ä"}, std::string{"mesh://host/name"}, "mesh:///" + long_one}) {
        net::client client{context, wrong, options()};
        EXPECT_EQ(ask(client), "address_invalid") << wrong;
    }
    net::client two{context, std::vector<std::string>{at("x"), "mesh:///a"}, options()};
    EXPECT_EQ(ask(two), "address_invalid");
    for (const std::string& name :
         {std::string{}, std::string{"a b"}, std::string{"*"}, std::string{">"}, std::string{"."},
          std::string("a\0", 2), long_one}) {
        mxp::registry::Registration asked;
        asked.name = name;
        std::string why;
        const net::announcement refused{context, asked, options(),
                                        [&](std::uint64_t epoch, const net::failure* lost) {
                                            EXPECT_EQ(epoch, 0U);
                                            why = lost->name;
                                        }};
        EXPECT_TRUE(until(context, [&] { return !why.empty(); }));
        EXPECT_EQ(why, "agent_invalid") << name;
    }
}

// [MESH-1.3]
TEST_F(mesh, own_node_is_where_it_was_told_or_the_environment_says) {
    running::set_environment("MXP_MESH", "");
    running::set_environment("XDG_RUNTIME_DIR", "");
    const auto at = [](const char* socket) {
        return std::string{MXP_HAS_PIPES ? "mxp+pipe://sdp-mesh" : "mxp+unix://"} +
               (MXP_HAS_PIPES ? "" : socket);
    };
    EXPECT_EQ(net::node_address(), at("/run/sdp-mesh/node.sock"));
    running::set_environment("XDG_RUNTIME_DIR", "/run/user/7");
    EXPECT_EQ(net::node_address(), at("/run/user/7/sdp-mesh/node.sock"));
    running::set_environment("MXP_MESH", "mxp+unix:///n");
    EXPECT_EQ(net::node_address(), "mxp+unix:///n");
    EXPECT_EQ(net::node_address("mxp+unix:///told"), "mxp+unix:///told");
    running::set_environment("MXP_MESH", "");
    running::set_environment("XDG_RUNTIME_DIR", "");
}

// [MESH-3.2]
TEST_F(mesh, clients_follow_agents_that_come_and_go_and_move) {
    begin_node();
    serve("one");
    announce("first", {"one"});
    net::client by_name{context, "mesh:///first", options()};
    net::client by_service{context, "mesh:///?service=who.Am&capability=answers", options()};
    EXPECT_EQ(ask(by_name), "one");
    serve("two");
    announce("second", {"two"});
    EXPECT_TRUE(comes_to(by_service, "two"));
    EXPECT_TRUE(comes_to(by_service, "one"));
    // Calls in flight are answered when the agent has gone.
    std::string slow;
    by_name.call(hold, std::string_view{}, {}, [&](const net::answer& told) {
        slow = told.failed ? told.failed->name : text_of(told.value);
    });
    EXPECT_TRUE(until(context, [&] { return held.size() == 1; }));
    announced.erase("first");
    bool is_left_out = false;
    for (int i = 0; i < 1'000 && !is_left_out; ++i) {
        rest(10ms);
        is_left_out = true;
        for (int n = 0; n < 20; ++n) {
            is_left_out = ask(by_service) != "one" && is_left_out;
        }
    }
    EXPECT_TRUE(is_left_out);
    EXPECT_EQ(slow, "");
    held.front().respond(std::string_view{"late"});
    EXPECT_TRUE(until(context, [&] { return !slow.empty(); }));
    EXPECT_EQ(slow, "late");
    // Its connections are gone, and it is found at another place, by the second of its addresses.
    EXPECT_TRUE(until(context, [&] { return servers["one"]->connections() == 0; }));
    servers.erase("one");
    serve("three");
    announce("first", {"nobody", "three"});
    EXPECT_EQ(ask(by_name), "three");
    EXPECT_TRUE(comes_to(by_service, "three"));
}

// [MESH-3.3]
TEST_F(mesh, agents_are_asked_on_while_the_node_is_gone) {
    begin_node();
    serve("one");
    announce("a", {"one"});
    std::optional<net::client> known;
    known.emplace(context, "mesh:///a", options());
    net::client_options hasty = options();
    hasty.connect_timeout = 300ms;
    std::optional<net::client> nobody;
    nobody.emplace(context, "mesh:///nobody", hasty);
    EXPECT_EQ(ask(*known), "one");
    EXPECT_TRUE(comes_to(*nobody, "agent_unknown", 200ms));
    node.reset();
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(ask(*known), "one");
        rest(5ms);
    }
    EXPECT_TRUE(comes_to(*nobody, "not_connected", 200ms));
    begin_node();
    net::client later{context, "mesh:///a", options()};
    EXPECT_EQ(ask(later), "one");
    EXPECT_NE(announced["a"]->epoch(), 0U);
    known.reset();
    nobody.reset();
    announced.clear();
    later.close();
    EXPECT_TRUE(until(context, [&] { return node->connections() == 0; }));
}

// [MESH-3.4]
TEST_F(mesh, an_announcement_tells_of_its_name_and_its_loss) {
    begin_node();
    announce("n", {"x"});
    mxp::registry::Registration asked;
    asked.name = "n";
    std::string told;
    const net::announcement next{context, asked, options(),
                                 [&](std::uint64_t epoch, const net::failure* lost) {
                                     told = lost != nullptr ? lost->name : std::to_string(epoch);
                                 }};
    EXPECT_TRUE(until(context, [&] { return !told.empty(); }));
    EXPECT_EQ(told, "agent_taken");
    announced.clear();
    EXPECT_TRUE(until(context, [&] { return next.epoch() >= 2; }));
    EXPECT_EQ(told, std::to_string(next.epoch()));
}

// [MESH-3.4] Asked for twice, a name would have another epoch than is told.
TEST_F(mesh, an_announcement_asks_for_its_name_once) {
    const running::lying_node lying{10'000'000};
    net::client_options to;
    to.node = lying.address();
    mxp::registry::Registration asked;
    asked.name = "n";
    const net::announcement one{context, asked, to};
    EXPECT_TRUE(until(context, [&] { return one.epoch() == 1; }));
    rest(200ms);
    EXPECT_EQ(lying.asked(), 1U);
}

// [MESH-3.4] With any lease of a node, heartbeats come no more often than the shortest lease needs.
TEST_F(mesh, leases_of_a_hostile_node_are_held_in_bounds) {
    std::vector<std::unique_ptr<running::lying_node>> nodes;
    std::vector<std::unique_ptr<net::announcement>> all;
    for (const std::uint64_t lease : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{999'999},
                                      std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        nodes.push_back(std::make_unique<running::lying_node>(lease));
        net::client_options to;
        to.node = nodes.back()->address();
        mxp::registry::Registration asked;
        asked.name = "n";
        all.push_back(std::make_unique<net::announcement>(context, asked, to));
        EXPECT_TRUE(until(context, [&] { return all.back()->epoch() == 1; }));
    }
    rest(500ms);
    for (const auto& one : nodes) {
        EXPECT_LE(one->asked(), 5U);
    }
}

// [MESH-2.8] A directory of which each answer has another version, at once, is asked after pauses;
// the query says the version that was answered.
TEST_F(mesh, a_node_that_changes_always_is_asked_after_pauses) {
    const running::lying_node lying{0};
    net::client_options to;
    to.node = lying.address();
    const auto begun = std::chrono::steady_clock::now();
    std::optional<net::client> client;
    client.emplace(context, "mesh:///n", to);
    rest(300ms);
    const auto asked = lying.asked();
    const auto passed = std::chrono::steady_clock::now() - begun;
    EXPECT_GE(asked, 2U);
    EXPECT_LE(asked, static_cast<std::uint64_t>(
                         passed / std::chrono::microseconds{mxp::session::asking_pause_us}) +
                         1);
    EXPECT_FALSE(lying.was_wrong());
}

// [MESH-3.2] Of more agents than a client follows it connects to as many as it may.
TEST_F(mesh, a_client_follows_a_bounded_number_of_agents) {
    serve("all");
    const running::lying_node lying{0, 1000, at("all")};
    net::client_options to;
    to.node = lying.address();
    std::optional<net::client> client;
    client.emplace(context, "mesh:///?capability=mix", to);
    const auto& server = *servers["all"];
    EXPECT_TRUE(
        until(context, [&] { return server.connections() == mxp::session::followed_agents; }));
    // Each eighth answer lacks another quarter of the agents.
    for (int i = 0; i < 50; ++i) {
        rest(10ms);
        EXPECT_EQ(ask(*client), "all");
        // Connections to agents that are gone end their requests in flight.
        EXPECT_LE(server.connections(), 2 * mxp::session::followed_agents);
    }
    client.reset();
    EXPECT_TRUE(until(context, [&] { return server.connections() == 0; }));
}

}  // namespace

}  // namespace mesh_tests
