// The memory that a reader holds, and how it grows. [MXP-4.3]
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "mxp/reader.hpp"
#include "sample.hpp"

using mxp::bytes_view;
using mxp::checksum;
using mxp::frame_reader;
using sample::bytes;
using sample::said;
using sample::told;

namespace {

/// The bytes that the buffer may have.
std::size_t bound(std::size_t received) { return received + received / 8 + 65536; }

/// Reads a frame in pieces of one length, and looks at the buffer behind each.
void expect_bounded(const bytes& stream, std::size_t piece) {
    frame_reader reader{checksum::on};
    for (std::size_t at = 0; at < stream.size(); at += piece) {
        bytes_view input{stream.data() + at, std::min(piece, stream.size() - at)};
        const auto next = reader.next(input);
        ASSERT_EQ(said(next), "fine");
        const std::size_t received = std::min(at + piece, stream.size());
        ASSERT_EQ(next->has_value(), received == stream.size());
        ASSERT_LE(reader.capacity(), bound(received)) << received;
        ASSERT_LE(reader.capacity(), stream.size());
        if (*next) {
            EXPECT_EQ((*next)->payload, sample::ramp(stream.size() - 40));
        }
    }
}

}  // namespace

TEST(frame_reader_memory, grows_with_what_was_received) {
    const bytes stream = sample::frame(mxp::payload_bytes);
    for (const std::size_t piece : {1'000U, 65'536U, 1'000'000U, 16'777'255U}) {
        expect_bounded(stream, piece);
    }
    for (const std::size_t n : {0U, 1U, 1000U, 65'496U, 65'497U, 200'000U}) {
        const bytes smaller = sample::frame(n);
        for (const std::size_t piece : {1U, 31U, 32U, 33U, 39U, 5000U}) {
            expect_bounded(smaller, piece);
        }
    }
}

TEST(frame_reader_memory, a_header_that_promises_much_takes_little) {
    sample::parts of;
    of.length = mxp::payload_bytes;
    const bytes header = sample::header_of(of);
    frame_reader reader{checksum::on};
    bytes_view input = header;
    ASSERT_EQ(said(reader.next(input)), "fine");
    EXPECT_LE(reader.capacity(), bound(32));
    const bytes more = sample::ramp(1000);
    input = more;
    ASSERT_EQ(said(reader.next(input)), "fine");
    EXPECT_LE(reader.capacity(), bound(1032));
    EXPECT_EQ(said(reader.end()), told(mxp::kind::truncated, 1032));
}

TEST(frame_reader_memory, much_is_given_back_and_little_is_kept) {
    const bytes large = sample::frame(1'000'000);
    const bytes small = sample::frame(1000);
    frame_reader reader{checksum::on};
    const auto read = [&reader](const bytes& stream) {
        bytes_view first{stream.data(), stream.size() - 1};
        EXPECT_FALSE(*reader.next(first));
        bytes_view second{stream.data() + stream.size() - 1, 1};
        const auto next = reader.next(second);
        return next && next->has_value();
    };
    ASSERT_TRUE(read(small));
    bytes_view none;
    ASSERT_FALSE(*reader.next(none));
    EXPECT_EQ(reader.capacity(), small.size());
    ASSERT_TRUE(read(large));
    EXPECT_EQ(reader.capacity(), large.size());
    ASSERT_FALSE(*reader.next(none));
    EXPECT_EQ(reader.capacity(), 0U);
    ASSERT_TRUE(read(small));
    ASSERT_TRUE(read(small));
    EXPECT_EQ(reader.capacity(), small.size());
}

TEST(frame_reader_memory, a_refusal_gives_all_back) {
    bytes stream = sample::frame(1'000'000);
    stream[500'000] ^= std::byte{1};
    frame_reader reader{checksum::on};
    bytes_view first{stream.data(), 900'000};
    ASSERT_FALSE(*reader.next(first));
    EXPECT_GE(reader.capacity(), 900'000U);
    bytes_view second{stream.data() + 900'000, stream.size() - 900'000};
    EXPECT_EQ(said(reader.next(second)), told(mxp::kind::checksum, 1'000'032));
    EXPECT_EQ(reader.capacity(), 0U);
}

TEST(frame_reader_memory, moves_with_what_it_holds) {
    const bytes stream = sample::frame(1000);
    frame_reader first{checksum::on};
    bytes_view input{stream.data(), 700};
    ASSERT_FALSE(*first.next(input));
    frame_reader second = std::move(first);
    input = {stream.data() + 700, stream.size() - 700};
    const auto next = second.next(input);
    ASSERT_TRUE(next && *next);
    EXPECT_EQ((*next)->payload, sample::ramp(1000));
}
