// The choice between the two transports, and its reason.
#include "fallbacks.hpp"

namespace fallback_tests {

namespace {

using namespace sharing;
// [MXP-18.1] [MXP-18.3]
TEST(fallback, both_clients_share_memory_with_a_server) {
    for (const auto spin : {0us, 100us}) {
        net::server_options how;
        how.shm = rings(16'384, spin);
        served server{how};
        expect_calls(server.address, how.shm, 0);
        EXPECT_EQ(server.transports(2), both_shared);
        EXPECT_EQ(server.stats().shm_fallbacks, 0U);
    }
}

// [MXP-18.5]
TEST(fallback, a_server_of_an_earlier_release_is_connected_to_anew) {
    served server{{}, running::plain};
    const std::string address = "mxp+shm" + server.address.substr(server.address.find(':'));
    expect_calls(address, {}, 1, "knows no shared memory");
    for (const auto& one : server.transports(2)) {
        EXPECT_EQ(one, running::plain);
    }
}

// [MXP-18.5] [MXP-18.11]
TEST(fallback, a_server_without_memory_goes_on_over_the_socket) {
    net::server_options how;
    how.shm = rings(4096, 0us, 8191);
    served server{how};
    expect_calls(server.address, rings(4096, 0us), 1, "the server has no memory to share");
    EXPECT_EQ(server.transports(2), both_plain);
    EXPECT_EQ(server.stats().shm_fallbacks, 2U);
    EXPECT_EQ(server.log().count("shm_bytes"), 2U) << server.log().text();
}

// [MXP-18.5] [MXP-18.11]
TEST(fallback, a_client_without_memory_makes_no_offer) {
    served server;
    expect_calls(server.address, rings(4096, 0us, 4095), 1, "shm_bytes");
    EXPECT_EQ(server.transports(2), both_plain);
    // The server was offered nothing.
    EXPECT_EQ(server.stats().shm_fallbacks, 0U);
    // It has room for its own ring, and not for the server's.
    expect_calls(server.address, rings(4096, 0us, 8192), 1, "shm_bytes");
    const auto came = server.transports(2);
    EXPECT_EQ(std::count(came.begin(), came.end(), running::plain), 2);
}

// [MXP-18.1]
TEST(fallback, a_server_of_shared_memory_takes_sockets) {
    served server;
    expect_calls(server.plain(), {}, 0);
    EXPECT_EQ(server.transports(2), both_plain);
    EXPECT_EQ(server.stats().shm_fallbacks, 0U);
}

// [MXP-18.11]: those beyond the quota go over the socket, and memory that is given back is there
// for others.
TEST(fallback, rings_have_no_more_bytes_than_they_may) {
    net::server_options how;
    how.shm = rings(262'144, 0us, 1 << 20);
    served server{how};
    const std::size_t maps = open_now().maps;
    {
        std::vector<std::unique_ptr<asking>> clients;
        for (const std::string& transport : {shared, shared, running::plain}) {
            clients.push_back(std::make_unique<asking>(server.address, rings(262'144, 0us)));
            EXPECT_FALSE(clients.back()->call("x"));
            EXPECT_EQ(server.transports(1), (kinds{transport}));
        }
    }
    EXPECT_TRUE(soon([&] { return server.connections() == 0; }));
    EXPECT_TRUE(soon([&] { return open_now().maps == maps; }));
    asking again{server.address, rings(262'144, 0us)};
    EXPECT_FALSE(again.call("x"));
    EXPECT_EQ(server.transports(1), kinds{shared});
}

// Options that can't be are refused.
TEST(fallback, rings_that_can_not_be_are_refused) {
    const std::string nowhere = running::folder{}.at("nowhere", "shm");
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{4095}, std::size_t{3} << 12,
                                    (std::size_t{1} << 30) + 1, std::size_t{1} << 31}) {
        asking one{nowhere, rings(bytes, 0us)};
        const auto refused = one.call("x");
        ASSERT_TRUE(refused);
        EXPECT_EQ(refused->status, ms::status::InvalidArgument);
        EXPECT_NE(refused->text.find("shm.ring_bytes"), std::string::npos) << refused->text;
        asio::io_context context;
        net::server_options how;
        how.shm.ring_bytes = bytes;
        net::server server{context, {}, how};
        EXPECT_NE(server.listen(nowhere).error().text.find("shm.ring_bytes"), std::string::npos);
    }
}

}  // namespace

}  // namespace fallback_tests
