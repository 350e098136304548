// Sessions that do what random numbers say.
#include <gtest/gtest.h>

#include "../sample.hpp"
#include "play.hpp"

TEST(session, keeps_its_promises_whatever_happens) {
    for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
        sample::numbers random{seed};
        std::vector<std::uint8_t> data(random.below(1'500));
        for (std::uint8_t& one : data) {
            one = static_cast<std::uint8_t>(random.next());
        }
        play::run(data.data(), data.size());
    }
}

// Bytes that come are cut in any way, and tell the same.
TEST(session, is_the_same_for_all_cuts) {
    namespace ms = mxp::session;
    ms::config config;
    config.services = {"a.A"};
    ms::session opener{config, ms::role::opener, 0};
    ms::session first{config, ms::role::acceptor, 0};
    sample::bytes hello;
    sample::bytes stream;
    const auto take = [](ms::session& from, sample::bytes& into) {
        while (const auto frame = from.poll_frame(0)) {
            for (const auto piece : {frame->head, frame->value, frame->trailer}) {
                into.insert(into.end(), piece.begin(), piece.end());
            }
        }
    };
    const auto count = [](ms::session& of, const sample::bytes& bytes, std::size_t piece_size) {
        std::size_t n = 0;
        for (std::size_t at = 0; at < bytes.size(); at += piece_size) {
            const std::size_t size = std::min(piece_size, bytes.size() - at);
            const sample::bytes piece(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                                      bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
            mxp::bytes_view input = piece;
            while (const auto one = of.receive(input, 0)) {
                ++n;
            }
        }
        return n;
    };
    take(first, hello);
    ASSERT_EQ(count(opener, hello, 1'000), 1U);
    for (const std::size_t n : {0U, 10U, 9'000U, 100U}) {
        ASSERT_TRUE(opener.call({}, sample::ramp(n), 0));
    }
    take(opener, stream);
    for (const std::size_t piece_size : {1U, 2U, 7U, 31U, 40U, 1'000U, 20'000U}) {
        ms::session acceptor{config, ms::role::acceptor, 0};
        EXPECT_EQ(count(acceptor, stream, piece_size), 5U) << piece_size;
    }
}
