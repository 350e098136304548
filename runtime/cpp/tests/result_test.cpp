#include "sdp/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using sdp::error;
using sdp::kind;
using sdp::result;
using sdp::unexpected;

namespace {

result<std::vector<int>> counted(int n) {
    if (n < 0) {
        return unexpected{error{kind::truncated, 3, "gain"}};
    }
    return std::vector<int>(static_cast<std::size_t>(n), 7);
}

result<void> done(bool well) {
    if (!well) {
        return unexpected{error{kind::limit_max}};
    }
    return {};
}

/// The exception of the standard library's `std::expected`, or of the runtime's own.
template <class Function>
bool throws(Function function) {
    try {
        function();
    } catch (const std::exception&) {
        return true;
    }
    return false;
}

}  // namespace

TEST(result, holds_a_value_or_an_error) {
    const auto fine = counted(2);
    ASSERT_TRUE(fine.has_value());
    EXPECT_TRUE(static_cast<bool>(fine));
    EXPECT_EQ(fine->size(), 2U);
    EXPECT_EQ((*fine)[1], 7);
    EXPECT_EQ(fine.value().size(), 2U);

    const auto refused = counted(-1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), (error{kind::truncated, 3, "gain"}));
    EXPECT_EQ(refused.value_or(std::vector<int>{1}), std::vector<int>{1});
    EXPECT_EQ(counted(1).value_or(std::vector<int>{}), std::vector<int>{7});
}

TEST(result, values_move_in_and_out) {
    result<std::unique_ptr<int>> owner{std::make_unique<int>(5)};
    std::unique_ptr<int> moved = *std::move(owner);
    EXPECT_EQ(*moved, 5);
    owner = std::move(moved);
    EXPECT_EQ(*std::move(owner).value(), 5);
}

TEST(result, is_made_in_place_and_overwritten) {
    result<std::string> text{std::in_place, 3U, 'x'};
    text->push_back('y');
    EXPECT_EQ(*text, "xxxy");
    text = unexpected{error{kind::limit_max}};
    EXPECT_EQ(std::move(text).error().kind, kind::limit_max);
    text = "again";
    EXPECT_EQ(*text, "again");
}

TEST(result, nothing_can_be_a_value) {
    EXPECT_TRUE(done(true).has_value());
    EXPECT_NO_THROW(done(true).value());
    const auto refused = done(false);
    EXPECT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, kind::limit_max);
}

TEST(result, values_that_are_not_there_throw) {
    EXPECT_TRUE(throws([] { (void)counted(-1).value(); }));
    EXPECT_TRUE(throws([] { done(false).value(); }));
    EXPECT_FALSE(throws([] { (void)counted(1).value(); }));
#if !defined(__cpp_lib_expected)
    try {
        (void)counted(-1).value();
    } catch (const sdp::exception& caught) {
        EXPECT_EQ(caught.error(), counted(-1).error());
    }
#endif
}

namespace {

/// A value that counts how many of it there are, and may refuse to be copied.
struct counted_value {
    static inline int alive = 0;
    bool is_refused = false;

    explicit counted_value(bool refused) : is_refused(refused) { ++alive; }
    counted_value(const counted_value& other) : is_refused(other.is_refused) {
        if (is_refused) {
            throw std::runtime_error("no copy");
        }
        ++alive;
    }
    counted_value& operator=(const counted_value&) = default;
    ~counted_value() { --alive; }
};

}  // namespace

TEST(result, each_overwrites_each) {
    const error first{kind::truncated, 3, "gain"};
    const error second{kind::limit_max, 4, "name"};
    {
        const result<counted_value> value{std::in_place, false};
        const result<counted_value> refused{unexpected{first}};
        result<counted_value> one = refused;
        EXPECT_EQ(one.error(), first);
        one = value;
        EXPECT_TRUE(one.has_value());
        one = value;
        EXPECT_EQ(counted_value::alive, 2);
        one = unexpected{second};
        EXPECT_EQ(one.error(), second);
        EXPECT_EQ(counted_value::alive, 1);
        one = refused;
        EXPECT_EQ(one.error(), first);
        result<counted_value> moved = std::move(one);
        EXPECT_EQ(moved.error(), first);
    }
    EXPECT_EQ(counted_value::alive, 0);
}

TEST(result, keeps_its_error_where_a_value_throws) {
    const error before{kind::truncated, 3, "gain"};
    {
        const result<counted_value> throwing{std::in_place, true};
        result<counted_value> one = unexpected{before};
        EXPECT_TRUE(throws([&] { one = throwing; }));
        ASSERT_FALSE(one.has_value());
        EXPECT_EQ(one.error(), before);
    }
    EXPECT_EQ(counted_value::alive, 0);
}

TEST(result, is_copied_if_its_value_is) {
    static_assert(std::is_copy_constructible_v<result<std::string>>);
    static_assert(std::is_copy_assignable_v<result<std::string>>);
    static_assert(!std::is_copy_constructible_v<result<std::unique_ptr<int>>>);
    static_assert(!std::is_copy_assignable_v<result<std::unique_ptr<int>>>);
    static_assert(std::is_nothrow_move_constructible_v<result<std::unique_ptr<int>>>);
    static_assert(std::is_nothrow_move_assignable_v<result<std::unique_ptr<int>>>);
    static_assert(!std::is_nothrow_move_constructible_v<result<counted_value>>);
}
