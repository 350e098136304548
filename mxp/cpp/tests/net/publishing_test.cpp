// Events that are published through a mesh, and heard [MESH-5.1] [MESH-5.3] [MESH-5.5].
#include "mxp/events.hpp"
#include "mxp/net/event_ids.hpp"
#include "mxp/net/mxp_mesh_service.hpp"
#include "running.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;
namespace mesh = mxp::mesh;
using namespace std::chrono_literals;
using mxp::session::status;

namespace publishing {

namespace {

constexpr net::method changed{"desk.Mixer", 4, "changed"};
constexpr net::method gain{"desk.Mixer", 1, "gain"};

/// A node that delivers what it is told to, keeps nothing, and notes what it is sent.
class fake_node final : public mesh::MeshServer {
   public:
    using ends = net::bidi_stream<mesh::Request, mesh::Answer>;

    void publish(const net::request& by, mesh::Publication value,
                 net::replier<mesh::Published> to) override {
        static_cast<void>(emit(by, std::move(value)));
        mesh::Published done;
        done.number = 7;
        to.respond(done);
    }
    std::optional<net::failure> emit(const net::request& by, mesh::Publication event) override {
        metadata += by.metadata.size();
        published.push_back(std::move(event));
        return std::nullopt;
    }
    void subscribe(const net::request& /*asked*/, ends both) override {
        if (denies) {
            ++refused;
            net::failure why;
            why.status = status::PermissionDenied;
            why.name = "mesh_denied";
            both.fail(why);
            return;
        }
        both.on_value([this, both](const mesh::Request& came) {
            if (const auto* const one = std::get_if<mesh::Request::Settle>(&came.value)) {
                settled.push_back(*one->value);
                return;
            }
            asked.push_back(*std::get<mesh::Request::Subscribe>(came.value).value);
            mesh::Answer there;
            there.value = mesh::Answer::Subscribed{};
            both.send(there);
            open.emplace(both);
        });
    }
    void deliver(std::uint64_t number, std::uint16_t method, const std::string& value) {
        mesh::Delivery one;
        one.subject = {"desk.Mixer", method};
        for (const char c : value) {
            one.value.push_back(static_cast<std::byte>(c));
        }
        one.number = number;
        one.dropped = 2;
        mesh::Answer sent;
        sent.value = mesh::Answer::Event{one};
        open->send(sent);
    }

    bool denies = false;
    int refused = 0;
    std::size_t metadata = 0;
    std::vector<mesh::Publication> published;
    std::vector<mesh::Subscription> asked;
    std::vector<mesh::Settlement> settled;
    std::optional<ends> open;
};

class events_of_a_mesh : public testing::Test {
   protected:
    void serve() {
        node = std::make_shared<fake_node>();
        net::services all;
        mesh::MeshService::serve(all, node);
        server.emplace(context, std::move(all));
        ASSERT_TRUE(server->listen(at));
        options.node = at;
    }
    /// How a request ends.
    template <class Ask>
    std::string end_of(Ask ask) {
        std::optional<std::string> came;
        ask([&](const net::answer& told) { came = told.failed ? told.failed->name : "done"; });
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        return came.value_or("");
    }

