// The services of a side, as mxp.reflection tells them.
#include "mxp/agents.hpp"
#include "mxp/net/health.hpp"
#include "mxp/net/reflection.hpp"
#include "running.hpp"

using running::until;
namespace net = mxp::net;
using mxp::reflection::Kind;
using mxp::reflection::ReflectionClient;
using mxp::reflection::Service;
using mxp::reflection::Type;
using mxp::registry::Lease;
using mxp::registry::Query;

namespace reflected {

namespace {

constexpr net::method find{"demo.Desk", 7, "find", true};
constexpr net::method list{"demo.Desk", 1, "list"};
constexpr net::method fade{"demo.Desk", 3, "fade"};
constexpr net::method ride{"demo.Desk", 4, "ride"};
constexpr net::method muted{"demo.Desk", 65535, "muted"};

/// A service as generated code has it.
struct desk {
    void find(const net::request&, Query, net::replier<Lease>) {}
    void list(const net::request&, Query, net::sender<Lease>) {}
    void fade(const net::request&, net::client_stream<Lease, Query>) {}
    void ride(const net::request&, net::bidi_stream<Query, Lease>) {}
    std::optional<net::failure> muted(const net::request&, Query) { return std::nullopt; }

    static void serve(net::services& all) {
        std::vector<mxp::session::type> types;
        net::add_method<Query, Lease>(types, reflected::find);
        net::add_method<Query, Lease>(types, reflected::list);
        net::add_method<Lease, Query>(types, reflected::fade);
        net::add_method<Query, Lease>(types, reflected::ride);
        net::add_method<Query>(types, reflected::muted);
        const auto by = std::make_shared<desk>();
        all.service("demo.Desk", std::move(types))
            .call(reflected::find, net::handler_of(by, &desk::find))
            .stream(reflected::list, net::handler_of(by, &desk::list))
            .stream(reflected::fade, net::handler_of(by, &desk::fade))
            .stream(reflected::ride, net::handler_of(by, &desk::ride))
            .event(reflected::muted, net::handler_of(by, &desk::muted));
    }
};

/// The lines that `sdp call --list` would print of a service: name, kind and number of each method,
/// `!` if it is idempotent, and its types, `*` if they flow.
std::vector<std::string> lines_of(const Service& of) {
    const auto value = [](const mxp::reflection::Value& one) {
        return one.type + (one.flows ? "*" : "");
    };
    std::vector<std::string> made;
    for (const auto& one : of.methods) {
        std::string line = one.kind == Kind::Call     ? "call "
                           : one.kind == Kind::Stream ? "stream "
                                                      : "event ";
        line += one.name + "=" + std::to_string(one.number) + (one.idempotent ? "! " : " ");
        made.push_back(line + value(one.request) +
                       (one.response ? "->" + value(*one.response) : ""));
    }
    return made;
}

template <class... T>
std::vector<Type> types_of() {
    std::vector<Type> made;
    for (const auto& one : net::types_of<T...>()) {
        made.push_back({one.name, one.fingerprints, one.layout});
    }
    return made;
}

class reflection : public testing::Test {
   protected:
    reflection() {
        net::services all = running::echo(std::make_shared<running::seen>());
        net::serve_reflection(all);
        desk::serve(all);
        const net::health_reporter health{all};
        server.emplace(context, std::move(all));
        how.types = mxp::reflection::ReflectionService::types();
        at = server->listen(folder.at("s")).value();
        client.emplace(context, at, how);
    }
    net::outcome<Service> describe(const std::string& service) {
        std::optional<net::outcome<Service>> came;
        ReflectionClient{*client}.describe({service}, [&](auto told) { came = std::move(told); });
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        return came.value_or(net::failed_outcome{net::method_unknown()});
    }

