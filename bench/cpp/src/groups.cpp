#include "groups.hpp"

#include <algorithm>
#include <array>

namespace bench {
namespace {

constexpr std::array encode_fresh = {task::encode_fresh, task::copy};
constexpr std::array encode_reused = {task::encode_reused};
constexpr std::array decode = {task::decode_fresh,    task::decode_arena, task::decode_reused,
                               task::decode_borrowed, task::clone,        task::copy};
constexpr std::array read = {task::access, task::read, task::read_validate, task::read_borrowed};
constexpr std::array encode_fresh_message = {task::encode_fresh, task::encode_fresh_message};
constexpr std::array encode_reused_message = {task::encode_reused, task::encode_reused_message};
constexpr std::array decode_fresh_message = {task::decode_fresh, task::decode_fresh_message};

constexpr std::array<group, 7> all_groups = {{
    {"encode_fresh", encode_fresh, false},
    {"encode_reused", encode_reused, false},
    {"decode", decode, false},
    {"read", read, false},
    {"encode_fresh_message", encode_fresh_message, true},
    {"encode_reused_message", encode_reused_message, true},
    {"decode_fresh_message", decode_fresh_message, true},
}};

const subject::entry* find(const subject& in, task what) {
    const auto found = std::ranges::find(in.entries, what, &subject::entry::what);
    return found == in.entries.end() ? nullptr : &*found;
}

/// The tasks of a subject that take part.
std::vector<const subject::entry*> entrants(const group& which, const subject& of,
                                            const options& with) {
    std::vector<const subject::entry*> found;
    for (const task what : which.tasks) {
        const bool wanted =
            with.tasks.has(which.name) || (!which.pairs && with.tasks.has(name(what)));
        if (const subject::entry* const entry = find(of, what); entry != nullptr && wanted) {
            found.push_back(entry);
        }
    }
    if (which.pairs && found.size() < which.tasks.size()) {
        found.clear();
    }
    return found;
}

}  // namespace

std::span<const group> groups() noexcept { return all_groups; }

std::vector<record> measure_group(const group& which, std::vector<subject>& subjects,
                                  const options& with) {
    std::vector<operation*> operations;
    std::vector<record> records;
    for (const subject& each : subjects) {
        for (const subject::entry* const entry : entrants(which, each, with)) {
            operations.push_back(entry->how.get());
            records.push_back({std::string(which.name),
                               std::string(name(entry->what)),
                               each.codec,
                               each.version,
                               each.bytes,
                               nanosecond_samples({0}),
                               {}});
        }
    }
    const int rounds = which.pairs ? 2 * with.rounds : with.rounds;
    std::vector<measured> all = measure_in_turn(operations, rounds, with.sample);
    for (std::size_t i = 0; i < all.size(); ++i) {
        records[i].ns = nanosecond_samples(std::move(all[i].samples));
        records[i].each = all[i].each;
    }
    return records;
}

std::vector<latency_record> measure_latencies(std::vector<subject>& subjects,
                                              std::uint64_t operations) {
    std::vector<latency_record> records;
    for (const subject& each : subjects) {
        if (find(each, task::decode_arena) == nullptr) {
            continue;
        }
        for (const task what : {task::decode_arena, task::decode_borrowed, task::encode_reused}) {
            if (const subject::entry* const entry = find(each, what)) {
                records.push_back({std::string(name(what)), each.codec,
                                   measure_latency(*entry->how, operations)});
            }
        }
    }
    return records;
}

}  // namespace bench
