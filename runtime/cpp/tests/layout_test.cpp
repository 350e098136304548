/// Layouts that a walk can follow, and the smallest sizes of their types.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sdp/layout_parse.hpp"

namespace {

using sdp::wire::walk::parse_layout;

/// Texts that describe no type, each for a reason of its own.
const char* const damaged[] = {
    "",
    "\n",
    " name u8\n",
    "@2\n",
    "0 struct a.S",
    "1 struct a.S\n",
    "00 struct a.S\n",
    "+0 struct a.S\n",
    "0 struct\n",
    "0 struct \n",
    "0 thing a.S\n",
    "0 struct a.S closed\n",
    "0 struct a.S keep\n",
    "0 message a.S closed\n",
    "0 union a.S keep\n",
    "0 union a.S closed closed\n",
    "0 enum a.E u8\n A 0\n",
    "0 enum a.E\n",
    "0 struct a.S\n e #1\n1 enum a.E f32\n",
    "0 struct a.S\n e #1\n1 enum a.E bool\n",
    "0 struct a.S\n e #1\n1 enum a.E u8\n A 256\n",
    "0 struct a.S\n e #1\n1 enum a.E u8\n A -1\n",
    "0 struct a.S\n e #1\n1 enum a.E i8 closed\n A -129\n",
    "0 struct a.S\n e #1\n1 enum a.E i8 closed\n A 128\n",
    "0 struct a.S\n e #1\n1 enum a.E i8 closed\n A --1\n",
    "0 struct a.S\n e #1\n1 enum a.E u8 closed\n A\n",
    "0 struct a.S\n@2\n a u8\n",
    "0 message a.S\n@3\n a u8\n",
    "0 message a.S\n@02\n a u8\n",
    "0 struct a.S\n a\n",
    "0 struct a.S\n a \n",
    "0 struct a.S\n  u8\n",
    "0 struct a.S\n a u7\n",
    "0 struct a.S\n a u8 \n",
    "0 struct a.S\n a u8 u8\n",
    "0 struct a.S\n a opt\n",
    "0 struct a.S\n a opt  u8\n",
    "0 struct a.S\n a list4\n",
    "0 struct a.S\n a list3 u8\n",
    "0 struct a.S\n a list44 u8\n",
    "0 struct a.S\n a list u8\n",
    "0 struct a.S\n a str4<=\n",
    "0 struct a.S\n a str4<=x\n",
    "0 struct a.S\n a u8<=4\n",
    "0 struct a.S\n a <=4\n",
    "0 struct a.S\n a array u8\n",
    "0 struct a.S\n a array 0 u8\n",
    "0 struct a.S\n a array 3\n",
    "0 struct a.S\n a array 3 3 u8\n",
    "0 struct a.S\n a 3 u8\n",
    "0 struct a.S\n a opt 3 u8\n",
    "0 struct a.S\n a array 18446744073709551616 u8\n",
    "0 struct a.S\n a array 18446744073709551615 u16\n",
    "0 struct a.S\n a map4 u8\n",
    "0 struct a.S\n a map4 f32 u8\n",
    "0 struct a.S\n a map4 uuid u8\n",
    "0 struct a.S\n a map4 bytes4 u8\n",
    "0 struct a.S\n a map4 list4 u8 u8\n",
    "0 struct a.S\n a map4 #0 u8\n",
    "0 struct a.S\n a #1\n",
    "0 struct a.S\n a #\n",
    "0 struct a.S\n a #-1\n",
    "0 struct a.S\n a #4294967296\n",
    "0 struct a.S\n a #0\n",
    "0 message a.S\n a #0\n",
    "0 union a.U closed\n A 1 #0\n",
    "0 union a.U closed\n",
    "0 union a.U\n A 0\n",
    "0 union a.U\n A 256\n",
    "0 union a.U\n A 1\n B 1\n",
    "0 union a.U\n A 1 \n",
    "0 struct a.S\n a list4 #1\n1 struct a.T\n",
    "0 struct a.S\n a array 3 #1\n1 struct a.T\n",
};

std::string nested(int n) {
    std::string text = "0 struct a.S\n a ";
    for (int i = 0; i < n; ++i) {
        text += "opt ";
    }
    return text + "u8\n";
}

}  // namespace

TEST(layout, refuses_what_describes_no_type) {
    for (const char* text : damaged) {
        EXPECT_FALSE(parse_layout(text)) << text;
    }
    EXPECT_FALSE(parse_layout(nested(65)));
}

TEST(layout, accepts_what_a_compiler_may_write) {
    for (const char* text : {
             "0 struct a.S\n",
             "0 message a.S\n",
             "0 union a.U\n",
             "0 union a.U closed\n A 1\n",
             "0 union a.U closed\n B 2\n A 1\n",
             "0 message a.M keep\n@2\n a u8\n@3\n b u8\n",
             "0 struct a.S\n e #1\n1 enum a.E u8 closed\n A 1\n B 1\n",
             "0 struct a.S\n a opt #0\n b list1<=0 #0\n c map2<=18446744073709551615 #1 #0\n"
             "1 enum a.E i64 closed\n A -9223372036854775808\n B 9223372036854775807\n",
             "0 struct a.S\n u #1\n1 union a.U closed\n A 1 #0\n B 2\n",
         }) {
        EXPECT_TRUE(parse_layout(text)) << text;
    }
    EXPECT_TRUE(parse_layout(nested(64)));
}

TEST(layout, smallest_sizes_are_the_least_solution) {
    struct row {
        const char* text;
        std::uint64_t want;
    };
    for (const row& of : {
             row{"0 struct a.S\n", 0},
             row{"0 struct a.S\n a bool\n b u16\n c i32\n d f64\n e timestamp\n f duration\n"
                 " g uuid\n",
                 1 + 2 + 4 + 8 + 8 + 8 + 16},
             row{"0 struct a.S\n a f32\n b i8\n c u64\n", 4 + 1 + 8},
             row{"0 struct a.S\n a str1\n b bytes2\n c list4 u64\n d map1 u64 u64\n e opt u64\n",
                 1 + 2 + 4 + 1 + 1},
             row{"0 struct a.S\n a array 3 array 5 u16\n", 30},
             row{"0 message a.S\n a u8\n@2\n b u64\n", 1},
             row{"0 struct a.S\n a #1\n1 message a.M\n a u8\n@2\n b u64\n", 5},
             row{"0 union a.U\n A 1 u64\n", 5},
             row{"0 union a.U closed\n A 1 u64\n B 2 u16\n", 3},
             row{"0 union a.U closed\n A 1 u64\n B 2\n", 1},
             row{"0 struct a.S\n e #1\n1 enum a.E i16\n A 0\n", 2},
             row{"0 struct a.S\n u #1\n x u8\n1 union a.U closed\n A 1 #0\n B 2 u8\n", 3},
             row{"0 struct a.S\n a #2\n1 struct a.T\n a u32\n2 struct a.V\n a #1\n b #1\n", 8},
         }) {
        const auto layout = parse_layout(of.text);
        ASSERT_TRUE(layout) << of.text;
        EXPECT_EQ(layout->blocks[0].smallest, of.want) << of.text;
    }
}
