// Chunks that are sent, and told, several at once.
#include <algorithm>
#include <mxp/engine/window.hpp>
#include <numeric>

#include "many.hpp"
#include "mxp/session/records.hpp"

namespace many_values {

namespace {

TEST_F(many, ChunksComeInTheirOrderWithAndWithoutBatches) {
    for (const auto& [mine, theirs] : {std::pair{true, true}, {true, false}, {false, true}}) {
        client_how.batches = mine;
        server_how.batches = theirs;
        begin();
        const texts all = numbered(20'000);
        for (const int by : {0, 1, 2, 3}) {
            back.clear();
            sizes.clear();
            here.clear();
            const net::stream stream = open(echo);
            if (by == 0) {
                stream.send_all(giving(all));
            } else if (by == 1) {
                stream.send_all(all);
            } else {
                for (std::size_t i = 0; i < all.size(); i += 500) {
                    const std::vector<bytes_view> some(all.begin() + static_cast<std::ptrdiff_t>(i),
                                                       all.begin() +
                                                           static_cast<std::ptrdiff_t>(i + 499));
                    stream.send_batch({some.data(), some.size()});
                    stream.send(bytes_view{all[i + 499]});
                }
                stream.finish();
            }
            ASSERT_TRUE(until_over());
            EXPECT_EQ(here, "fine");
            EXPECT_EQ(back, all);
            EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), 256U);
            EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), all.size());
            // Where both sides take batches, what comes together is told together.
            EXPECT_EQ(sizes.size() < all.size() / 10, mine && theirs) << sizes.size();
        }
        client.reset();
        server.reset();
    }
}

TEST_F(many, NothingIsSentThatIsNotGranted) {
    server_how.window = 1000;
    begin();
    const net::stream stream = open(hold);
    std::size_t asked = 0;
    stream.send_all([&]() -> std::optional<mxp::session::value> {
        if (asked == 100) {
            return std::nullopt;
        }
        ++asked;
        return mxp::session::value{bytes_view{std::string_view{"0123456789"}.substr(0, 10)}};
    });
    ASSERT_TRUE(until(context, [&] { return held && stream.unsent() > 0; }));
    // 100 chunks fit the 1,000 bytes; the next would wait. So it is with 1,001 bytes.
    EXPECT_LE(asked, 100U);
    for (int i = 0; i < 20; ++i) {
        static_cast<void>(until(
            context, [] { return false; }, std::chrono::milliseconds{1}));
    }
    EXPECT_EQ(asked, 100U);
    EXPECT_TRUE(came.empty());
    held->resume();
    ASSERT_TRUE(until_over());
    EXPECT_EQ(came.size(), 100U);
}

