#include <gtest/gtest.h>

#include <asio/io_context.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mxp/net.hpp"
#include "running.hpp"

namespace {

using running::until;
namespace net = mxp::net;

constexpr std::size_t messages = 3'000;
constexpr net::method echoes{"demo.Echo", 3, "echoes"};

[[nodiscard]] std::string nth(std::size_t i) { return "message " + std::to_string(i); }

// The messages of a busy stream share frames where both sides take batches; each comes as it was
// sent in any case. A side without them is as peers of release 0.3 are.
TEST(Batches, StreamsAndEventsShareFramesWhereBothSidesTakeThat) {
    for (const auto& [here, there] : {std::pair{true, true}, {true, false}, {false, true}}) {
        net::server_options how;
        how.batches = there;
        running::in_thread server{how};
        asio::io_context context{1};
        net::client_options options;
        options.batches = here;
        net::client client{context, server.address, options};
        const auto stream = client.open("demo.Echo", 3, std::string_view{}, {});
        std::vector<std::string> came;
        bool has_ended = false;
        stream.on_chunk([&](mxp::bytes_view chunk) { came.push_back(running::text_of(chunk)); });
        stream.on_end([&](const net::failure* why) { has_ended = why == nullptr; });
        for (std::size_t i = 0; i < messages; ++i) {
            stream.send(nth(i));
        }
        stream.finish();
        EXPECT_TRUE(until(context, [&] { return has_ended; }));
        ASSERT_EQ(came.size(), messages);
        for (std::size_t i = 0; i < messages; ++i) {
            ASSERT_EQ(came[i], nth(i));
        }
        for (std::size_t i = 0; i < 100; ++i) {
            client.event("demo.Echo", 4, std::string_view{"x"}, {}, [](const net::answer&) {});
        }
        EXPECT_TRUE(until(context, [&] {
            return server.ask([](net::server&, running::seen& by) { return by.events; }) == 100U;
        }));
        const auto stats = server.stats();
        EXPECT_EQ(stats.in(mxp::frame_type::stream_chunks).frames > 0, here && there);
        EXPECT_EQ(stats.in(mxp::frame_type::events).frames > 0, here && there);
        if (here && there) {
            EXPECT_LT(stats.in(mxp::frame_type::stream_chunks).frames, messages / 10);
        }
    }
}

// The blocking client takes batches apart, too.
TEST(Batches, BlockingClientsTakeThem) {
    for (const bool has : {true, false}) {
        running::in_thread server;
        net::blocking_options options;
        options.batches = has;
        net::blocking_client client{server.address, options};
        auto stream = client.open(echoes, mxp::bytes_view{});
        ASSERT_TRUE(stream);
        for (std::size_t i = 0; i < 200; ++i) {
            ASSERT_TRUE(stream->write(nth(i)));
        }
        ASSERT_TRUE(stream->finish());
        for (std::size_t i = 0; i < 200; ++i) {
            const auto next = stream->read();
            ASSERT_TRUE(next && *next);
            EXPECT_EQ(running::text_of(**next), nth(i));
        }
    }
}

}  // namespace
