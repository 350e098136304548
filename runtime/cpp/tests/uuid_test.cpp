#include "sdp/uuid.hpp"

#include <gtest/gtest.h>

#include <string>

using sdp::uuid;

namespace {
const std::string text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
}

TEST(uuid, text_is_lower_case_in_five_groups) {
    const uuid id = uuid::parse(text).value();
    EXPECT_EQ(id.bytes[0], std::byte{0xf8});
    EXPECT_EQ(id.bytes[3], std::byte{0xae});
    EXPECT_EQ(id.bytes[15], std::byte{0xf6});
    EXPECT_EQ(to_string(id), text);
    EXPECT_EQ(uuid::parse("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6").value(), id);
    EXPECT_EQ(to_string(uuid{}), "00000000-0000-0000-0000-000000000000");
}

TEST(uuid, is_ordered_by_its_bytes) {
    const uuid low = uuid::parse("00000000-0000-0000-0000-0000000000ff").value();
    const uuid high = uuid::parse("80000000-0000-0000-0000-000000000000").value();
    EXPECT_LT(low, high);
    EXPECT_FALSE(high < low);
    EXPECT_NE(low, high);
}

TEST(uuid, any_other_text_is_refused) {
    for (const char* other : {
             "",
             "f81d4fae7dec11d0a76500a0c91e6bf6",
             "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
             "f81d4fae-7dec-11d0-a765-00a0c91e6bf6 ",
             "f81d4fae-7dec-11d0-a765-00a0c91e6bf66",
             "f81d4fae-7dec-11d0-a76-500a0c91e6bf6",
             "f81d4fae-7dec-11d0-a765-00a0c91e6bfg",
             "{f81d4fae-7dec-11d0-a765-00a0c91e6b}",
             "f81d4fae-7dec-11d0-a765-+0a0c91e6bf6",
             "f81d4fae-7dec-11d0-a765-00a0c91e6b\u00e9",
         }) {
        ASSERT_FALSE(uuid::parse(other)) << other;
        EXPECT_EQ(uuid::parse(other).error(), sdp::error{sdp::kind::value_invalid});
    }
}
