#include "mxp/hash.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sample.hpp"

using mxp::bytes_view;

// Made with another build of XXH3, 0.8.4. [MXP-1.6]
TEST(hash, known_answers) {
    struct row {
        std::size_t n;
        std::uint64_t sum;
    };
    for (const row& of : {
             row{0, 0x080d9279dde52b68},
             row{1, 0x481dabb9ddefb206},
             row{8, 0xc2d8308ff286d384},
             row{64, 0xbb7ba98f5b01b1d2},
             row{96, 0x19be6fdfdad77b68},
             row{97, 0xbe07186cb4221f89},
             row{208, 0xa039b97533fddef1},
             row{209, 0x0299a28fefd25992},
             row{255, 0xcd6572d45d1a239b},
             row{256, 0xc7b75c3f1629e750},
             row{992, 0xd499992220419bad},
             row{993, 0x94d11a6f22e0e38c},
             row{2048, 0xd50deb8b7af227a9},
             row{2049, 0x34e095d4000427ed},
             row{4096, 0x6b40b457a4466b83},
             row{65536, 0x9968b7695a48633d},
             row{16777216, 0x0458060ab262847d},
         }) {
        const auto payload = sample::ramp(of.n);
        sample::parts head;
        head.flags = 5;
        head.length = of.n;
        const auto header = sample::header_of(head);
        const bytes_view piece = payload;
        EXPECT_EQ(mxp::wire::hash(header.data(), mxp::span<const bytes_view>{&piece, 1}, of.n),
                  of.sum)
            << of.n;
        const auto whole = sample::joined({header, payload});
        EXPECT_EQ(mxp::wire::hash(whole.data(), whole.size()), of.sum) << of.n;
    }
}

TEST(hash, of_pieces_is_that_of_the_whole) {
    sample::numbers random{1};
    const auto header = sample::header_of({});
    for (std::size_t n = 0; n < 3 * mxp::wire::gathered_bytes; n += n < 600 ? 1 : 37) {
        const auto payload = sample::ramp(n);
        const auto whole = sample::joined({header, payload});
        std::vector<bytes_view> pieces;
        for (std::size_t at = 0; at < n;) {
            const std::size_t count = random.below(n - at + 1);
            pieces.emplace_back(payload.data() + at, count);
            at += count;
        }
        EXPECT_EQ(mxp::wire::hash(header.data(), pieces, n),
                  mxp::wire::hash(whole.data(), whole.size()))
            << n;
    }
}
