// How many chunks are on their way to a reader that takes none.
#include <atomic>
#include <mxp/engine/window.hpp>
#include <thread>

#include "many.hpp"

namespace many_values {

namespace {

/// A server that sends numbers to any subscriber, as fast as they are taken.
class subscribed : public many {
   protected:
    static constexpr std::size_t all = 20'000;

    void SetUp() override {
        for (const char* name : {mesh, service}) {
            const net::method of{name, 9, "subscribe"};
            services.service(name, net::types_of<Lease>())
                .stream(of,
                        net::flowing_handler{[this](const net::request&, const net::stream& end) {
                            asked = 0;
                            end.send_all([this]() -> std::optional<mxp::session::value> {
                                if (asked == all) {
                                    return std::nullopt;
                                }
                                const std::string text = std::to_string(asked++);
                                const bytes_view lent{text};
                                return mxp::session::value{
                                    std::vector<std::byte>{lent.begin(), lent.end()}};
                            });
                        }});
        }
        server.emplace(context, std::move(services), server_how);
        address = server->listen(folder.at("s")).value();
    }
    /// The chunks that are sent to a subscriber that takes none.
    static std::size_t most_of(const char* name) {
        return name == std::string_view{mesh} ? mxp::session::subscription_messages
                                              : mxp::engine::window_messages;
    }

    static constexpr const char* mesh = "mxp.mesh.Mesh";
    std::atomic<std::size_t> asked{0};
};

// [MESH-5.1]
TEST_F(subscribed, FewEventsOfTheMeshAreOnTheirWayToWhomTakesNone) {
    client.emplace(context, address, client_how);
    for (const char* name : {mesh, service}) {
        back.clear();
        here.clear();
        asked = 0;
        const net::stream stream = open({name, 9, "subscribe"});
        stream.pause();
        ASSERT_TRUE(until(context, [&] { return asked >= most_of(name); }));
        static_cast<void>(until(
            context, [] { return false; }, std::chrono::milliseconds{300}));
        EXPECT_LE(asked, most_of(name) + 1);
        stream.resume();
        stream.finish();
        ASSERT_TRUE(until_over());
        ASSERT_EQ(back.size(), all);
        EXPECT_EQ(back.back(), std::to_string(all - 1));
    }
}

// [MESH-5.1]
TEST_F(subscribed, FewEventsOfTheMeshAreOnTheirWayToWhomWaits) {
    std::thread serving{[&] { context.run_for(std::chrono::seconds{60}); }};
    {
        net::blocking_client waiting{address};
        for (const char* name : {mesh, service}) {
            asked = 0;
            auto stream = waiting.open({name, 9, "subscribe"}, bytes_view{});
            ASSERT_TRUE(stream);
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
            while (asked < most_of(name) && std::chrono::steady_clock::now() < end) {
                std::this_thread::sleep_for(std::chrono::milliseconds{10});
            }
            EXPECT_GE(asked, most_of(name));
            std::this_thread::sleep_for(std::chrono::milliseconds{300});
            EXPECT_LE(asked, most_of(name) + 1);
            for (std::size_t n = 0; n < all; ++n) {
                const auto chunk = stream->read();
                ASSERT_TRUE(chunk && *chunk);
                ASSERT_EQ(text_of(**chunk), std::to_string(n));
            }
        }
    }
    context.stop();
    serving.join();
}

}  // namespace

}  // namespace many_values
