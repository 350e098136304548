#include "mxp/frame.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "mxp/layout.hpp"
#include "sample.hpp"

using mxp::flags;
using mxp::frame_type;

// [MXP-1.3]
TEST(frame_type, has_the_numbers_of_the_specification) {
    EXPECT_EQ(static_cast<int>(frame_type::agent_register), 0x01);
    EXPECT_EQ(static_cast<int>(frame_type::agent_discover), 0x02);
    EXPECT_EQ(static_cast<int>(frame_type::agent_heartbeat), 0x03);
    EXPECT_EQ(static_cast<int>(frame_type::call), 0x10);
    EXPECT_EQ(static_cast<int>(frame_type::response), 0x11);
    EXPECT_EQ(static_cast<int>(frame_type::event), 0x12);
    EXPECT_EQ(static_cast<int>(frame_type::stream_open), 0x20);
    EXPECT_EQ(static_cast<int>(frame_type::stream_chunk), 0x21);
    EXPECT_EQ(static_cast<int>(frame_type::stream_close), 0x22);
    EXPECT_EQ(static_cast<int>(frame_type::hello), 0x80);
    EXPECT_EQ(static_cast<int>(frame_type::cancel), 0x81);
    EXPECT_EQ(static_cast<int>(frame_type::credit), 0x82);
    EXPECT_EQ(static_cast<int>(frame_type::drain), 0x83);
    EXPECT_EQ(static_cast<int>(frame_type::ping), 0x84);
    EXPECT_EQ(static_cast<int>(frame_type::pong), 0x85);
    EXPECT_EQ(static_cast<int>(frame_type::stream_chunks), 0x86);
    EXPECT_EQ(static_cast<int>(frame_type::events), 0x87);
    EXPECT_EQ(static_cast<int>(frame_type::ack), 0xf0);
    EXPECT_EQ(static_cast<int>(frame_type::error), 0xf1);
}

TEST(frame_type, assigned_ones_have_names_of_their_own) {
    std::set<std::string> names;
    for (unsigned number = 0; number < 256; ++number) {
        const auto type = static_cast<frame_type>(number);
        EXPECT_EQ(mxp::wire::is_assigned(type), sample::is_type(number)) << number;
        EXPECT_EQ(to_string(type).empty(), !sample::is_type(number)) << number;
        names.emplace(to_string(type));
    }
    EXPECT_EQ(names.size(), std::size(sample::types) + 1);
    EXPECT_EQ(to_string(frame_type::stream_open), "StreamOpen");
    EXPECT_EQ(to_string(frame_type::error), "Error");
}

// [MXP-1.4]
TEST(flags, are_bits) {
    EXPECT_EQ(static_cast<int>(flags::compressed), 1);
    EXPECT_EQ(static_cast<int>(flags::encrypted), 2);
    EXPECT_EQ(static_cast<int>(flags::requires_ack), 4);
    EXPECT_EQ(static_cast<int>(flags::final), 8);
    constexpr flags both = flags::encrypted | flags::final;
    static_assert(static_cast<int>(both) == 10);
    static_assert((both & flags::final) == flags::final);
    EXPECT_TRUE(has(both, flags::final));
    EXPECT_FALSE(has(both, flags::compressed));
    EXPECT_FALSE(has(flags::final, both));
    EXPECT_TRUE(has(both, flags::none));
}

TEST(frame, compares_header_and_payload) {
    const auto one = sample::ramp(3);
    const auto other = sample::ramp(3);
    const mxp::frame frame{{frame_type::call, flags::final, 1, 2}, one};
    EXPECT_EQ(frame, (mxp::frame{{frame_type::call, flags::final, 1, 2}, other}));
    EXPECT_NE(frame, (mxp::frame{{frame_type::call, flags::final, 1, 2}, {}}));
    EXPECT_NE(frame, (mxp::frame{{frame_type::ping, flags::final, 1, 2}, one}));
    EXPECT_NE(frame, (mxp::frame{{frame_type::call, flags::none, 1, 2}, one}));
    EXPECT_NE(frame, (mxp::frame{{frame_type::call, flags::final, 0, 2}, one}));
    EXPECT_NE(frame, (mxp::frame{{frame_type::call, flags::final, 1, 0}, one}));
    EXPECT_EQ(frame.size(), 43U);
}
