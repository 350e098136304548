#include "mxp/encode.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sample.hpp"

using mxp::bytes_view;
using mxp::checksum;
using mxp::flags;
using mxp::frame;
using mxp::frame_type;
using mxp::kind;
using sample::bytes;
using sample::said;
using sample::told;

namespace {

bytes around(const mxp::envelope& made, const bytes& payload) {
    const bytes header(made.header.begin(), made.header.end());
    const bytes trailer(made.trailer.begin(), made.trailer.end());
    return sample::joined({header, payload, trailer});
}

/// Writes a frame in every way that there is, which give the same bytes [MXP-2.2].
bytes encoded(const frame& of, checksum mode) {
    bytes made(of.size() + 3, std::byte{0xaa});
    const auto size = mxp::encode(of, mode, made);
    EXPECT_EQ(said(size), "fine");
    EXPECT_EQ(*size, of.size());
    EXPECT_EQ(bytes_view(made.data() + *size, 3), bytes(3, std::byte{0xaa}));
    made.resize(*size);

    bytes appended = sample::ramp(5);
    EXPECT_EQ(said(mxp::append(of, mode, appended)), "fine");
    EXPECT_EQ(appended, sample::joined({sample::ramp(5), made}));
    std::string text;
    EXPECT_EQ(said(mxp::append(of, mode, text)), "fine");
    EXPECT_EQ(bytes_view(text), made);

    bytes in_place(of.size());
    if (!of.payload.empty()) {
        std::copy(of.payload.begin(), of.payload.end(), in_place.begin() + mxp::header_bytes);
    }
    frame there = of;
    there.payload = {in_place.data() + mxp::header_bytes, of.payload.size()};
    EXPECT_EQ(said(mxp::encode(there, mode, in_place)), "fine");
    EXPECT_EQ(in_place, made);

    const bytes payload(of.payload.begin(), of.payload.end());
    const auto whole = mxp::wrap(of, mode, of.payload);
    EXPECT_EQ(said(whole), "fine");
    EXPECT_EQ(around(*whole, payload), made);
    for (std::size_t first = 0; first <= payload.size(); first += 1 + payload.size() / 7) {
        const std::size_t second = (payload.size() - first) / 2;
        const bytes_view pieces[] = {
            {payload.data(), first},
            {},
            {payload.data() + first, second},
            {payload.data() + first + second, payload.size() - first - second}};
        const auto of_pieces = mxp::wrap(of, mode, pieces);
        EXPECT_EQ(said(of_pieces), "fine");
        EXPECT_EQ(around(*of_pieces, payload), made);
    }
    return made;
}

bytes from_hex(std::string_view text) {
    bytes made;
    const std::string_view digits = "0123456789abcdef";
    for (std::size_t i = 0; i < text.size(); i += 2) {
        made.push_back(
            static_cast<std::byte>(digits.find(text[i]) << 4 | digits.find(text[i + 1])));
    }
    return made;
}

/// Expects the same refusal of every way to write.
void expect_refused(const frame& of, const std::string& want) {
    for (const checksum mode : {checksum::on, checksum::off}) {
        bytes room(100, std::byte{0xaa});
        EXPECT_EQ(said(mxp::encode(of, mode, room)), want);
        EXPECT_EQ(said(mxp::encode(of, mode, {})), want);
        EXPECT_EQ(said(mxp::append(of, mode, room)), want);
        EXPECT_EQ(room, bytes(100, std::byte{0xaa}));
        EXPECT_EQ(said(mxp::wrap(of, mode, of.payload)), want);
        const bytes_view pieces[] = {of.payload, {}};
        EXPECT_EQ(said(mxp::wrap(of, mode, pieces)), want);
    }
}

}  // namespace

// Made with another implementation. [MXP-1.1] [MXP-1.2] [MXP-1.6]
TEST(encode, known_answers) {
    EXPECT_EQ(encoded({{frame_type::agent_register, flags::none, 1, 2}, {}}, checksum::on),
              from_hex("3150584d01000000010000000000000002000000000000000000000000000000"
                       "501ab6d245a72c1b"));
    const auto chunk = from_hex("3150584d210900000300000000000000040000000000000005000000000000"
                                "0068656c6c6fff39bf3cdadb8170");
    const std::string_view hello = "hello";
    const frame of{{frame_type::stream_chunk, flags::compressed | flags::final, 3, 4}, hello};
    EXPECT_EQ(encoded(of, checksum::on), chunk);
    bytes unchecked = chunk;
    std::fill(unchecked.end() - mxp::trailer_bytes, unchecked.end(), std::byte{});
    EXPECT_EQ(encoded(of, checksum::off), unchecked);
}

