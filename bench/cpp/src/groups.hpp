#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "results.hpp"
#include "subject.hpp"

namespace bench {

/// Tasks that are sampled in turn.
struct group {
    std::string_view name;
    std::span<const task> tasks;
    /// Whether a codec's tasks are compared with each other: only a codec that has all of them
    /// takes part. They differ by little, so that they get twice the rounds.
    bool pairs;
};

/// All groups.
std::span<const group> groups() noexcept;

/// Measures what the options leave of a group.
std::vector<record> measure_group(const group& which, std::vector<subject>& subjects,
                                  const options& with);

/// Times one by one what a codec does without asking for memory, of every codec that decodes on an
/// arena.
std::vector<latency_record> measure_latencies(std::vector<subject>& subjects,
                                              std::uint64_t operations);

}  // namespace bench
