// Plans, payloads and times.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <initializer_list>

#include "cpu.hpp"
#include "flaw.hpp"
#include "latency.hpp"
#include "plan.hpp"

namespace rpcbench {

namespace {

TEST(Payload, RefusesAReplyThatIsNotWhatWasSent) {
    payload what = payload::of(8);
    auto other = what.bytes;
    other[7] ^= std::byte{1};
    EXPECT_NO_THROW(what.look(other.data(), 8));
    EXPECT_THROW(what.look(other.data(), 7), flaw);
    what.is_compared = true;
    EXPECT_THROW(what.look(other.data(), 8), flaw);
    EXPECT_NO_THROW(what.look(what.bytes.data(), 8));
}

TEST(Until, HasOneOfSoManyTimed) {
    until goes_on = until::time(std::chrono::milliseconds{20}, 4).begun();
    std::size_t all = 0;
    std::size_t timed = 0;
    while (goes_on.more()) {
        ++all;
        timed += goes_on.is_timed() ? 1U : 0U;
    }
    EXPECT_GT(all, 8U);
    EXPECT_EQ(timed, all / 4);
    goes_on = until::count(3).begun();
    std::size_t counted = 0;
    while (goes_on.more()) {
        ++counted;
        EXPECT_FALSE(goes_on.is_timed());
    }
    EXPECT_EQ(counted, 3U);
}

TEST(Histogram, HasATimeNearTheMiddleOfItsBucket) {
    for (unsigned shift = 0; shift < 57; ++shift) {
        const std::uint64_t least = std::uint64_t{1} << shift;
        for (const std::uint64_t time : {least, least + least / 3, 2 * least - 1}) {
            const std::size_t bucket = histogram::bucket(time);
            ASSERT_LT(bucket, histogram::buckets);
            const std::uint64_t middle = histogram::middle(bucket);
            EXPECT_LE(std::max(middle, time) - std::min(middle, time), time / 64) << time;
        }
    }
}

TEST(Histogram, HasThePercentilesOfWhatWasNoted) {
    histogram times;
    EXPECT_FALSE(times.found());
    for (std::uint64_t time = 1; time <= 100'000; ++time) {
        times.note(time);
    }
    const auto found = times.found();
    ASSERT_TRUE(found);
    EXPECT_NEAR(static_cast<double>(found->p50), 50'000, 1'000);
    EXPECT_NEAR(static_cast<double>(found->p99), 99'000, 2'000);
    EXPECT_NEAR(static_cast<double>(found->p999), 99'900, 2'000);
    EXPECT_EQ(found->max, 100'000U);
}

TEST(Cpu, CountsWorkAndRefusesAProcessThatIsNotThere) {
    const std::uint64_t before = cpu_nanoseconds(::getpid());
    const auto end = steady::now() + std::chrono::seconds{5};
    while (cpu_nanoseconds(::getpid()) - before < 20'000'000) {
        ASSERT_LT(steady::now(), end);
    }
    EXPECT_THROW(static_cast<void>(cpu_nanoseconds(-1)), flaw);
}

TEST(Record, IsALineThatTheRunnerReads) {
    record made;
    made.messages = 5;
    made.elapsed = std::chrono::nanoseconds{10};
    made.client_cpu = 2;
    made.server_cpu = 3;
    EXPECT_EQ(made.json(),
              "{\"messages\":5,\"elapsed_ns\":10,\"client_cpu_ns\":2,\"server_cpu_ns\":3,"
              "\"latency_ns\":null}");
    made.latency = percentiles{1, 2, 3, 4};
    EXPECT_NE(made.json().find("{\"p50\":1,\"p99\":2,\"p999\":3,\"max\":4}"), std::string::npos);
    EXPECT_THROW(compare(3, 2), flaw);
    EXPECT_NO_THROW(compare(3, 3));
}

}  // namespace

}  // namespace rpcbench
