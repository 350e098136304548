#pragma once

#include <cstdint>

namespace bench {

/// Allocations and their bytes: a growth counts as one allocation of the bytes that it added.
struct allocated {
    std::uint64_t allocations = 0;
    std::uint64_t bytes = 0;

    bool operator==(const allocated&) const = default;
};

/// Counts from its making on the program's allocations, by `malloc` and by all functions that end
/// in it. The benchmarks have one thread, and one counter at a time.
class allocation_counter {
   public:
    allocation_counter() noexcept;
    ~allocation_counter();
    allocation_counter(const allocation_counter&) = delete;
    allocation_counter& operator=(const allocation_counter&) = delete;

    /// The allocations so far.
    allocated counted() const noexcept;
};

}  // namespace bench
