#include "mxp/decode.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sample.hpp"

using mxp::bytes_view;
using mxp::checksum;
using mxp::kind;
using sample::bytes;
using sample::said;
using sample::told;

namespace {

const checksum both_modes[] = {checksum::on, checksum::off};

/// Expects the same refusal of a frame whether or not bytes follow it.
void expect_refused(const bytes& input, checksum mode, const std::string& want,
                    std::size_t limit = mxp::payload_bytes) {
    EXPECT_EQ(said(mxp::decode(input, mode, limit)), want);
    EXPECT_EQ(said(mxp::decode_prefix(input, mode, limit)), want);
}

}  // namespace

// [MXP-1.2] [MXP-1.3] [MXP-1.4]
TEST(decode, every_type_with_all_flags) {
    for (unsigned type = 0; type < 256; ++type) {
        for (unsigned bits = 0; bits < 256; ++bits) {
            const auto input = sample::frame(3, type, bits);
            const auto read = mxp::decode(input, checksum::on);
            const std::string want = !sample::is_type(type) ? told(kind::type, 4)
                                     : bits > 15            ? told(kind::flags, 5)
                                                            : "fine";
            ASSERT_EQ(said(read), want) << type << " " << bits;
            EXPECT_EQ(said(mxp::peek(input)), want);
            if (read) {
                EXPECT_EQ(static_cast<unsigned>(read->type), type);
                EXPECT_EQ(static_cast<unsigned>(read->flags), bits);
            }
        }
    }
}

// [MXP-3.3]
TEST(decode, payloads_are_parts_of_the_input) {
    for (std::size_t n = 0; n < 3000; n += n < 300 ? 1 : 61) {
        auto input = sample::frame(n);
        for (const checksum mode : both_modes) {
            const auto read = mxp::decode(input, mode);
            ASSERT_EQ(said(read), "fine") << n;
            EXPECT_EQ(read->payload.data(), input.data() + 32);
            EXPECT_EQ(read->payload.size(), n);
            EXPECT_EQ(read->size(), input.size());
            EXPECT_EQ(read->message_id, 0x0102030405060708U);
            EXPECT_EQ(read->trace_id, 0x1112131415161718U);
        }
        input.push_back({});
        EXPECT_EQ(said(mxp::decode(input, checksum::on)), told(kind::trailing, 40 + n));
        const auto prefix = mxp::decode_prefix(input, checksum::on);
        ASSERT_EQ(said(prefix), "fine");
        EXPECT_EQ(prefix->size(), 40 + n);
    }
}

// [MXP-3.4]
TEST(peek, tells_how_long_the_frame_is) {
    const auto input = sample::frame(1000, 0x21, 9);
    for (const std::size_t n : {32U, 33U, 1039U, 1040U, 1040U}) {
        const auto head = mxp::peek({input.data(), n});
        ASSERT_EQ(said(head), "fine");
        EXPECT_EQ(head->type, mxp::frame_type::stream_chunk);
        EXPECT_EQ(head->flags, mxp::flags::compressed | mxp::flags::final);
        EXPECT_EQ(head->message_id, 0x0102030405060708U);
        EXPECT_EQ(head->trace_id, 0x1112131415161718U);
        EXPECT_EQ(head->payload_size, 1000U);
        EXPECT_EQ(head->size(), 1040U);
    }
    for (std::size_t n = 0; n < 32; ++n) {
        EXPECT_EQ(said(mxp::peek({input.data(), n})), told(kind::truncated, n));
    }
}

// [MXP-1.5]
TEST(decode, each_bit_of_magic_and_reserved_bytes_is_looked_at) {
    for (unsigned bit = 0; bit < 32; ++bit) {
        sample::parts of;
        of.magic ^= std::uint32_t{1} << bit;
        expect_refused(sample::sealed(of, {}), checksum::on, told(kind::magic, 0));
        EXPECT_EQ(said(mxp::peek(sample::sealed(of, {}))), told(kind::magic, 0));
    }
    for (unsigned bit = 0; bit < 16; ++bit) {
        sample::parts of;
        of.reserved = 1U << bit;
        expect_refused(sample::sealed(of, {}), checksum::off, told(kind::reserved, 6));
        EXPECT_EQ(said(mxp::peek(sample::sealed(of, {}))), told(kind::reserved, 6));
    }
}

