#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "allocations.hpp"
#include "operation.hpp"

namespace bench {

/// One task of one codec after all rounds.
struct measured {
    /// Nanoseconds of one operation, in the order of the rounds.
    std::vector<double> samples;
    /// The allocations of one operation once its buffers have grown.
    allocated each;
};

/// Measures operations against each other: in every round each is sampled once, in turn, so that
/// other work of the machine meets all alike. Every second round goes backwards, so that none is
/// always first.
std::vector<measured> measure_in_turn(std::span<operation* const> operations, int rounds,
                                      std::chrono::nanoseconds sample);

/// Finds how many operations take at least `sample`.
std::uint64_t calibrate(operation& what, std::chrono::nanoseconds sample);

/// The nanoseconds of one of `times` operations, rounded to a thousandth: more digits say nothing.
double per_operation(std::chrono::nanoseconds took, std::uint64_t times);

/// The times of single operations, in nanoseconds, clock included.
struct latency {
    std::uint64_t operations;
    double median;
    double p99;
    double worst;
    /// The allocations of all of them together.
    allocated all;
};

/// Times `operations` operations one by one, after some that warm it up.
latency measure_latency(operation& what, std::uint64_t operations);

}  // namespace bench
