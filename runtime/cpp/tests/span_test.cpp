#include "sdp/span.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory_resource>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

using sdp::bytes_view;
using sdp::span;

TEST(span, looks_at_containers) {
    std::vector<int> numbers{1, 2, 3, 4};
    span<int> all{numbers};
    all[0] = 9;
    EXPECT_EQ(numbers[0], 9);
    span<const int> constant = all;
    EXPECT_EQ(constant.data(), numbers.data());
    EXPECT_EQ(constant.size(), 4U);
    EXPECT_EQ(constant.size_bytes(), 4 * sizeof(int));
    EXPECT_EQ(constant.front(), 9);
    EXPECT_EQ(constant.back(), 4);
    EXPECT_EQ(*(constant.end() - 1), 4);

    int array[3] = {5, 6, 7};
    EXPECT_EQ(span<int>{array}.size(), 3U);
    const std::array<int, 2> fixed{1, 2};
    EXPECT_EQ(span<const int>{fixed}[1], 2);
    EXPECT_TRUE(span<int>{}.empty());
    static_assert(!std::is_constructible_v<span<int>, const std::vector<int>&>);
    static_assert(!std::is_constructible_v<span<int>, std::vector<unsigned>&>);
}

TEST(span, parts_are_spans) {
    std::array<int, 5> numbers{0, 1, 2, 3, 4};
    const span<int> all{numbers};
    EXPECT_EQ(all.first(2).back(), 1);
    EXPECT_EQ(all.last(2).front(), 3);
    EXPECT_EQ(all.subspan(1).size(), 4U);
    EXPECT_EQ(all.subspan(1, 3).back(), 3);
    int sum = 0;
    for (const int n : all.subspan(3)) {
        sum += n;
    }
    EXPECT_EQ(sum, 7);
}

TEST(bytes_view, looks_at_bytes_of_every_kind) {
    const auto size = [](bytes_view bytes) { return bytes.size(); };
    const unsigned char raw[] = {1, 2, 3};
    EXPECT_EQ(size(std::vector<std::byte>(3)), 3U);
    EXPECT_EQ(size(std::pmr::vector<unsigned char>(4)), 4U);
    EXPECT_EQ(size(std::string{"ab\0c", 4}), 4U);
    EXPECT_EQ(size(std::string_view{"abc"}), 3U);
    EXPECT_EQ(size(std::array<unsigned char, 5>{}), 5U);
    EXPECT_EQ(size(raw), 3U);
    EXPECT_EQ(size({raw, 2}), 2U);
    EXPECT_EQ(size(span<const std::byte>{}), 0U);
    EXPECT_EQ(bytes_view{raw}[2], std::byte{3});
    static_assert(!std::is_constructible_v<bytes_view, const std::vector<int>&>);
    static_assert(!std::is_constructible_v<bytes_view, const std::vector<bool>&>);
    static_assert(!std::is_constructible_v<bytes_view, const char(&)[3]>);
}

TEST(bytes_view, parts_are_views_again) {
    const std::string_view text = "hello";
    const bytes_view part = bytes_view{text}.subspan(1, 3);
    EXPECT_EQ(part, bytes_view{std::string_view{"ell"}});
}

TEST(bytes_view, compares_content) {
    const std::string one = "abc";
    const std::string other = "abc";
    EXPECT_EQ(bytes_view{one}, bytes_view{other});
    EXPECT_NE(bytes_view{one}, bytes_view{std::string_view{"abd"}});
    EXPECT_NE(bytes_view{one}, bytes_view{std::string_view{"ab"}});
    EXPECT_EQ(bytes_view{}, bytes_view{std::string_view{}});
}
