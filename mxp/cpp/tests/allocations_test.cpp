// Counts what is allocated.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "mxp/mxp.hpp"
#include "sample.hpp"

namespace {

std::size_t count = 0;

void* counted(std::size_t n) {
    ++count;
    void* const made = std::malloc(n == 0 ? 1 : n);
    if (made == nullptr) {
        std::abort();
    }
    return made;
}

/// The allocations of a function.
template <class Function>
std::size_t allocations(Function function) {
    const std::size_t before = count;
    function();
    return count - before;
}

using mxp::bytes_view;
using mxp::checksum;

}  // namespace

void* operator new(std::size_t n) { return counted(n); }
void* operator new[](std::size_t n) { return counted(n); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

TEST(allocations, are_counted) {
    EXPECT_EQ(allocations([] { std::vector<std::byte>(100).clear(); }), 1U);
}

// [MXP-3.3]
TEST(allocations, there_are_none_in_writing_and_reading) {
    for (const std::size_t n : {0U, 64U, 256U, 1024U, 4096U, 16384U}) {
        const auto payload = sample::ramp(n);
        const mxp::frame of{{mxp::frame_type::call, {}, 1, 2}, payload};
        sample::bytes room(of.size());
        sample::bytes grown;
        ASSERT_TRUE(mxp::append(of, checksum::on, grown));
        bool is_fine = true;
        for (const checksum mode : {checksum::off, checksum::on}) {
            EXPECT_EQ(
                allocations([&] { is_fine = is_fine && mxp::encode(of, mode, room).has_value(); }),
                0U);
            EXPECT_EQ(allocations([&] {
                          grown.clear();
                          is_fine = is_fine && mxp::append(of, mode, grown).has_value();
                      }),
                      0U);
            EXPECT_EQ(
                allocations([&] { is_fine = is_fine && mxp::wrap(of, mode, payload).has_value(); }),
                0U);
            EXPECT_EQ(allocations([&] {
                          const bytes_view pieces[] = {{payload.data(), n / 2},
                                                       {payload.data() + n / 2, n - n / 2}};
                          is_fine = is_fine && mxp::wrap(of, mode, pieces).has_value();
                      }),
                      0U);
        }
        EXPECT_EQ(allocations([&] {
                      is_fine = is_fine && mxp::peek(room).has_value() &&
                                mxp::decode(room, checksum::on).has_value() &&
                                mxp::decode_prefix(room, checksum::off).has_value();
                      is_fine = is_fine && !mxp::decode({room.data(), 7}, checksum::on);
                  }),
                  0U);
        EXPECT_EQ(allocations([&] {
                      mxp::frame_reader reader{checksum::on};
                      bytes_view input = room;
                      const auto read = reader.next(input);
                      is_fine = is_fine && read && *read && reader.capacity() == 0;
                  }),
                  0U);
        EXPECT_TRUE(is_fine) << n;
    }
}
