#include "mxp/engine/budget.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

namespace {

using mxp::engine::budget;
using namespace std::chrono_literals;

constexpr std::size_t kib = 1024;

/// Members of a budget of 1 MiB that note what they are told.
class Shared : public ::testing::Test {
   protected:
    struct one final : budget::member {
        void on_budget(std::chrono::milliseconds after) override {
            ++woken;
            pause = after;
        }
        void on_overrun() override { ++ended; }
        void on_crowded() override { ++crowded; }
        int woken = 0;
        std::chrono::milliseconds pause{-1};
        int ended = 0;
        int crowded = 0;
    };

    Shared() {
        for (one& of : all) {
            shared.join(of);
        }
    }
    bool weigh(std::size_t i, std::size_t held, std::chrono::milliseconds after = 0ms) {
        return shared.weigh(all[i], {held, 0, 0}, begun + after);
    }
    std::vector<int> woken() const { return {all[0].woken, all[1].woken, all[2].woken}; }
    std::vector<int> ended() const { return {all[0].ended, all[1].ended, all[2].ended}; }
    std::vector<int> crowded() const { return {all[0].crowded, all[1].crowded, all[2].crowded}; }

    std::chrono::steady_clock::time_point begun{100s};
    budget shared{1536 * kib};
    std::array<one, 3> all;
};

// [MXP-15.4]
TEST_F(Shared, ThatWhichHoldsMostIsEnded) {
    EXPECT_TRUE(weigh(0, 300 * kib));
    EXPECT_TRUE(weigh(1, 400 * kib));
    EXPECT_TRUE(weigh(2, 60 * kib));
    EXPECT_FALSE(weigh(1, 700 * kib));
    EXPECT_EQ(ended(), (std::vector{0, 1, 0}));
}

// [MXP-15.4]
TEST_F(Shared, ThoseThatMoveAreEndedLast) {
    EXPECT_TRUE(weigh(0, 400 * kib));
    EXPECT_TRUE(weigh(1, 300 * kib));
    for (int i = 0; i < 12; ++i) {
        weigh(0, 0);
        weigh(0, 400 * kib);
    }
    weigh(2, 400 * kib, 900ms);
    EXPECT_EQ(ended(), (std::vector{0, 0, 1}));
    weigh(1, 700 * kib, 1900ms);
    EXPECT_EQ(ended(), (std::vector{0, 1, 1}));
    weigh(0, 1100 * kib, 2500ms);
    EXPECT_EQ(ended(), (std::vector{1, 1, 1}));
}

TEST_F(Shared, OneThatHasNotMovedForASecondIsEndedFirst) {
    EXPECT_TRUE(weigh(0, 500 * kib));
    for (int i = 0; i < 4; ++i) {
        weigh(0, 0);
        weigh(0, 500 * kib);
    }
    EXPECT_TRUE(weigh(1, 200 * kib));
    weigh(2, 400 * kib, 2s);
    EXPECT_EQ(ended(), (std::vector{1, 0, 0}));
}

// Else all would read at once what there is room for once.
TEST_F(Shared, ThoseThatWaitAreWokenOneAfterTheOther) {
    EXPECT_TRUE(weigh(0, 500 * kib));
    EXPECT_FALSE(weigh(1, 350 * kib));
    EXPECT_FALSE(weigh(2, 150 * kib + 250 * kib / 2 + 100 * kib));
    EXPECT_EQ(ended(), (std::vector{1, 0, 0}));
    shared.leave(all[0], begun);
    EXPECT_EQ(woken(), (std::vector{0, 1, 0}));
    shared.awoke(all[2], begun);
    EXPECT_EQ(woken(), (std::vector{0, 1, 0}));
    shared.awoke(all[1], begun);
    EXPECT_EQ(woken(), (std::vector{0, 1, 1}));
    EXPECT_TRUE(weigh(1, 340 * kib));
}

// However many others there are.
TEST_F(Shared, OneThatMovesWaitsForThoseThatMoveAlone) {
    weigh(0, 500 * kib);
    for (int i = 0; i < 4; ++i) {
        weigh(2, 200 * kib);
        weigh(2, 0);
    }
    EXPECT_TRUE(weigh(2, 200 * kib));
    EXPECT_FALSE(weigh(1, 150 * kib));
    EXPECT_FALSE(weigh(0, 500 * kib));
    EXPECT_EQ(woken(), (std::vector{0, 1, 0}));
    EXPECT_FALSE(weigh(2, 200 * kib));
    EXPECT_EQ(woken(), (std::vector{0, 1, 1}));
    EXPECT_EQ(all[2].pause, 40ms);
    shared.awoke(all[2], begun);
    EXPECT_EQ(woken(), (std::vector{0, 1, 1}));
    shared.awoke(all[1], begun);
    EXPECT_EQ(woken(), (std::vector{1, 1, 1}));
}

// Its handlers may go on without what it has not read.
TEST_F(Shared, OneThatLetsGoOfMemoryWhileItWaitsWaitsForThoseThatMove) {
    EXPECT_TRUE(weigh(0, 440 * kib));
    EXPECT_FALSE(weigh(1, 400 * kib));
    EXPECT_FALSE(weigh(0, 440 * kib));
    EXPECT_FALSE(weigh(1, 560 * kib));
    EXPECT_FALSE(weigh(0, 260 * kib));
    EXPECT_FALSE(weigh(1, 720 * kib));
    EXPECT_FALSE(weigh(0, 100 * kib));
    EXPECT_EQ(woken(), (std::vector{0, 1, 0}));
    EXPECT_FALSE(weigh(0, 87 * kib));
    EXPECT_EQ(woken(), (std::vector{1, 1, 0}));
    EXPECT_EQ(all[0].pause, 40ms);
}

// The connection can't let go of memory that waits for unread bytes.
TEST(Movement, APauseCountsForATenthOfASecond) {
    const std::chrono::steady_clock::time_point begun{100s};
    mxp::engine::movement moved;
    moved.add(5, begun);
    moved.pause(begun + 100ms);
    EXPECT_EQ(moved.bytes(begun + 60s), 5U);
    moved.resume(begun + 60s);
    EXPECT_EQ(moved.bytes(begun + 60s + 700ms), 5U);
    moved.add(7, begun + 60s + 900ms);
    EXPECT_EQ(moved.bytes(begun + 61s), 12U);
    EXPECT_EQ(moved.bytes(begun + 61s + 900ms), 7U);
    EXPECT_EQ(moved.bytes(begun + 63s), 0U);
}

// The others are to have time left by all that they take together.
TEST_F(Shared, ThoseThatAreWokenWaitForLongerTheMoreIsHeld) {
    EXPECT_TRUE(weigh(0, 500 * kib));
    EXPECT_TRUE(weigh(1, 200 * kib));
    EXPECT_FALSE(weigh(2, 100 * kib));
    EXPECT_EQ(all[2].pause, 100ms);
    EXPECT_FALSE(weigh(1, 200 * kib));
    weigh(0, 400 * kib);
    shared.awoke(all[2], begun);
    EXPECT_EQ(all[1].pause, 10ms);
    EXPECT_TRUE(weigh(2, 100 * kib));
    weigh(0, 500 * kib);
    EXPECT_FALSE(weigh(2, 100 * kib));
    weigh(0, 100 * kib);
    shared.awoke(all[1], begun);
    EXPECT_EQ(all[2].pause, 0ms);
    EXPECT_EQ(woken(), (std::vector{0, 1, 2}));
}

// [MXP-15.2]
TEST_F(Shared, WhatWaitsForGrantsIsAReasonOnlyWhereNoneCome) {
    EXPECT_FALSE(shared.weigh(all[0], {900 * kib, 800 * kib, 0}, begun));
    EXPECT_TRUE(shared.weigh(all[0], {890 * kib, 800 * kib, 0}, begun));
    EXPECT_FALSE(shared.weigh(all[0], {890 * kib, 800 * kib, 0}, begun + 3s));
}

// [MXP-15.5]
TEST_F(Shared, PeersThatHaveHungUpLeaveASixteenthAtMost) {
    const auto leave = [&](std::size_t i, std::size_t n) {
        return shared.weigh(all[i], {n, 0, n}, begun);
    };
    EXPECT_TRUE(leave(0, 24 * kib));
    EXPECT_TRUE(leave(1, 30 * kib));
    EXPECT_TRUE(leave(2, 10 * kib));
    EXPECT_EQ(crowded(), (std::vector{0, 0, 0}));
    EXPECT_TRUE(leave(2, 10 * kib + 1));
    EXPECT_EQ(crowded(), (std::vector{0, 1, 0}));
    // A connection that drops its events counts no more, and is not told again.
    EXPECT_TRUE(leave(1, 30 * kib));
    EXPECT_TRUE(leave(2, 40 * kib));
    EXPECT_EQ(crowded(), (std::vector{0, 1, 0}));
    EXPECT_TRUE(leave(2, 40 * kib + 1));
    EXPECT_EQ(crowded(), (std::vector{0, 1, 1}));
    EXPECT_TRUE(leave(0, 64 * kib));
    shared.leave(all[0], begun);
    EXPECT_EQ(crowded(), (std::vector{0, 1, 1}));
    EXPECT_EQ(ended(), (std::vector{0, 0, 0}));
}

// [MXP-15.4]
TEST(SharedByMany, OneThatHoldsTheEvenPartIsEndedThoughThatIsLittle) {
    struct one final : budget::member {
        void on_budget(std::chrono::milliseconds /*after*/) override {}
        void on_overrun() override { ++ended; }
        void on_crowded() override {}
        int ended = 0;
    };
    const std::chrono::steady_clock::time_point begun{100s};
    budget shared{1536 * kib};
    std::vector<one> all(64);
    for (one& of : all) {
        shared.join(of);
    }
    for (one& of : all) {
        static_cast<void>(shared.weigh(of, {16 * kib, 0, 0}, begun));
        EXPECT_EQ(of.ended, 0);
    }
    static_cast<void>(shared.weigh(all[5], {16 * kib + 1, 0, 0}, begun));
    EXPECT_EQ(all[5].ended, 1);
    EXPECT_EQ(shared.held(), 1024 * kib + 1);
}

TEST_F(Shared, OneThatGoesWhenItIsWokenWakesTheNext) {
    EXPECT_TRUE(weigh(0, 400 * kib));
    EXPECT_FALSE(weigh(1, 380 * kib));
    EXPECT_FALSE(weigh(0, 390 * kib));
    EXPECT_TRUE(weigh(2, 60 * kib));
    weigh(2, 0);
    EXPECT_EQ(woken(), (std::vector{0, 1, 0}));
    shared.leave(all[1], begun);
    EXPECT_EQ(woken(), (std::vector{1, 1, 0}));
}

}  // namespace
