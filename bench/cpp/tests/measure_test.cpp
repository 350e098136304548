#include "measure.hpp"

#include <array>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

// Notes its name at each run, and takes at least as long for each operation as it was told.
class noted final : public bench::operation {
   public:
    noted(char name, std::string& runs, std::chrono::microseconds each)
        : name_(name), runs_(runs), each_(each) {}

    void run(std::uint64_t times) override {
        runs_ += name_;
        std::this_thread::sleep_for(each_ * times);
    }

    bench::flaw verify() override { return {}; }

   private:
    char name_;
    std::string& runs_;
    std::chrono::microseconds each_;
};

TEST(Measure, RoundsSampleEachOperationAndTurnRound) {
    std::string runs;
    noted a('a', runs, 200us);
    noted b('b', runs, 200us);
    const std::array<bench::operation*, 2> both = {&a, &b};
    const std::vector<bench::measured> all = bench::measure_in_turn(both, 3, 100us);
    // Before the rounds each is calibrated and counted.
    EXPECT_EQ(runs, "aabbabbaab");
    for (const bench::measured& one : all) {
        ASSERT_EQ(one.samples.size(), 3U);
        for (const double sample : one.samples) {
            // A sleep may last longer than asked for, never shorter.
            EXPECT_GE(sample, 200'000);
        }
    }
}

// Remembers how long its last run took, and allocates.
class timed final : public bench::operation {
   public:
    void run(std::uint64_t times) override {
        const auto start = std::chrono::steady_clock::now();
        std::this_thread::sleep_for(10us * times);
        for (std::uint64_t i = 0; i < times; ++i) {
            bench::opaque(*std::make_unique<std::array<char, 24>>());
        }
        last = std::chrono::steady_clock::now() - start;
    }

    bench::flaw verify() override { return {}; }

    std::chrono::nanoseconds last{};
};

TEST(Measure, CalibrationEndsAtTheFirstRunThatReachesTheSample) {
    timed what;
    const std::uint64_t times = bench::calibrate(what, 2ms);
    // Measured from inside it is a little less.
    EXPECT_GE(what.last, 1900us);
    // A sleep may last longer than asked for, never shorter: more than 240 were not aimed at.
    EXPECT_LE(times, 240U);
}

TEST(Measure, OneOperationIsCounted) {
    timed what;
    const std::array<bench::operation*, 1> one = {&what};
    EXPECT_EQ(bench::measure_in_turn(one, 1, 20us)[0].each, (bench::allocated{1, 24}));
}

TEST(Measure, TimeOfAnOperationKeepsThousandthsOfNanoseconds) {
    EXPECT_EQ(bench::per_operation(10ns, 4), 2.5);
    EXPECT_EQ(bench::per_operation(10ns, 3), 3.333);
    EXPECT_EQ(bench::per_operation(1ms, 1), 1'000'000);
}

// Sleeps at one of its operations.
class stumbling final : public bench::operation {
   public:
    void run(std::uint64_t times) override {
        done_ += times;
        if (done_ == 1000 + 40) {
            std::this_thread::sleep_for(20ms);
        }
    }

    bench::flaw verify() override { return {}; }

   private:
    std::uint64_t done_ = 0;
};

TEST(Measure, LatencyShowsTheOneThatTookLongest) {
    stumbling what;
    const bench::latency took = bench::measure_latency(what, 1000);
    EXPECT_EQ(took.operations, 1000U);
    EXPECT_GE(took.worst, 20e6);
    EXPECT_LT(took.median, 10e6);
    EXPECT_LE(took.median, took.p99);
    EXPECT_EQ(took.all, (bench::allocated{0, 0}));
}

TEST(Measure, LatencyCountsTheAllocationsOfAll) {
    timed what;
    EXPECT_EQ(bench::measure_latency(what, 10).all, (bench::allocated{10, 240}));
}

}  // namespace
