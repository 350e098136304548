// The example of docs/mxp.md.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "mxp/mxp.hpp"

namespace {

mxp::bytes_view bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

TEST(Example, FramesAreWrittenAndRead) {
    mxp::header head;
    head.type = mxp::frame_type::event;
    head.message_id = 1;

    // Behind what a buffer has, or around a payload that stays where it is.
    std::vector<std::byte> stream;
    const mxp::bytes_view payload = bytes_of("tempo=120");
    ASSERT_TRUE(mxp::append(mxp::frame{head, payload}, mxp::checksum::on, stream));
    const auto around = mxp::wrap(head, mxp::checksum::on, payload);
    ASSERT_TRUE(around);  // around->header, the payload and around->trailer are the same bytes
    EXPECT_EQ(around->trailer.back(), stream.back());

    // A piece has the bytes of a socket's last read.
    mxp::frame_reader reader{mxp::checksum::on, 65536};
    mxp::bytes_view piece{stream.data(), stream.size()};
    const auto next = reader.next(piece);
    ASSERT_TRUE(next) << next.error().message();
    ASSERT_TRUE(*next);  // else the piece is used up, and the frame not complete
    EXPECT_EQ((*next)->message_id, 1U);
    EXPECT_TRUE(reader.end());

    stream[40] ^= std::byte{1};
    const auto damaged = mxp::decode({stream.data(), stream.size()}, mxp::checksum::on);
    ASSERT_FALSE(damaged);
    EXPECT_EQ(damaged.error().kind, mxp::kind::checksum);
}

}  // namespace
