// Channels that are not opened, each for a reason that has a name.
#include "channels.hpp"

namespace refusal_tests {

namespace {

using namespace sharing;

/// The same method with requests of another type.
constexpr net::channel_method<Block, Level> other_type{{"meters.Meters", 1, "levels"}};
constexpr net::channel_method<Level, Block> other_answer{{"meters.Meters", 1, "levels"}};

void expect_form(const net::failure& why, const std::string& text) {
    EXPECT_EQ(why.name, "channel_form") << to_string(why);
    EXPECT_EQ(why.status, ms::status::FailedPrecondition);
    EXPECT_NE(why.text.find(text), std::string::npos) << why.text;
    EXPECT_EQ(why.method, "meters.Meters/levels");
    EXPECT_FALSE(why.acted);
}

// [MXP-18.13].
TEST(refusal, a_channel_that_the_server_means_otherwise_is_refused_by_its_name) {
    desk server;
    channel_options newest;
    newest.responses = net::delivery::latest;
    expect_form(server.open(newest).error(), "a queue of responses, and the opener the latest");
    expect_form(net::open_channel(other_type, server.address).error(),
                "requests have 14 bytes, and the opener's 114688");
    expect_form(net::open_channel(other_answer, server.address).error(),
                "responses have 14 bytes, and the opener's 114688");
    channel_options huge;
    huge.capacity = std::size_t{1} << 60;
    expect_form(server.open(huge).error(), "values of 14 bytes");
    const auto unknown = net::open_channel(methods::blocks, server.address);
    EXPECT_EQ(unknown.error().name, "channel_unknown");
    EXPECT_EQ(unknown.error().status, ms::status::Unimplemented);
    EXPECT_NE(unknown.error().text.find("meters.Meters/2"), std::string::npos);
    EXPECT_FALSE(server.has_opened());
    {
        const auto good = server.open();
        EXPECT_TRUE(good);
        EXPECT_EQ(server.take().who.process->id, this_process());
    }
    EXPECT_TRUE(soon([&] { return server.connections() == 0; }));
    EXPECT_GT(server.log().count("channel_form"), 0U);
}

// [MXP-18.13]: fingerprints alone, and names that have no place in an opening.
TEST(refusal, each_part_of_a_form_is_held_against_the_server) {
    namespace shm = net::detail::shm;
    desk server;
    const auto good = net::detail::opening_of(methods::levels, {});
    const auto failed = [&](const shm::open_request& wish) {
        return net::detail::open_ends(methods::levels, server.address, wish, {}).error();
    };
    shm::open_request changed = good;
    changed.requests.fingerprint = 1;
    expect_form(failed(changed), "requests have the fingerprint 06070f46381c13a9, and the opener's "
                                 "0000000000000001");
    changed = good;
    changed.responses.bytes = 15;
    expect_form(failed(changed), "responses have 14 bytes, and the opener's 15");
    changed = good;
    changed.requests.bytes = 0;
    expect_form(failed(changed), "values of 0 bytes");
    changed = good;
    changed.requests.bytes = ~std::uint32_t{0};
    expect_form(failed(changed), "values of 4294967295 bytes");
    for (const std::size_t n : {std::size_t{0}, std::size_t{256}}) {
        changed = good;
        changed.service = std::string(n, 'x');
        expect_form(failed(changed), "name of " + std::to_string(n) + " bytes");
    }
    EXPECT_FALSE(server.has_opened());
}

TEST(refusal, who_may_not_connect_opens_no_channel) {
    net::server_options how;
    how.admit = [](const net::peer& who) {
        EXPECT_TRUE(who.process);
        net::failure why;
        why.name = "not_you";
        why.text = "not you";
        return std::optional{why};
    };
    desk server{channel_options{}, how};
    const auto made = server.open();
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().status, ms::status::PermissionDenied);
    EXPECT_EQ(made.error().name, "not_you");
    EXPECT_EQ(made.error().text, "not you");
    EXPECT_FALSE(server.has_opened());
}

TEST(refusal, a_server_without_channels_knows_none) {
    desk server{nullptr, net::server_options{}};
    EXPECT_EQ(server.open().error().name, "channel_unknown");
}

// [MXP-18.18]: the rings of channels count together with the rings of connections, on either side.
TEST(refusal, a_channel_without_memory_is_refused_and_not_sent_over_the_socket) {
    net::server_options how;
    how.shm.bytes = 3 * 8192 - 1;
    desk server{channel_options{}, how};
    {
        const auto first = server.open();
        const auto second = server.open();
        EXPECT_TRUE(first && second);
        const auto third = server.open();
        ASSERT_FALSE(third);
        EXPECT_EQ(third.error().name, "channel_memory");
        EXPECT_EQ(third.error().status, ms::status::ResourceExhausted);
        EXPECT_EQ(server.take().who.transport, "shm");
        EXPECT_EQ(server.take().who.transport, "shm");
    }
    EXPECT_TRUE(soon([&] { return server.connections() == 0; }));
    EXPECT_TRUE(server.open());
    channel_options few;
    few.bytes = 4096 + 4095;
    EXPECT_EQ(server.open(few).error().name, "channel_memory");
}

TEST(refusal, a_channel_is_opened_at_an_address_of_shared_memory_alone) {
    for (const auto& [address, name] : std::vector<std::pair<std::string, std::string>>{
             {running::folder{}.at("x"), "address_invalid"},
             {"nonsense", "address_invalid"},
             {running::folder{}.at("x", "shm"), "not_connected"}}) {
        const auto made = net::open_channel(methods::levels, address);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().name, name) << to_string(made.error());
        EXPECT_EQ(made.error().peer, address);
    }
}

}  // namespace

}  // namespace refusal_tests