TEST_F(many, FunctionIsAskedForNoMoreThanOneChunkBeyondWhatIsGranted) {
    server_how.window = 1000;
    begin();
    const net::stream stream = open(hold);
    const net::stream batch = open(hold);
    std::size_t asked = 0;
    stream.send_all([&]() -> std::optional<mxp::session::value> {
        return ++asked > 1'000 ? std::nullopt
                               : std::optional{mxp::session::value{std::string_view{"0123456789"}}};
    });
    ASSERT_TRUE(until(context, [&] { return asked > 1 && stream.unsent() > 0; }));
    EXPECT_EQ(asked, 101U);
    EXPECT_EQ(stream.unsent(), 10U);
    const texts all(1'000, "0123456789");
    const auto some = views_of(all);
    batch.send_batch({some.data(), some.size()});
    ASSERT_TRUE(until(context, [&] { return batch.unsent() == 9'000; }));
    batch.cancel();
    EXPECT_EQ(here, "cancelled");
    EXPECT_EQ(asked, 101U);
}

TEST_F(many, ChunkThatTheWindowNeverLetsThroughEndsTheStreamAfterThoseBeforeIt) {
    server_how.window = 1000;
    begin();
    const texts all{"one", "two", std::string(501, 'x'), "four"};
    for (const bool at_once : {false, true}) {
        came.clear();
        here.clear();
        ended.clear();
        const net::stream stream = open(take);
        if (at_once) {
            // A stream that is open already, so that nothing waits.
            stream.send(std::string_view{"zero"});
            ASSERT_TRUE(until(context, [&] { return came.size() == 1; }));
            came.clear();
            const auto some = views_of(all);
            stream.send_batch({some.data(), some.size()});
        } else {
            stream.send_all(all);
        }
        ASSERT_TRUE(until(context, [&] { return !here.empty() && !ended.empty(); }));
        EXPECT_EQ(here, "stream_window");
        EXPECT_EQ(ended, "cancelled");
        EXPECT_LE(came.size(), 2U);
    }
}

TEST_F(many, FunctionMayEndTheStreamOrSendWhileItIsAsked) {
    begin();
    {
        const net::stream stream = open(echo);
        stream.send_all([stream, n = 0]() mutable -> std::optional<mxp::session::value> {
            if (++n == 3) {
                stream.cancel();
            }
            return mxp::session::value{std::string_view{"x"}};
        });
        ASSERT_TRUE(until_over());
        EXPECT_EQ(here, "cancelled");
    }
    here.clear();
    back.clear();
    {
        const net::stream stream = open(echo);
        stream.send_all([stream, n = 0]() mutable -> std::optional<mxp::session::value> {
            if (++n > 2) {
                return std::nullopt;
            }
            stream.send(std::string_view{"between"});
            return mxp::session::value{std::string_view{"asked"}};
        });
        ASSERT_TRUE(until_over());
        EXPECT_EQ(here, "fine");
        EXPECT_EQ(back, (texts{"between", "asked", "between", "asked"}));
    }
    here.clear();
    back.clear();
    {
        const net::stream stream = open(echo);
        stream.send_all([stream, n = 0]() mutable {
            if (++n == 2) {
                stream.finish();
            }
            return std::optional{mxp::session::value{std::string_view{"x"}}};
        });
        ASSERT_TRUE(until_over());
        EXPECT_EQ(here, "fine");
        EXPECT_EQ(back, (texts{"x", "x"}));
    }
}

TEST_F(many, ReaderMayPauseOrEndWhileSeveralAreTold) {
    begin();
    const texts all = numbered(1'000);
    net::stream stream = open(echo);
    stream.on_chunks([&](several chunks) {
        for (const bytes_view one : chunks) {
            back.push_back(text_of(one));
        }
        stream.pause();
        asio::post(context, [&] { stream.resume(); });
    });
    stream.send_all(all);
    ASSERT_TRUE(until_over());
    EXPECT_EQ(back, all);
    here.clear();
    back.clear();
    stream = open(echo);
    stream.on_chunks([&](several chunks) {
        stream.cancel();
        for (const bytes_view one : chunks) {
            back.push_back(text_of(one));
        }
    });
    stream.send_all(all);
    ASSERT_TRUE(until_over());
    EXPECT_EQ(here, "cancelled");
    ASSERT_LE(back.size(), 256U);
    EXPECT_EQ(back, texts(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(back.size())));
}

/// Sends as many chunks without bytes as are granted, which nobody takes for a while.
class tiny : public many, public testing::WithParamInterface<bool> {};

// Chunks that came before somebody reads are told several at a time, too. A chunk that came alone
// counts 64 bytes; chunks of a frame lie in one memory, with two bytes for each, and count so.
// [MXP-15.2]
TEST_P(tiny, ChunksThatNobodyTakesAreBoundedAndCountWhatTheyTake) {
    client_how.batches = GetParam();
    const std::size_t each = GetParam() ? mxp::session::record_bytes : 64;
    begin();
    const net::stream stream = open(hold);
    stream.send_all([] { return std::optional{mxp::session::value{bytes_view{}}}; });
    const std::size_t most = mxp::engine::window_messages;
    const auto in_chunks = [&] { return server->stats().held_bytes; };
    ASSERT_TRUE(until(context, [&] { return held && in_chunks() >= most * each; }));
    for (int i = 0; i < 20; ++i) {
        static_cast<void>(until(
            context, [] { return false; }, std::chrono::milliseconds{1}));
    }
    EXPECT_LE(in_chunks(), most * each + 65'536);
    EXPECT_TRUE(here.empty());
    stream.finish();
    held->resume();
    ASSERT_TRUE(until_over());
    EXPECT_EQ(here, "fine");
    EXPECT_EQ(came.size(), most + 1);  // with the one that was asked for and waited
    EXPECT_LE(sizes.size(), most / 256 + 2);
    EXPECT_LT(in_chunks(), 65'536U);
}

INSTANTIATE_TEST_SUITE_P(InBatchesOrAlone, tiny, testing::Bool());

}  // namespace

}  // namespace many_values
