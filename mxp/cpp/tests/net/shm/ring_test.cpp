// Directions of a connection whose two sides are in one process.
#include <random>

#include "mxp/net/transport/shm/error.hpp"
#include "pair.hpp"

namespace ring_tests {

namespace {

namespace net = mxp::net;
namespace shm = net::detail::shm;
using running::bytes;
using sharing::pair;
using shm::read_outcome;

/// Bytes of which no two that are near each other are alike.
bytes pattern(std::size_t n) {
    bytes made(n);
    for (std::size_t i = 0; i < n; ++i) {
        made[i] = static_cast<std::byte>(i * 7 + i / 251);
    }
    return made;
}

TEST(ring, bytes_come_as_they_were_written_however_they_are_cut) {
    pair both;
    const bytes all = pattern(200'000);
    std::mt19937 random{7};
    const auto below = [&](std::size_t n) { return random() % (n + 1); };
    bytes read;
    std::size_t sent = 0;
    while (read.size() < all.size()) {
        const std::size_t n = std::min(below(sharing::ring + 100), all.size() - sent);
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(sent);
        const auto last = first + static_cast<std::ptrdiff_t>(n);
        const auto middle = first + static_cast<std::ptrdiff_t>(below(n));
        sent += both.write({bytes(first, middle), bytes(middle, last)}).value();
        const read_outcome what = both.read(1 + below(sharing::ring + 100));
        if (what == read_outcome::bytes) {
            read.insert(read.end(), both.come.begin(), both.come.end());
        } else {
            ASSERT_EQ(what, read_outcome::nothing);
            ASSERT_EQ(sent, read.size());
        }
    }
    EXPECT_TRUE(read == all);
}

TEST(ring, it_takes_as_much_as_it_has) {
    pair both;
    EXPECT_EQ(both.write({pattern(sharing::ring + 1)}), sharing::ring);
    EXPECT_EQ(both.write({pattern(1)}), 0U);
    EXPECT_FALSE(both.out.has_news());
    EXPECT_EQ(both.read(96), read_outcome::bytes);
    EXPECT_EQ(both.out.room(), 96U);
}

TEST(ring, what_was_written_before_the_end_is_read_before_it) {
    pair both;
    EXPECT_EQ(both.write({pattern(4)}), 4U);
    both.out.end(both.from);
    EXPECT_EQ(both.read(10), read_outcome::bytes);
    EXPECT_EQ(both.come, pattern(4));
    EXPECT_EQ(both.read(10), read_outcome::end);
}

// [MXP-18.10]
TEST(ring, a_peer_that_is_gone_is_read_to_what_it_had_written) {
    pair both;
    EXPECT_EQ(both.write({pattern(4)}), 4U);
    both.in.close();
    EXPECT_EQ(both.write({pattern(4)}), 4U);
    both.out.end(both.from);
    both.in.close();
    EXPECT_EQ(both.read(10), read_outcome::bytes);
    EXPECT_EQ(both.come.size(), 4U);
    EXPECT_EQ(both.read(10), read_outcome::lost);
}

// [MXP-18.7]
TEST(ring, numbers_that_can_not_be_are_refused) {
    const std::uint64_t all = sharing::ring;
    const std::uint64_t most = ~std::uint64_t{0};
    for (const auto& [written, is_right] :
         {std::pair{std::uint64_t{0}, true}, {all, true}, {all + 1, false}, {most, false}}) {
        pair both;
        both.left.set_written(written);
        EXPECT_EQ(both.read(sharing::ring) != read_outcome::wrong, is_right) << written;
        if (is_right && written > 0) {
            both.left.set_written(written - 1);
            EXPECT_EQ(both.read(1), read_outcome::wrong);
        }
    }
    for (const auto& [taken, is_right] : {std::pair{std::uint64_t{0}, true},
                                          {std::uint64_t{5}, true},
                                          {std::uint64_t{6}, false},
                                          {most, false}}) {
        pair both;
        EXPECT_EQ(both.write({pattern(5)}), 5U);
        both.right.set_taken(taken);
        EXPECT_EQ(both.out.room().has_value(), is_right) << taken;
        EXPECT_EQ(both.write({pattern(1)}).has_value(), is_right) << taken;
    }
    EXPECT_NE(shm::ending(read_outcome::wrong).message().find("shm_index"), std::string::npos);
}

// [MXP-18.7]: what the owner of memory finds in it is never believed.
TEST(ring, own_numbers_are_kept_elsewhere) {
    pair both;
    EXPECT_EQ(both.write({pattern(5)}), 5U);
    both.left.set_written(0);
    both.right.set_taken(0);
    EXPECT_EQ(both.write({pattern(5)}), 5U);
    EXPECT_EQ(both.read(100), read_outcome::bytes);
    EXPECT_EQ(both.come.size(), 10U);
}

// [MXP-18.9]
TEST(ring, who_waits_is_woken_once_for_each_of_its_numbers) {
    pair both;
    EXPECT_EQ(both.write({pattern(1)}), 1U);
    EXPECT_EQ(both.woken(), 0U);
    EXPECT_EQ(both.read(10), read_outcome::bytes);
    for (std::size_t round = 0; round < 3; ++round) {
        both.in.announce(shm::wakes::byte);
        EXPECT_EQ(both.write({pattern(1)}), 1U);
        EXPECT_EQ(both.write({pattern(1)}), 1U);
        EXPECT_EQ(both.woken(), 1U);
        EXPECT_EQ(both.read(10), read_outcome::bytes);
        both.in.announce(shm::wakes::bell);
        const std::uint32_t rung = both.to_there.rung();
        EXPECT_EQ(both.write({pattern(1)}), 1U);
        EXPECT_EQ(both.to_there.rung(), rung + 1);
        EXPECT_EQ(both.woken(), 0U);
        EXPECT_EQ(both.read(10), read_outcome::bytes);
    }
    both.in.announce(shm::wakes::bell);
    both.in.go_on();
    const std::uint32_t rung = both.to_there.rung();
    both.out.end(both.from);
    EXPECT_EQ(both.to_there.rung(), rung);
}

// [MXP-18.9]: a sleep that begins after the waking is none.
TEST(ring, a_thread_that_sleeps_is_woken) {
    pair both;
    both.in.announce(shm::wakes::bell);
    const std::uint32_t rung = both.to_there.rung();
    std::thread writing{[&] { EXPECT_EQ(both.write({pattern(1)}), 1U); }};
    const auto begun = std::chrono::steady_clock::now();
    while (!both.in.has_news()) {
        shm::sleep(both.right, both.to_there, rung, true, false, std::chrono::seconds{20});
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{10});
    writing.join();
}

TEST(memory, its_bytes_are_copied_from_wherever_they_are) {
    const bytes all = pattern(3000);
    bytes to(3000);
    for (std::size_t first = 0; first < 20; ++first) {
        for (const std::size_t n : {0U, 1U, 7U, 8U, 9U, 15U, 100U, 1023U, 1024U, 1025U, 2900U}) {
            std::fill(to.begin(), to.end(), std::byte{0xee});
            shm::copy_out(all.data() + first, to.data() + 3, n);
            EXPECT_TRUE(std::equal(to.begin() + 3, to.begin() + 3 + static_cast<std::ptrdiff_t>(n),
                                   all.begin() + static_cast<std::ptrdiff_t>(first)));
            EXPECT_EQ(to[2], std::byte{0xee});
            EXPECT_EQ(to[3 + n], std::byte{0xee});
        }
    }
}

TEST(offer, it_has_its_bytes) {
    EXPECT_EQ((shm::offer{shm::verdict::memory, sharing::ring}.encode()), sharing::an_offer());
    const auto whole = shm::offer{shm::verdict::memory, std::size_t{1} << 18}.encode();
    EXPECT_EQ(whole[10], 4);
    EXPECT_EQ(shm::offer::decode(whole, true)->ring, std::size_t{1} << 18);
    for (const auto said : {shm::verdict::socket, shm::verdict::refused}) {
        const auto from = shm::offer{said, 0}.encode();
        EXPECT_EQ(shm::offer::decode(from, false)->said, said);
        EXPECT_NE(shm::offer::decode(from, true).error().find("verdict"), std::string::npos);
    }
}

// [MXP-18.4]: each byte alone.
TEST(offer, other_bytes_are_refused) {
    for (std::size_t at = 0; at < shm::offer::size; ++at) {
        for (unsigned byte = 0; byte < 256; ++byte) {
            auto changed = sharing::an_offer();
            changed[at] = static_cast<unsigned char>(byte);
            const auto read = shm::offer::decode(changed, true);
            if (read) {
                EXPECT_EQ(read->encode(), changed);
            } else {
                EXPECT_FALSE(read.error().empty());
            }
        }
    }
    for (const std::uint64_t ring : {0ULL, 1ULL, 2048ULL, 4097ULL, 3ULL << 12, 1ULL << 31, ~0ULL}) {
        auto changed = sharing::an_offer();
        std::memcpy(changed.data() + 8, &ring, sizeof ring);
        EXPECT_FALSE(shm::offer::decode(changed, true)) << ring;
    }
}

TEST(account, no_more_is_taken_than_there_is) {
    net::shm_options few;
    few.bytes = 100;
    const auto all = std::make_shared<net::detail::shm_account>(few, nullptr);
    {
        shm::reservation first{all};
        EXPECT_TRUE(first.add(60));
        EXPECT_FALSE(first.add(41));
        EXPECT_FALSE(first.add(~std::size_t{0}));
        shm::reservation moved{std::move(first)};
        EXPECT_TRUE(moved.add(40));
        EXPECT_FALSE(moved.add(1));
        EXPECT_EQ(all->used(), 100U);
    }
    EXPECT_EQ(all->used(), 0U);
}

TEST(spin, looks_that_are_in_vain_become_rare) {
    shm::spin looks{std::chrono::milliseconds{1}};
    const auto passed = [&] {
        std::size_t n = 0;
        for (; looks.is_over(); ++n) {
            looks.came();
        }
        return n;
    };
    for (const std::size_t passes : {0U, 1U, 3U, 7U, 15U, 31U, 63U, 63U}) {
        EXPECT_EQ(passed(), passes);
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
        EXPECT_TRUE(looks.is_over());
        looks.came();
    }
    EXPECT_EQ(passed(), 63U);
    looks.came();
    // A look that was not in vain is followed by others.
    EXPECT_EQ(passed(), 0U);
    EXPECT_TRUE(shm::spin{std::chrono::microseconds{0}}.is_over());
}

}  // namespace

}  // namespace ring_tests
