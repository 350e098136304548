// The choice between the two transports, and its reason.
#include <sys/resource.h>

#include "parts.hpp"
#include "sharing.hpp"

namespace fallback_tests {

namespace {

using namespace sharing;
using kinds = std::vector<std::string>;

/// A client on Asio and a blocking one, each of which calls once. They count as many fallbacks as
/// there were, and their logs have a text for each.
void expect_calls(const std::string& address, const net::shm_options& by, std::size_t fallbacks,
                  const std::string& text = {}) {
    const std::string value(1 << 20, 'v');
    asking one{address, by};
    EXPECT_FALSE(one.call(value));
    EXPECT_EQ(one.client().stats().shm_fallbacks, fallbacks);
    journal lines;
    net::blocking_options how;
    how.shm = by;
    how.logger = lines.logger();
    net::blocking_client other{address, how};
    EXPECT_FALSE(call(other, value));
    EXPECT_EQ(other.stats().shm_fallbacks, fallbacks);
    const std::string counted = "mxp_shm_fallbacks_total " + std::to_string(fallbacks) + "\n";
    EXPECT_NE(other.stats().prometheus().find(counted), std::string::npos);
    EXPECT_EQ(one.log().count("goes over its socket: "), fallbacks);
    EXPECT_EQ(lines.count("goes over its socket: "), fallbacks);
    if (!text.empty()) {
        EXPECT_EQ(one.log().count(text), fallbacks) << one.log().text();
        EXPECT_EQ(lines.count(text), fallbacks) << lines.text();
    }
}

// [MXP-18.1] [MXP-18.3]
TEST(fallback, both_clients_share_memory_with_a_server) {
    for (const auto spin : {0us, 100us}) {
        net::server_options how;
        how.shm = rings(16'384, spin);
        served server{how};
        expect_calls(server.address, how.shm, 0);
        EXPECT_EQ(server.transports(2), (kinds{"shm", "shm"}));
        EXPECT_EQ(server.stats().shm_fallbacks, 0U);
    }
}

// [MXP-18.5]
TEST(fallback, a_server_of_an_earlier_release_is_connected_to_anew) {
    served server{{}, "unix"};
    const std::string address = "mxp+shm" + server.address.substr(server.address.find(':'));
    expect_calls(address, {}, 1, "knows no shared memory");
    for (const auto& one : server.transports(2)) {
        EXPECT_EQ(one, "unix");
    }
}

// [MXP-18.5] [MXP-18.11]
TEST(fallback, a_server_without_memory_goes_on_over_the_socket) {
    net::server_options how;
    how.shm = rings(4096, 0us, 8191);
    served server{how};
    expect_calls(server.address, rings(4096, 0us), 1, "the server has no memory to share");
    EXPECT_EQ(server.transports(2), (kinds{"unix", "unix"}));
    EXPECT_EQ(server.stats().shm_fallbacks, 2U);
    EXPECT_EQ(server.log().count("shm_bytes"), 2U) << server.log().text();
}

// [MXP-18.5] [MXP-18.11]
TEST(fallback, a_client_without_memory_makes_no_offer) {
    served server;
    expect_calls(server.address, rings(4096, 0us, 4095), 1, "shm_bytes");
    EXPECT_EQ(server.transports(2), (kinds{"unix", "unix"}));
    // The server was offered nothing.
    EXPECT_EQ(server.stats().shm_fallbacks, 0U);
    // It has room for its own ring, and not for the server's.
    expect_calls(server.address, rings(4096, 0us, 8192), 1, "shm_bytes");
    const auto came = server.transports(2);
    EXPECT_EQ(std::count(came.begin(), came.end(), "unix"), 2);
}

// [MXP-18.1]
TEST(fallback, a_server_of_shared_memory_takes_sockets) {
    served server;
    expect_calls(server.plain(), {}, 0);
    EXPECT_EQ(server.transports(2), (kinds{"unix", "unix"}));
    EXPECT_EQ(server.stats().shm_fallbacks, 0U);
}

// [MXP-18.11]: those beyond the quota go over the socket, and memory that is given back is there
// for others.
TEST(fallback, rings_have_no_more_bytes_than_they_may) {
    net::server_options how;
    how.shm = rings(262'144, 0us, 1 << 20);
    served server{how};
    {
        std::vector<std::unique_ptr<asking>> clients;
        for (const char* transport : {"shm", "shm", "unix"}) {
            clients.push_back(std::make_unique<asking>(server.address, rings(262'144, 0us)));
            EXPECT_FALSE(clients.back()->call("x"));
            EXPECT_EQ(server.transports(1), (kinds{transport}));
        }
    }
    EXPECT_TRUE(soon([&] { return server.connections() == 0; }));
    EXPECT_TRUE(soon([] { return open_now().maps == 0; }));
    asking again{server.address, rings(262'144, 0us)};
    EXPECT_FALSE(again.call("x"));
    EXPECT_EQ(server.transports(1), (kinds{"shm"}));
}

// Options that can't be are refused.
TEST(fallback, rings_that_can_not_be_are_refused) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{4095}, std::size_t{3} << 12,
                                    (std::size_t{1} << 30) + 1, std::size_t{1} << 31}) {
        asking one{"mxp+shm:///nowhere", rings(bytes, 0us)};
        const auto refused = one.call("x");
        ASSERT_TRUE(refused);
        EXPECT_EQ(refused->status, ms::status::InvalidArgument);
        EXPECT_NE(refused->text.find("shm.ring_bytes"), std::string::npos) << refused->text;
        asio::io_context context;
        net::server_options how;
        how.shm.ring_bytes = bytes;
        net::server server{context, {}, how};
        EXPECT_NE(server.listen("mxp+shm:///nowhere").error().text.find("shm.ring_bytes"),
                  std::string::npos);
    }
}

/// Has a limit of this program be lower.
void limit(decltype(RLIMIT_FSIZE) what, rlim_t most) {
    const rlimit low{most, most};
    ASSERT_EQ(::setrlimit(what, &low), 0);
}

/// Calls by both clients, so many of which go over the socket.
void expect_calls_of_a_part(const std::string& address, std::size_t fallbacks,
                            const std::string& text) {
    expect_calls(address, rings(262'144, 0us), fallbacks, text);
}

const bool has_parts = [] {
    parts()["short files"] = [](const std::string& address) {
        limit(RLIMIT_FSIZE, 65'536);
        expect_calls_of_a_part(address, 1, "at most 65536 bytes (ulimit -f)");
    };
    parts()["nothing locked"] = [](const std::string& address) {
        limit(RLIMIT_MEMLOCK, 0);
        expect_calls_of_a_part(address, 0, {});
    };
    return true;
}();

// Beyond it the system ends the program. [MXP-18.5]
TEST(fallback, files_that_may_not_be_so_long_are_not_made) {
    served server;
    EXPECT_EQ(part("short files", server.address).wait(), 0);
    EXPECT_EQ(server.transports(2), (kinds{"unix", "unix"}));
}

// Memory that nobody locks counts for no such limit.
TEST(fallback, memory_is_not_locked) {
    served server;
    EXPECT_EQ(part("nothing locked", server.address).wait(), 0);
    EXPECT_EQ(server.transports(2), (kinds{"shm", "shm"}));
}

}  // namespace

}  // namespace fallback_tests
