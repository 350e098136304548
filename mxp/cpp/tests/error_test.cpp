#include "mxp/error.hpp"

#include <gtest/gtest.h>

#include <exception>

#include "mxp/result.hpp"

using mxp::error;
using mxp::kind;
using mxp::result;
using mxp::unexpected;

namespace {

result<int> number(bool well) {
    if (!well) {
        return unexpected{error{kind::type, 4}};
    }
    return 7;
}

result<void> done(bool well) {
    if (!well) {
        return unexpected{error{kind::buffer_too_small, {}}};
    }
    return {};
}

/// The exception of the standard library's `std::expected`, or the library's own.
template <class Function>
bool throws(Function function) {
    try {
        function();
    } catch (const std::exception& refused) {
        EXPECT_NE(*refused.what(), '\0');
        return true;
    }
    return false;
}

}  // namespace

TEST(error, is_one_line) {
    EXPECT_EQ((error{kind::type, 4}).message(), "frame_type at byte 4");
    EXPECT_EQ((error{kind::truncated, 0}).message(), "frame_truncated at byte 0");
    EXPECT_EQ((error{kind::buffer_too_small, {}}).message(), "frame_buffer_too_small");
}

TEST(error, compares_by_rule_and_place) {
    EXPECT_EQ((error{kind::type, 4}), (error{kind::type, 4}));
    EXPECT_NE((error{kind::type, 4}), (error{kind::type, 5}));
    EXPECT_NE((error{kind::type, 4}), (error{kind::flags, 4}));
    EXPECT_NE((error{kind::type, 0}), (error{kind::type, {}}));
}

TEST(result, holds_a_value_or_an_error) {
    const auto fine = number(true);
    ASSERT_TRUE(fine.has_value());
    EXPECT_EQ(*fine, 7);
    EXPECT_EQ(fine.value(), 7);
    const auto refused = number(false);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), (error{kind::type, 4}));
    EXPECT_TRUE(throws([&] { static_cast<void>(refused.value()); }));
    EXPECT_FALSE(throws([&] { static_cast<void>(fine.value()); }));
}

TEST(result, of_nothing) {
    EXPECT_TRUE(done(true));
    EXPECT_FALSE(throws([] { done(true).value(); }));
    const auto refused = done(false);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error(), (error{kind::buffer_too_small, {}}));
    EXPECT_TRUE(throws([&] { refused.value(); }));
}