// Faults are added from the last check to the first, and the latest is always the one named.
// [MXP-3.1]
TEST(decode, checks_are_made_in_their_order) {
    struct row {
        std::function<void(bytes&)> damage;
        std::string want;
    };
    const auto set = [](std::size_t at, unsigned value) {
        return [at, value](bytes& input) { input[at] = static_cast<std::byte>(value); };
    };
    const row rows[] = {
        {[](bytes& input) { input.push_back({}); }, told(kind::trailing, 45)},
        {set(37, 0x99), told(kind::checksum, 37)},
        {[](bytes& input) { input.resize(44); }, told(kind::truncated, 44)},
        {set(31, 1), told(kind::too_large, 24)},
        {set(7, 1), told(kind::reserved, 6)},
        {set(5, 16), told(kind::flags, 5)},
        {set(4, 0x7f), told(kind::type, 4)},
        {set(0, 0x30), told(kind::magic, 0)},
        {[](bytes& input) { input.resize(31); }, told(kind::truncated, 31)},
    };
    bytes input = sample::frame(5);
    for (const row& of : rows) {
        of.damage(input);
        EXPECT_EQ(said(mxp::decode(input, checksum::on)), of.want);
    }
}

// [MXP-1.7]
TEST(decode, trailers_are_not_looked_at_where_they_are_not_checked) {
    auto input = sample::frame(5);
    for (std::size_t at = 37; at < 45; ++at) {
        input[at] ^= std::byte{0xff};
        EXPECT_EQ(said(mxp::decode(input, checksum::off)), "fine");
        EXPECT_EQ(said(mxp::decode(input, checksum::on)), told(kind::checksum, 37));
    }
    input.resize(44);
    expect_refused(input, checksum::off, told(kind::truncated, 44));
}

// A trailer of 0 is a hash like any other where it is checked. [MXP-1.7]
TEST(decode, a_trailer_of_zero_is_checked) {
    auto input = sample::frame(5);
    std::fill(input.end() - 8, input.end(), std::byte{});
    expect_refused(input, checksum::on, told(kind::checksum, 37));
    EXPECT_EQ(said(mxp::decode(input, checksum::off)), "fine");
}

// [MXP-3.2]
TEST(decode, lengths_up_to_the_limit_are_taken) {
    const auto input = sample::frame(1000);
    for (const checksum mode : both_modes) {
        EXPECT_EQ(said(mxp::decode(input, mode, 1000)), "fine");
        expect_refused(input, mode, told(kind::too_large, 24), 999);
        expect_refused(input, mode, told(kind::too_large, 24), 0);
    }
    EXPECT_EQ(said(mxp::peek(input, 1000)), "fine");
    EXPECT_EQ(said(mxp::peek(input, 999)), told(kind::too_large, 24));
    EXPECT_EQ(said(mxp::decode(sample::frame(0), checksum::on, 0)), "fine");
}

// [MXP-3.2]
TEST(decode, no_limit_is_over_that_of_all) {
    constexpr auto most = std::numeric_limits<std::size_t>::max();
    auto input = sample::frame(mxp::payload_bytes);
    EXPECT_EQ(said(mxp::decode(input, checksum::on, most)), "fine");
    EXPECT_EQ(said(mxp::decode(input, checksum::on)), "fine");
    input = sample::frame(mxp::payload_bytes + 1);
    expect_refused(input, checksum::on, told(kind::too_large, 24));
    expect_refused(input, checksum::on, told(kind::too_large, 24), most);
    EXPECT_EQ(said(mxp::peek(input, most)), told(kind::too_large, 24));
}

// [MXP-3.2]
TEST(decode, lengths_of_64_bits_do_not_wrap_around) {
    std::vector<std::uint64_t> lengths;
    for (std::uint64_t near = 0; near < 100; ++near) {
        lengths.push_back(~near);
        lengths.push_back((std::uint64_t{1} << 63) - 50 + near);
        lengths.push_back((std::uint64_t{1} << 32) - 50 + near);
        lengths.push_back((std::uint64_t{1} << 31) - 50 + near);
    }
    for (unsigned bit = 25; bit < 64; ++bit) {
        lengths.push_back(std::uint64_t{1} << bit);
    }
    for (const std::uint64_t length : lengths) {
        sample::parts of;
        of.length = length;
        for (const checksum mode : both_modes) {
            expect_refused(sample::sealed(of, {}), mode, told(kind::too_large, 24));
            expect_refused(sample::sealed(of, {}), mode, told(kind::too_large, 24),
                           std::numeric_limits<std::size_t>::max());
        }
        EXPECT_EQ(said(mxp::peek(sample::header_of(of))), told(kind::too_large, 24));
    }
}
