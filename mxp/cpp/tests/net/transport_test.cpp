// Transports that a program registers. `over` of net_test.cpp runs over pipes, too.
#include <stdexcept>

#include "pipes.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;

namespace transport_tests {

namespace {

class transport : public testing::Test {
   protected:
    transport() { running::register_pipes(); }

    /// A call to an address.
    net::answer call(const std::string& at) {
        net::client_options how;
        how.connect_timeout = std::chrono::milliseconds{100};
        net::client client{context, at, how};
        std::optional<net::answer> ended;
        client.call("demo.Echo", 1, std::string_view{"hello"}, {}, [&](const net::answer& came) {
            ended = came;
            text = text_of(came.value);
        });
        EXPECT_TRUE(until(context, [&] { return ended.has_value(); }));
        return ended.value_or(net::answer{});
    }

    asio::io_context context{1};
    std::shared_ptr<running::seen> seen = std::make_shared<running::seen>();
    std::string text;
};

TEST_F(transport, that_a_program_registers_carries_calls_streams_and_events) {
    net::services all = running::echo(seen);
    std::shared_ptr<const net::peer> who;
    all.intercept([&](net::incoming_request& asked) { who = asked.request.peer; });
    net::server server{context, std::move(all)};
    const std::string at = server.listen("mxp+tube:///desk").value();
    EXPECT_EQ(at, "mxp+tube:///desk");
    net::client client{context, at};

    std::optional<net::answer> answered;
    client.call("demo.Echo", 1, std::string_view{"hello"}, {}, [&](const net::answer& came) {
        answered = came;
        text = text_of(came.value);
    });
    EXPECT_TRUE(until(context, [&] { return answered.has_value(); }));
    EXPECT_EQ(text, "hello");
    ASSERT_TRUE(who);
    EXPECT_EQ(who->transport, "tube");
    EXPECT_EQ(who->address, at);
    EXPECT_EQ(who->process.value().user, running::own_user());

    // More than a pipe holds, there and back.
    std::size_t size = 0;
    bool has_ended = false;
    const auto stream = client.open("demo.Echo", 3, std::string_view{}, {});
    stream.on_chunk([&](mxp::bytes_view chunk) { size += chunk.size(); });
    stream.on_end([&](const net::failure* why) { has_ended = why == nullptr; });
    for (int i = 0; i < 30; ++i) {
        stream.send(std::string(running::pipe::capacity / 10, 'x'));
    }
    stream.finish();
    EXPECT_TRUE(until(context, [&] { return has_ended; }));
    EXPECT_EQ(size, 3 * running::pipe::capacity);

    bool is_taken = false;
    net::event_options acked;
    acked.requires_ack = true;
    client.event("demo.Echo", 4, std::string_view{}, acked,
                 [&](const net::answer& came) { is_taken = !came.failed; });
    EXPECT_TRUE(until(context, [&] { return is_taken; }));
    EXPECT_EQ(seen->events, 1U);

    answered.reset();
    client.call("demo.Echo", 5, std::string_view{}, {},
                [&](const net::answer& came) { answered = came; });
    EXPECT_TRUE(until(context, [&] { return seen->held.size() == 1; }));
    bool is_drained = false;
    server.drain("over", std::chrono::seconds{10}, [&] { is_drained = true; });
    EXPECT_TRUE(until(context, [&] { return !client.is_connected(); }));
    EXPECT_FALSE(is_drained);
    seen->held[0].respond(std::string_view{"at last"});
    EXPECT_TRUE(until(context, [&] { return is_drained && answered; }));
    EXPECT_FALSE(answered->failed);
}

// [MXP-16.5]: this one gives no status.
TEST_F(transport, says_why_it_does_not_connect) {
    const auto nobody = call("mxp+tube:///nobody").failed;
    ASSERT_TRUE(nobody);
    EXPECT_EQ(nobody->name, "not_connected");
    EXPECT_EQ(nobody->status, mxp::session::status::Unavailable);
    EXPECT_EQ(nobody->text, "nobody listens");
    EXPECT_FALSE(nobody->acted);
    const std::string at = "mxp+tube:///nobody";
    EXPECT_EQ(nobody->peer, at);
    const auto blocking = net::blocking_client{at}.call("demo.Echo", 1, {});
    ASSERT_FALSE(blocking);
    EXPECT_EQ(blocking.error().status, mxp::session::status::FailedPrecondition);
    EXPECT_EQ(blocking.error().text, "this client does not speak mxp+tube");
}

// [MXP-16.4]
TEST_F(transport, of_another_users_programs_lets_in_those_whom_the_server_admits) {
    net::server server{context, running::echo(seen)};
    const auto refused = call(server.listen("mxp+stranger:///desk").value()).failed;
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->name, "not_admitted");
    net::server_options how;
    how.any_user = true;
    net::server open{context, running::echo(seen), how};
    EXPECT_FALSE(call(open.listen("mxp+stranger:///open").value()).failed);
    EXPECT_EQ(text, "hello");
}

// [MXP-16.1]
TEST_F(transport, has_a_scheme_of_its_own) {
    for (const char* taken : {"tube", "unix", "shm", "tls", "", "Pipe", "a b", "a+b", "a:"}) {
        EXPECT_THROW(
            net::register_transport(taken, std::make_shared<running::pipes>(running::own_user())),
            std::invalid_argument)
            << taken;
    }
    EXPECT_EQ(net::to_string(net::parse_address("mxp+tube:///a").value()), "mxp+tube:///a");
    EXPECT_FALSE(net::parse_address("mxp+tube://a:1"));
    EXPECT_FALSE(net::parse_address("mxp+pip:///a"));
    const std::string looks = running::plain == "unix"
                                  ? "mxp+unix:///path, mxp+tcp://host:port, mxp+tls://host:port, "
                                    "mxp+shm:///path, "
                                  : "mxp+pipe://name, mxp+tcp://host:port, mxp+tls://host:port, "
                                    "mxp+shm://name, ";
    EXPECT_EQ(net::no_address_text("x").find("\"x\" is not " + looks + "mxp+tube:///path"), 0U)
        << net::no_address_text("x");
    net::server server{context, {}};
    EXPECT_EQ(server.listen("x").error().text, net::no_address_text("x"));
    net::client unknown{context, net::address{"nothing", "/a", {}, {}}};
    std::optional<net::answer> ended;
    unknown.call("demo.Echo", 1, {}, {}, [&](const net::answer& came) { ended = came; });
    EXPECT_TRUE(until(context, [&] { return ended.has_value(); }));
    EXPECT_EQ(ended->failed.value().name, "address_invalid");
}

}  // namespace

}  // namespace transport_tests
