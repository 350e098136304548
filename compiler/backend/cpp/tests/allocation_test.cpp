#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory_resource>
#include <new>

#include "agree.hpp"

namespace {

std::size_t allocations = 0;
std::size_t allocated_bytes = 0;

void* allocate(std::size_t n, std::size_t alignment) {
    ++allocations;
    allocated_bytes += n;
    const std::size_t whole = (n + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
    if (memory == nullptr) {
        std::abort();
    }
    return memory;
}

// Where it sees through this, gcc 12 warns of a release of memory that was not allocated.
[[gnu::noinline]] void release(void* memory) { std::free(memory); }

}  // namespace

void* operator new(std::size_t n) { return allocate(n, alignof(std::max_align_t)); }
void* operator new(std::size_t n, std::align_val_t to) {
    return allocate(n, static_cast<std::size_t>(to));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace {

/// How many allocations something makes.
template <class Does>
std::size_t allocations_of(Does does) {
    const std::size_t before = allocations;
    does();
    return allocations - before;
}

/// Makes all that takes memory from the default resource end the test, for as long as it lives.
class no_default_resource {
   public:
    no_default_resource()
        : before_(std::pmr::set_default_resource(std::pmr::null_memory_resource())) {}
    no_default_resource(const no_default_resource&) = delete;
    no_default_resource& operator=(const no_default_resource&) = delete;
    ~no_default_resource() { std::pmr::set_default_resource(before_); }

   private:
    std::pmr::memory_resource* before_;
};

/// Memory of a fixed size, and no other.
template <std::size_t Bytes>
struct arena {
    std::array<std::byte, Bytes> memory{};
    std::pmr::monotonic_buffer_resource resource{memory.data(), memory.size(),
                                                 std::pmr::null_memory_resource()};
};

using room = arena<std::size_t{64} << 10>;

}  // namespace

TEST(Allocations, AreCounted) {
    EXPECT_GT(allocations_of([] { static_cast<void>(sample::everything()); }), 20U);
}

TEST(Allocations, EncodingIntoASpanMakesNone) {
    const shapes::Everything value = sample::everything();
    sample::bytes out(sdp::encoded_size(value) + 10);
    EXPECT_EQ(allocations_of([&] {
                  ASSERT_TRUE(sdp::encode(value, sdp::span<std::byte>(out)));
                  ASSERT_TRUE(sdp::encode_message(value, sdp::span<std::byte>(out)));
              }),
              0U);
}

TEST(Allocations, AppendingToAVectorWithRoomMakesNone) {
    const shapes::Everything value = sample::everything();
    sample::bytes out;
    out.reserve(sdp::encoded_size(value));
    EXPECT_EQ(allocations_of([&] { ASSERT_TRUE(sdp::append(value, out)); }), 0U);
}

TEST(Allocations, DecodingIntoAValueReusesItsMemory) {
    const sample::bytes bytes = sdp::encode(sample::registry()).value();
    plugins::PluginRegistry owned;
    ASSERT_TRUE(sdp::decode_into(owned, bytes));
    EXPECT_EQ(allocations_of([&] { ASSERT_TRUE(sdp::decode_into(owned, bytes)); }), 0U);
    EXPECT_TRUE(owned == sample::registry());
}

TEST(Allocations, DecodingIntoAValueOfEveryConstructReusesAllButMaps) {
    const sample::bytes bytes = sample::table_bytes();
    shapes::Everything value;
    ASSERT_TRUE(sdp::decode_into(value, bytes));
    std::size_t entries =
        value.by_name.size() + value.by_number.size() + value.by_kind.size() + value.by_flag.size();
    entries += 1;  // the bytes of an entry
    EXPECT_LE(allocations_of([&] { ASSERT_TRUE(sdp::decode_into(value, bytes)); }), entries);
    EXPECT_TRUE(value == sample::everything());
}

TEST(Allocations, PooledAndBorrowedValuesTakeAllMemoryFromTheirResource) {
    const sample::bytes bytes = sample::table_bytes();
    const no_default_resource guard;
    room pool;
    sdp::decode_options options;
    options.resource = &pool.resource;
    EXPECT_EQ(allocations_of([&] {
                  const auto value = sdp::decode<shapes::pmr::Everything>(bytes, options);
                  ASSERT_TRUE(value);
                  EXPECT_EQ(value->names.get_allocator().resource(), &pool.resource);
                  EXPECT_EQ(value->names[2].get_allocator().resource(), &pool.resource);
              }),
              0U);
    pool.resource.release();
    EXPECT_EQ(
        allocations_of([&] { ASSERT_TRUE(sdp::decode<shapes::EverythingRef>(bytes, options)); }),
        0U);
}

TEST(Allocations, DecodingIntoAPreparedArenaIsSteady) {
    const sample::bytes bytes = sample::table_bytes();
    const sample::bytes message = sdp::encode_message(sample::everything()).value();
    const no_default_resource guard;
    room pool;
    sdp::decode_options options;
    options.resource = &pool.resource;
    EXPECT_EQ(allocations_of([&] {
                  for (int i = 0; i < 100; ++i) {
                      ASSERT_TRUE(sdp::decode<shapes::pmr::Everything>(bytes, options));
                      pool.resource.release();
                      ASSERT_TRUE(sdp::decode_message<shapes::EverythingRef>(message, options));
                      pool.resource.release();
                  }
              }),
              0U);
}

TEST(Allocations, MissingSegmentsTakeTheirDefaultsFromTheResource) {
    const no_default_resource guard;
    room pool;
    sdp::decode_options options;
    options.resource = &pool.resource;
    const sample::bytes first = sample::from({1, 0, 0, 0});
    EXPECT_EQ(allocations_of([&] {
                  const auto value = sdp::decode<shapes::pmr::Settings>(first, options);
                  ASSERT_TRUE(value);
                  EXPECT_EQ(value->title, "untitled");
                  ASSERT_TRUE(sdp::decode<shapes::pmr::Late>(sample::from({1}), options));
              }),
              1U);  // the bytes of the test itself
}

// [WIRE-8.7] The array of 2,000 unions lies in memory of its own, which a refused input must not
// get: its list of maps is where this one ends.
TEST(Allocations, WhatIsNotReadIsNotMade) {
    const sample::bytes bytes = sample::from({1, 0, 0, 0, 200});
    const std::size_t before = allocated_bytes;
    EXPECT_FALSE(sdp::decode<shapes::Sparse>(bytes));
    EXPECT_LT(allocated_bytes - before, 4096U);
    const no_default_resource guard;
    room pool;
    sdp::decode_options options;
    options.resource = &pool.resource;
    EXPECT_FALSE(sdp::decode<shapes::pmr::Sparse>(bytes, options));
}

TEST(Allocations, NewValuesInMemoryOfTheirOwnMakeNone) {
    EXPECT_EQ(allocations_of([] {
                  const shapes::Sparse value;
                  const shapes::Sparse copy = value;
                  EXPECT_TRUE(copy == value);
                  EXPECT_FALSE(sdp::encode(value));  // its unions have no alternative
              }),
              1U);  // the path of the refusal
}

TEST(Allocations, ViewsMakeNone) {
    const sample::bytes bytes = sample::table_bytes();
    const no_default_resource guard;
    std::size_t seen = 0;
    EXPECT_EQ(allocations_of([&] {
                  const auto view = sdp::decode<shapes::EverythingView>(bytes);
                  ASSERT_TRUE(view);
                  for (const std::string_view name : view->names()) {
                      seen += name.size();
                  }
                  for (const auto& row : view->grid()) {
                      seen += row.size();
                  }
                  for (const auto& [key, point] : view->by_name()) {
                      seen += key.size() + static_cast<std::size_t>(point.y);
                  }
                  for (const shapes::EventView event : view->events()) {
                      seen += event.changed() ? event.changed()->id : 0;
                  }
              }),
              0U);
    EXPECT_EQ(seen, 36U + 4U + 4U + 2U + 9U);
}

TEST(Allocations, RefusalsOfPooledValuesReturnTheirMemory) {
    sample::bytes bytes = sample::table_bytes();
    bytes.pop_back();
    const no_default_resource guard;
    room pool;
    sdp::decode_options options;
    options.resource = &pool.resource;
    EXPECT_FALSE(sdp::decode<shapes::pmr::Everything>(bytes, options));
}

TEST(Allocations, CopiesOfPooledValuesCanLieInAnotherResource) {
    room first;
    room second;
    sdp::decode_options options;
    options.resource = &first.resource;
    const auto value = sdp::decode<shapes::pmr::Everything>(sample::table_bytes(), options);
    ASSERT_TRUE(value);
    const shapes::pmr::Everything copy(*value, &second.resource);
    EXPECT_TRUE(copy == *value);
    EXPECT_EQ(copy.names.get_allocator().resource(), &second.resource);
    EXPECT_EQ(copy.names[2].get_allocator().resource(), &second.resource);
}