    running::folder folder;
    std::string at = folder.at("node");
    asio::io_context context{1};
    std::shared_ptr<fake_node> node;
    std::optional<net::server> server;
    net::client_options options;
};

TEST_F(events_of_a_mesh, are_publications) {
    serve();
    int seen = 0;
    options.interceptors.emplace_back(
        [&](net::outgoing_request& one) { seen += one.method.service == "desk.Mixer" ? 1 : 0; });
    net::publisher client{context, options};
    const auto tell = [&](const std::string& value, const net::event_options& how) {
        return end_of([&](auto then) { client.event(changed, value, how, then); });
    };
    EXPECT_EQ(tell("one", {}), "done");
    net::event_options acked;
    acked.requires_ack = true;
    EXPECT_EQ(tell("two", acked), "done");
    EXPECT_EQ(tell("three", acked), "done");
    EXPECT_EQ(tell("four", net::durable_as("n-1")), "done");
    ASSERT_TRUE(until(context, [&] { return node->published.size() == 4; }));
    const char* const values[] = {"one", "two", "three", "four"};
    for (std::size_t i = 0; i < 4; ++i) {
        const mesh::Publication& one = node->published[i];
        EXPECT_EQ(one.subject.service, "desk.Mixer");
        EXPECT_EQ(one.subject.method, 4);
        EXPECT_EQ(text_of(one.value), values[i]);
        EXPECT_EQ(one.durable, i > 0);
        EXPECT_EQ(one.id.empty(), i == 0);
    }
    EXPECT_NE(node->published[1].id, node->published[2].id);
    EXPECT_EQ(node->published[3].id, "n-1");
    EXPECT_EQ(node->metadata, 0U);
    EXPECT_EQ(seen, 4);

    EXPECT_EQ(end_of([&](auto then) { client.call(gain, std::string_view{}, {}, then); }),
              "method_unknown");
    std::optional<std::string> ended;
    client.open(gain, std::string_view{}, {}).on_end([&](const net::failure* why) {
        ended = why == nullptr ? "" : why->name;
    });
    EXPECT_TRUE(until(context, [&] { return ended.has_value(); }));
    EXPECT_EQ(ended, "method_unknown");
}

TEST_F(events_of_a_mesh, of_a_range_are_publications_each) {
    serve();
    net::publisher client{context, options};
    std::vector<std::string> values;
    for (int i = 0; i < 600; ++i) {
        values.push_back(std::to_string(i));
    }
    for (const bool is_durable : {false, true}) {
        node->published.clear();
        net::event_options how;
        how.requires_ack = is_durable;
        EXPECT_EQ(end_of([&](auto then) { client.events(changed, values, how, then); }), "done");
        ASSERT_TRUE(until(context, [&] { return node->published.size() == values.size(); }));
        for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_EQ(text_of(node->published[i].value), values[i]);
            EXPECT_EQ(node->published[i].durable, is_durable);
        }
    }
}

TEST_F(events_of_a_mesh, of_a_range_are_sent_by_stubs) {
    serve();
    net::client client{context, at, options};
    std::vector<mesh::Publication> all(1'000);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].id = std::to_string(i);
    }
    std::vector<std::string> ends;
    mesh::MeshClient{client}.emit_all(all, [&](const net::outcome<void>& came) {
        ends.push_back(came ? "done" : came.error().name);
    });
    mesh::MeshClient{client}.emit_all(all);
    ASSERT_TRUE(until(context, [&] { return node->published.size() == 2 * all.size(); }));
    for (std::size_t i = 0; i < node->published.size(); ++i) {
        EXPECT_EQ(node->published[i].id, all[i % all.size()].id);
    }
    EXPECT_EQ(ends, std::vector<std::string>{"done"});
    EXPECT_LT(server->stats().in(mxp::frame_type::events).frames, all.size() / 10);
}

TEST_F(events_of_a_mesh, handlers_take_what_is_delivered_and_settle_it) {
    serve();
    std::vector<std::string> heard;
    net::services services;
    services.service("desk.Mixer")
        .call(1, [](const net::request&, const net::responder&) { FAIL(); })
        .event(4, [&](const net::request& asked) -> std::optional<net::failure> {
            const std::string value = text_of(asked.value);
            heard.push_back(value + " " + std::to_string(asked.delivery->number));
            net::failure why;
            why.status = value == "never" ? status::InvalidArgument : status::Aborted;
            if (value == "throws") {
                throw std::runtime_error{"as it should"};
            }
            return value == "good" ? std::nullopt : std::optional{why};
        });
    int seen = 0;
    services.intercept([&](net::incoming_request& one) {
        seen += one.kind == mxp::session::purpose::event ? 1 : 0;
    });
    net::subscription_options how;
    how.client = options;
    how.consumer = "c";
    how.start.value = mesh::Start::Number{3};
    how.unsettled = 8;
    how.deliveries = 2;
    std::uint64_t dropped = 0;
    how.on_dropped = [&](std::uint64_t n) { dropped += n; };
    std::optional<net::subscription> one;
    one.emplace(context, services, how);
    ASSERT_TRUE(until(context, [&] { return one->is_there(); }));
    std::uint64_t number = 0;
    for (const char* const value : {"good", "later", "never", "throws"}) {
        node->deliver(++number, 4, value);
    }
    node->deliver(++number, 1, "a call");
    node->deliver(++number, 9, "nothing");
    node->deliver(++number, 4, "good");
    int thrown = 0;
    const auto all = [&] { return until(context, [&] { return node->settled.size() == 7; }); };
    for (bool is_done = false; !is_done;) {
        try {
            ASSERT_TRUE(all());
            is_done = true;
        } catch (const std::runtime_error&) {
            ++thrown;
        }
    }
    EXPECT_EQ(thrown, 1);
    const mesh::Outcome outcomes[] = {
        mesh::Outcome::Done,  mesh::Outcome::Again, mesh::Outcome::Poison, mesh::Outcome::Again,
        mesh::Outcome::Again, mesh::Outcome::Again, mesh::Outcome::Done};
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_EQ(node->settled[i].number, i + 1);
        EXPECT_EQ(node->settled[i].outcome, outcomes[i]) << i;
    }
    EXPECT_EQ(heard,
              (std::vector<std::string>{"good 1", "later 2", "never 3", "throws 4", "good 7"}));
    EXPECT_EQ(seen, 5);
    EXPECT_EQ(dropped, 14U);
    ASSERT_EQ(node->asked.size(), 1U);
    const mesh::Subscription& asked = node->asked.front();
    ASSERT_EQ(asked.subjects.size(), 1U);
    EXPECT_EQ(asked.subjects.front().method, 4);
    EXPECT_EQ(asked.consumer, "c");
    EXPECT_EQ(std::get<mesh::Start::Number>(asked.start.value).value, 3U);
    EXPECT_EQ(asked.unsettled, 8U);
    EXPECT_EQ(asked.deliveries, 2U);
    // Nothing is heard by one that is gone.
    one.reset();
    node->deliver(8, 4, "good");
    EXPECT_FALSE(until(
        context, [&] { return heard.size() > 5; }, 20ms));
}

