#include <gtest/gtest.h>

#include <memory_resource>
#include <type_traits>

#include "sdp/error.hpp"
#include "sdp/exception.hpp"
#include "sdp/limits.hpp"

using sdp::error;
using sdp::kind;

TEST(error, paths_grow_from_the_inside_out) {
    using sdp::wire::in_element;
    using sdp::wire::in_field;
    const error unit = in_field(error{kind::limit_max}, "unit");
    EXPECT_EQ(in_field(in_element(in_field(in_element(unit, 0), "parameters"), 3), "plugins").path,
              "plugins[3].parameters[0].unit");
    EXPECT_EQ(in_field(in_element(in_element(error{}, 2), 1), "grid").path, "grid[1][2]");
    EXPECT_EQ(in_element(in_field(error{}, "key"), 3).path, "[3].key");
}

TEST(error, message_leaves_out_what_is_not_known) {
    EXPECT_EQ((error{kind::truncated, 3, "gain"}.message()), "truncated at byte 3 in gain");
    EXPECT_EQ((error{kind::trailing_bytes, 9, ""}.message()), "trailing_bytes at byte 9");
    EXPECT_EQ((error{kind::limit_max, {}, "name"}.message()), "limit_max in name");
    EXPECT_EQ(error{kind::buffer_too_small}.message(), "buffer_too_small");
}

TEST(error, equality_takes_every_part) {
    const error one{kind::truncated, 3, "gain"};
    EXPECT_EQ(one, (error{kind::truncated, 3, "gain"}));
    EXPECT_NE(one, (error{kind::trailing_bytes, 3, "gain"}));
    EXPECT_NE(one, (error{kind::truncated, 4, "gain"}));
    EXPECT_NE(one, (error{kind::truncated, {}, "gain"}));
    EXPECT_NE(one, (error{kind::truncated, 3, "on"}));
}

TEST(error, kinds_have_the_names_of_the_spec) {
    EXPECT_EQ(to_string(kind::truncated), "truncated");
    EXPECT_EQ(to_string(kind::count_exceeds_input), "count_exceeds_input");
    EXPECT_EQ(to_string(kind::json_invalid), "json_invalid");
    EXPECT_EQ(to_string(kind{200}), "unknown_refusal");
    EXPECT_EQ(static_cast<int>(kind::json_invalid), 26);
}

TEST(limits, defaults_are_those_of_the_spec) {
    const sdp::decode_options options;
    EXPECT_EQ(options.limits, sdp::limits{});
    EXPECT_EQ(options.limits.message_bytes, 128U << 20);
    EXPECT_EQ(options.limits.elements, 10'000'000U);
    EXPECT_EQ(options.limits.depth, 64U);
    EXPECT_EQ(options.limits.memory_bytes, 512U << 20);
    EXPECT_FALSE(options.exact);
    EXPECT_EQ(options.resource, std::pmr::get_default_resource());
}

TEST(limits, equality_takes_every_part) {
    EXPECT_NE((sdp::limits{1, 2, 3, 4}), (sdp::limits{0, 2, 3, 4}));
    EXPECT_NE((sdp::limits{1, 2, 3, 4}), (sdp::limits{1, 0, 3, 4}));
    EXPECT_NE((sdp::limits{1, 2, 3, 4}), (sdp::limits{1, 2, 0, 4}));
    EXPECT_NE((sdp::limits{1, 2, 3, 4}), (sdp::limits{1, 2, 3, 0}));
    EXPECT_EQ((sdp::limits{1, 2, 3, 4}), (sdp::limits{1, 2, 3, 4}));
}

#if defined(__cpp_exceptions)
TEST(exception, keeps_the_refusal) {
    static_assert(std::is_nothrow_copy_constructible_v<sdp::exception>);
    const error refusal{kind::truncated, 3, "gain"};
    try {
        throw sdp::exception{refusal};
    } catch (const std::exception& caught) {
        EXPECT_STREQ(caught.what(), "truncated at byte 3 in gain");
        EXPECT_EQ(dynamic_cast<const sdp::exception&>(caught).error(), refusal);
    }
}
#endif
