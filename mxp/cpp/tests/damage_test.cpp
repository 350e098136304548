// Damage to frames whose checksum is checked.
#include <gtest/gtest.h>

#include <set>

#include "mxp/mxp.hpp"
#include "sample.hpp"

using mxp::checksum;
using mxp::kind;
using sample::bytes;
using sample::said;
using sample::told;

namespace {

void flip(bytes& input, std::size_t bit) {
    input[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
}

}  // namespace

TEST(damage, every_bit_that_flips_is_found) {
    for (const std::size_t n : {0U, 1U, 31U, 64U, 200U, 300U, 1500U}) {
        auto input = sample::frame(n);
        for (std::size_t bit = 0; bit < 8 * input.size(); ++bit) {
            flip(input, bit);
            EXPECT_FALSE(mxp::decode(input, checksum::on)) << n << " " << bit;
            EXPECT_FALSE(mxp::decode_prefix(input, checksum::on)) << n << " " << bit;
            flip(input, bit);
        }
        EXPECT_TRUE(mxp::decode(input, checksum::on));
    }
}

// [MXP-3.1]
TEST(damage, every_cut_is_found) {
    for (const std::size_t n : {0U, 1U, 64U, 300U, 5000U}) {
        const auto whole = sample::frame(n);
        for (std::size_t there = 0; there < whole.size(); ++there) {
            // Memory of its own, so that a sanitizer sees what is read behind it.
            const bytes input(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(there));
            for (const checksum mode : {checksum::on, checksum::off}) {
                EXPECT_EQ(said(mxp::decode(input, mode)), told(kind::truncated, there));
                EXPECT_EQ(said(mxp::decode_prefix(input, mode)), told(kind::truncated, there));
            }
        }
    }
}

TEST(damage, several_bits_that_flip_are_found) {
    sample::numbers random{2};
    for (int i = 0; i < 10'000; ++i) {
        auto input =
            sample::frame(random.below(600), sample::types[random.below(std::size(sample::types))],
                          static_cast<unsigned>(random.below(16)));
        std::set<std::size_t> bits;
        const std::size_t count = 2 + random.below(15);
        while (bits.size() < count) {
            bits.insert(random.below(8 * input.size()));
        }
        for (const std::size_t bit : bits) {
            flip(input, bit);
        }
        EXPECT_FALSE(mxp::decode(input, checksum::on)) << i;
    }
}

// A peer that writes a false header can also write its hash.
TEST(damage, headers_that_lie_are_refused_under_their_own_hash) {
    const auto payload = sample::ramp(100);
    sample::parts honest;
    honest.length = 100;
    const auto expect = [&](const sample::parts& of, const std::string& want) {
        EXPECT_EQ(said(mxp::decode(sample::sealed(of, payload), checksum::on)), want);
    };
    expect(honest, "fine");
    sample::parts lie = honest;
    lie.type = 0x04;
    expect(lie, told(kind::type, 4));
    lie = honest;
    lie.flags = 0x80;
    expect(lie, told(kind::flags, 5));
    lie = honest;
    lie.reserved = 0x0100;
    expect(lie, told(kind::reserved, 6));
    lie = honest;
    lie.length = 101;
    expect(lie, told(kind::truncated, 140));
    lie.length = mxp::payload_bytes;
    expect(lie, told(kind::truncated, 140));
    lie.length = mxp::payload_bytes + 1;
    expect(lie, told(kind::too_large, 24));
    // The bytes that follow a payload that is too short are no hash of it.
    for (lie.length = 0; lie.length < 100; ++lie.length) {
        expect(lie, told(kind::checksum, 32 + static_cast<std::size_t>(lie.length)));
        EXPECT_EQ(said(mxp::decode(sample::sealed(lie, payload), checksum::off)),
                  told(kind::trailing, 40 + static_cast<std::size_t>(lie.length)));
    }
}
