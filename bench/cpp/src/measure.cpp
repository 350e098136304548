#include "measure.hpp"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

nanoseconds time(operation& what, std::uint64_t times) {
    const auto start = clock::now();
    what.run(times);
    return clock::now() - start;
}

}  // namespace

std::vector<measured> measure_in_turn(std::span<operation* const> operations, int rounds,
                                      nanoseconds sample) {
    std::vector<std::uint64_t> times;
    std::vector<measured> all;
    for (operation* const each : operations) {
        times.push_back(calibrate(*each, sample));
        const allocation_counter counter;
        each->run(1);
        all.push_back({{}, counter.counted()});
    }
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t turn = 0; turn < operations.size(); ++turn) {
            const std::size_t i = round % 2 == 0 ? turn : operations.size() - 1 - turn;
            all[i].samples.push_back(per_operation(time(*operations[i], times[i]), times[i]));
        }
    }
    return all;
}

std::uint64_t calibrate(operation& what, nanoseconds sample) {
    std::uint64_t times = 1;
    for (;;) {
        const nanoseconds took = time(what, times);
        if (took >= sample) {
            return times;
        }
        // Aim a little past the sample, but trust a short measurement at most for a hundredfold.
        const double growth = 1.2 * static_cast<double>(sample.count()) /
                              static_cast<double>(std::max<nanoseconds::rep>(took.count(), 1));
        const double aim = static_cast<double>(times) * std::min(growth, 100.0);
        times = std::max(times + 1, static_cast<std::uint64_t>(aim));
    }
}

double per_operation(nanoseconds took, std::uint64_t times) {
    const double each = static_cast<double>(took.count()) / static_cast<double>(times);
    return std::round(each * 1000) / 1000;
}

latency measure_latency(operation& what, std::uint64_t operations) {
    what.run(std::min<std::uint64_t>(operations, 1000));
    std::vector<nanoseconds> took(operations);
    const allocation_counter counter;
    for (nanoseconds& each : took) {
        each = time(what, 1);
    }
    const allocated all = counter.counted();
    std::ranges::sort(took);
    const auto at = [&took](std::size_t percent) {
        return static_cast<double>(took[percent * (took.size() - 1) / 100].count());
    };
    return {operations, at(50), at(99), at(100), all};
}

}  // namespace bench
