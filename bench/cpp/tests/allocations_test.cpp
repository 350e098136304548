#include "allocations.hpp"

#include <cstdlib>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "opaque.hpp"

namespace {

using bench::allocated;

template <class Work>
allocated count(Work work) {
    const bench::allocation_counter counter;
    work();
    return counter.counted();
}

TEST(Allocations, NothingIsCountedWhereNothingIsAllocated) {
    std::vector<char> kept;
    kept.reserve(100);
    EXPECT_EQ(count([&] { kept.assign(100, 'a'); }), (allocated{0, 0}));
}

TEST(Allocations, OperatorNewEndsInMalloc) {
    EXPECT_EQ(count([] { bench::opaque(*std::make_unique<std::uint64_t>(1)); }), (allocated{1, 8}));
}

TEST(Allocations, OveralignedObjectsAreCounted) {
    struct alignas(64) wide {
        char bytes[128];
    };
    EXPECT_EQ(count([] { bench::opaque(*std::make_unique<wide>()); }), (allocated{1, 128}));
}

TEST(Allocations, ClearedMemoryIsCounted) {
    EXPECT_EQ(count([] { std::free(bench::opaque_address(std::calloc(10, 3))); }),
              (allocated{1, 30}));
}

TEST(Allocations, GrowthCountsWhatItAdds) {
    void* memory = std::malloc(1000);
    const allocated grown =
        count([&] { memory = std::realloc(bench::opaque_address(memory), 3000); });
    EXPECT_EQ(grown.allocations, 1U);
    // The allocator may have given a few bytes more than were asked for.
    EXPECT_LE(grown.bytes, 2000U);
    EXPECT_GE(grown.bytes, 1976U);
    std::free(memory);
}

TEST(Allocations, WhatHappensOutsideOfACounterIsNotCounted) {
    { const bench::allocation_counter before; }
    bench::opaque(*std::make_unique<int>(1));
    EXPECT_EQ(count([] {}), (allocated{0, 0}));
}

}  // namespace
