// Streams whose chunks ask for Acks.
#include "intruder.hpp"
#include "running.hpp"
#include <thread>

using running::bytes;
using running::in_thread;
using running::intruder;
using running::text_of;
namespace net = mxp::net;
namespace ms = mxp::session;
using namespace std::chrono_literals;

namespace acks_tests {

namespace {

/// Sends four chunks, of which all but the first ask for an Ack, and the last is final.
void send_four(ms::session& on, std::uint64_t id) {
    for (std::size_t n = 1; n <= 4; ++n) {
        ASSERT_TRUE(on.chunk(id, n == 4, n > 1, bytes(n), 0));
    }
}

// [MXP-8.1] [MXP-8.5]
TEST(acks, a_stream_whose_chunks_ask_for_them_ends) {
    for (const bool batches : {false, true}) {
        in_thread served;
        intruder peer{served.address, {}, batches};
        peer.greeted();
        const auto id = peer.session().open({0, 6, 0, {}, {}}, {}, false, bytes{}, 0);
        ASSERT_TRUE(id && peer.flush());
        while (!peer.session().can_send(*id, 4) && peer.read()) {
        }
        send_four(peer.session(), *id);
        ASSERT_TRUE(peer.flush());
        while (peer.acked[*id] != 4 && peer.read(3'000)) {
        }
        EXPECT_EQ(peer.acked[*id], 4U) << batches;
        for (int i = 0; i < 500 && served.stats().in_flight_peer > 0; ++i) {
            std::this_thread::sleep_for(10ms);
        }
        EXPECT_EQ(served.stats().in_flight_peer, 0U);
    }
}

/// A server of one connection and one stream, on which it sends four chunks. It gives the last
/// number that was acknowledged.
std::uint64_t serve_once(const running::raw_socket& listener, bool batches) {
    intruder peer{listener.accept(), {"demo.Echo"}, batches};
    peer.greeted();
    while (peer.opened == 0 && peer.read()) {
    }
    send_four(peer.session(), peer.opened);
    EXPECT_TRUE(peer.flush());
    while (peer.acked[peer.opened] != 4 && peer.read(3'000)) {
    }
    return peer.acked[peer.opened];
}

TEST(acks, a_blocking_client_gives_them) {
    for (const bool batches : {false, true}) {
        const running::folder here;
        const auto listener = running::raw_socket::listening(here.at("s"));
        std::uint64_t acked = 0;
        std::thread served{[&] { acked = serve_once(listener, batches); }};
        {
            net::blocking_client client{here.at("s")};
            auto stream = client.open(net::method{"demo.Echo", 1}, std::string_view{});
            ASSERT_TRUE(stream && stream->finish());
            std::size_t chunks = 0;
            for (auto one = stream->read(); one && *one; one = stream->read()) {
                ++chunks;
            }
            EXPECT_EQ(chunks, 4U);
            served.join();
        }
        EXPECT_EQ(acked, 4U) << batches;
    }
}

}  // namespace

}  // namespace acks_tests
