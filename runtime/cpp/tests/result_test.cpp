#include "sdp/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
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

/// What the standard library's `std::expected` throws, or the runtime's own.
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