    running::folder folder;
    asio::io_context context{1};
    std::optional<net::server> server;
    std::string at;
    net::client_options how;
    std::optional<net::client> client;
};

/// The names that a server, or a client that serves, tells.
std::vector<std::string> listed(asio::io_context& context, net::client& by) {
    std::optional<std::vector<std::string>> names;
    ReflectionClient{by}.list(
        {}, [&](const auto& told) { names = told ? told->names : std::vector{told.error().name}; });
    EXPECT_TRUE(until(context, [&] { return names.has_value(); }));
    return names.value_or(std::vector<std::string>{});
}

// [MXP-13.10]
TEST_F(reflection, lists_what_is_served_in_the_order_of_hello) {
    EXPECT_EQ(listed(context, *client),
              (std::vector<std::string>{"demo.Echo", "mxp.reflection.Reflection", "demo.Desk",
                                        "mxp.health.Health"}));
}

// [MXP-13.10]
TEST_F(reflection, describes_typed_methods_and_their_types) {
    const auto told = describe("demo.Desk");
    ASSERT_TRUE(told) << to_string(told.error());
    EXPECT_EQ(told->name, "demo.Desk");
    EXPECT_EQ(lines_of(*told), (std::vector<std::string>{
                                   "stream list=1 mxp.registry.Query->mxp.registry.Lease*",
                                   "stream fade=3 mxp.registry.Lease*->mxp.registry.Query",
                                   "stream ride=4 mxp.registry.Query*->mxp.registry.Lease*",
                                   "call find=7! mxp.registry.Query->mxp.registry.Lease",
                                   "event muted=65535 mxp.registry.Query",
                               }));
    EXPECT_EQ(told->types, (types_of<Lease, Query>()));
    EXPECT_FALSE(told->types.at(0).layout.empty());
    EXPECT_FALSE(told->types.at(0).fingerprints.empty());
}

TEST_F(reflection, describes_what_is_generated) {
    const auto told = describe("mxp.health.Health");
    ASSERT_TRUE(told) << to_string(told.error());
    EXPECT_EQ(lines_of(*told), (std::vector<std::string>{
                                   "call check=1! mxp.health.Request->mxp.health.Report",
                                   "stream watch=2 mxp.health.Request->mxp.health.Report*",
                               }));
    EXPECT_EQ(told->types, (types_of<mxp::health::Report, mxp::health::Request>()));
}

// [MXP-13.10]
TEST_F(reflection, knows_what_has_handlers_by_hand_by_numbers) {
    const auto told = describe("demo.Echo");
    ASSERT_TRUE(told) << to_string(told.error());
    EXPECT_EQ(lines_of(*told),
              (std::vector<std::string>{"call =1 ->", "call =2 ->", "stream =3 ->", "event =4 ",
                                        "call =5 ->", "stream =6 ->"}));
    EXPECT_TRUE(told->types.empty());
}

// [MXP-13.10]
TEST_F(reflection, refuses_to_describe_what_is_not_served) {
    const auto told = describe("demo.Other");
    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().name, "service_unknown");
    EXPECT_EQ(told.error().status, mxp::session::status::Unimplemented);
    EXPECT_FALSE(told.error().acted);
}

// An answer is as long as it is: who takes less is refused it, and goes on. [MXP-13.10]
TEST_F(reflection, is_refused_to_peers_that_do_not_take_so_much) {
    how.payload_bytes = 500;
    client.emplace(context, at, how);
    const auto told = describe("mxp.reflection.Reflection");
    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().name, "payload_too_large");
    EXPECT_EQ(told.error().status, mxp::session::status::OutOfRange);
    EXPECT_TRUE(told.error().acted);
    EXPECT_EQ(listed(context, *client).size(), 4);
}

TEST(client_that_serves, is_reflected_to_its_server) {
    const running::folder folder;
    asio::io_context context{1};
    std::shared_ptr<net::client> asker;
    net::services all;
    all.service("demo.Front").call(1, [&](const net::request& of, const net::responder& to) {
        asker = of.client();
        to.respond(of.value);
    });
    net::server server{context, std::move(all)};
    net::client_options how;
    net::serve_reflection(how.services);
    desk::serve(how.services);
    net::client client{context, server.listen(folder.at("s")).value(), how};
    client.call({"demo.Front", 1}, std::string_view{}, {}, nullptr);
    ASSERT_TRUE(until(context, [&] { return asker != nullptr; }));
    EXPECT_EQ(listed(context, *asker),
              (std::vector<std::string>{"mxp.reflection.Reflection", "demo.Desk"}));
    asker.reset();
}

}  // namespace

}  // namespace reflected