TEST(encode, every_type_with_all_flags) {
    for (const unsigned type : sample::types) {
        for (unsigned bits = 0; bits < 16; ++bits) {
            const auto payload = sample::ramp(9);
            const frame of{{static_cast<frame_type>(type), static_cast<flags>(bits),
                            0x0102030405060708, 0x1112131415161718},
                           payload};
            EXPECT_EQ(encoded(of, checksum::on), sample::frame(9, type, bits));
        }
    }
}

TEST(encode, payloads_of_all_lengths) {
    const auto whole = sample::ramp(std::size_t{1} << 16);
    const mxp::header head{frame_type::call, flags::none, 0x0102030405060708, 0x1112131415161718};
    for (std::size_t n = 0; n <= whole.size(); n += n < 300 ? 1 : 1 + n / 5) {
        const frame of{head, {whole.data(), n}};
        EXPECT_EQ(encoded(of, checksum::on), sample::frame(n)) << n;
    }
}

// [MXP-2.1]
TEST(encode, what_a_decoder_refuses_is_refused) {
    for (unsigned number = 0; number < 256; ++number) {
        const frame of{{static_cast<frame_type>(number), flags::none, 1, 2}, {}};
        if (!sample::is_type(number)) {
            expect_refused(of, told(kind::type, 4));
        }
        if (number > 15) {
            expect_refused({{frame_type::call, static_cast<flags>(number), 1, 2}, {}},
                           told(kind::flags, 5));
        }
    }
    expect_refused({{}, {}}, told(kind::type, 4));
    // The first of several.
    const std::unique_ptr<std::byte[]> memory{new std::byte[mxp::payload_bytes + 1]()};
    const bytes_view too_long{memory.get(), mxp::payload_bytes + 1};
    expect_refused({{frame_type::call, flags::none, 1, 2}, too_long}, told(kind::too_large, 24));
    expect_refused({{frame_type::call, static_cast<flags>(16), 1, 2}, too_long},
                   told(kind::flags, 5));
    expect_refused({{frame_type{}, static_cast<flags>(16), 1, 2}, too_long}, told(kind::type, 4));
}

TEST(encode, the_longest_payload_is_written) {
    const std::unique_ptr<std::byte[]> memory{new std::byte[mxp::payload_bytes]()};
    const bytes_view longest{memory.get(), mxp::payload_bytes};
    bytes made;
    ASSERT_EQ(said(mxp::append({{frame_type::call, {}, 1, 2}, longest}, checksum::on, made)),
              "fine");
    EXPECT_EQ(made.size(), mxp::payload_bytes + 40);
}

// The bytes of such pieces are never looked at. [MXP-2.1]
TEST(wrap, sums_of_lengths_do_not_wrap_around) {
    const std::byte one{};
    constexpr auto most = static_cast<std::size_t>(-1);
    for (const std::size_t n : {most, most / 2 + 1, mxp::payload_bytes}) {
        // With 256 of them, any length a little over the limit has wrapped around 32 bits.
        for (const std::size_t count : {2U, 3U, 4U, 5U, 256U, 257U}) {
            const std::vector<bytes_view> pieces(count, {&one, n});
            EXPECT_EQ(said(mxp::wrap({frame_type::call, {}, 1, 2}, checksum::on, pieces)),
                      told(kind::too_large, 24));
        }
    }
    EXPECT_EQ(
        said(mxp::wrap({frame_type::call, {}, 1, 2}, checksum::off, mxp::span<const bytes_view>{})),
        "fine");
}

// [MXP-2.3]
TEST(encode, buffers_that_are_too_short_stay_as_they_were) {
    const auto payload = sample::ramp(20);
    const frame of{{frame_type::call, flags::none, 1, 2}, payload};
    for (std::size_t n = 0; n < of.size(); ++n) {
        bytes room(n, std::byte{0xaa});
        EXPECT_EQ(said(mxp::encode(of, checksum::on, room)), told(kind::buffer_too_small));
        EXPECT_EQ(room, bytes(n, std::byte{0xaa}));
    }
}

TEST(append, many_frames_move_the_buffer_seldom) {
    bytes all;
    bytes want;
    std::size_t moves = 0;
    for (std::size_t i = 0; i < 10'000; ++i) {
        const std::size_t before = all.capacity();
        const auto payload = sample::ramp(i % 50);
        ASSERT_TRUE(
            mxp::append({{frame_type::event, {}, 0x0102030405060708, 0x1112131415161718}, payload},
                        checksum::on, all));
        moves += all.capacity() != before ? 1U : 0U;
        const auto one = sample::frame(payload.size(), 0x12);
        want.insert(want.end(), one.begin(), one.end());
    }
    EXPECT_EQ(all, want);
    EXPECT_LT(moves, 20U);
}