TEST_F(events_of_a_mesh, subscriptions_are_made_anew) {
    std::vector<std::string> heard;
    std::vector<std::string> told;
    net::services services;
    services.service("desk.Mixer").event(4, [&](const net::request& asked) {
        heard.push_back(text_of(asked.value));
    });
    net::subscription_options how;
    how.client.node = at;
    how.client.connect_timeout = 20ms;
    how.on_change = [&](const net::failure* lost) {
        told.push_back(lost == nullptr ? "there" : lost->name);
    };
    net::subscription one{context, services, how};
    ASSERT_TRUE(until(context, [&] { return told.size() == 1; }));
    EXPECT_EQ(told.back(), "not_connected");
    serve();
    ASSERT_TRUE(until(context, [&] { return one.is_there(); }));
    node->deliver(0, 4, "a");
    ASSERT_TRUE(until(context, [&] { return heard.size() == 1; }));
    // The node ends it.
    node->open->finish();
    ASSERT_TRUE(until(context, [&] { return told.size() == 4; }));
    EXPECT_EQ(told[3], "there");
    // It is lost with the node, and the next one refuses it for a while.
    server.reset();
    ASSERT_TRUE(until(context, [&] { return told.size() == 5; }));
    serve();
    node->denies = true;
    ASSERT_TRUE(until(context, [&] { return node->refused > 0; }));
    node->denies = false;
    ASSERT_TRUE(until(context, [&] { return one.is_there(); }));
    node->deliver(0, 4, "b");
    ASSERT_TRUE(until(context, [&] { return heard.size() == 2; }));
    EXPECT_EQ(heard, (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(node->settled.empty());
}

TEST_F(events_of_a_mesh, services_without_events_can_not_subscribe) {
    net::services services;
    services.service("desk.Mixer").call(1, [](const net::request&, const net::responder&) {});
    EXPECT_THROW((net::subscription{context, services}), std::invalid_argument);
    std::vector<std::string> told;
    services.service("desk.Meter").event(1, [](const net::request&) {});
    net::subscription_options how;
    how.client.node = "nowhere";
    how.on_change = [&](const net::failure* lost) { told.push_back(lost->name); };
    const net::subscription one{context, services, how};
    ASSERT_TRUE(until(context, [&] { return !told.empty(); }));
    EXPECT_EQ(told.front(), "address_invalid");
}

}  // namespace

}  // namespace publishing
