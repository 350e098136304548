// Directions of a connection whose two sides are in one process.
#include <sys/resource.h>

#include <random>

#include "mxp/net/transport/shm/error.hpp"
#include "mxp/net/transport/shm/handover.hpp"
#include "mxp/net/transport/shm/spin.hpp"
#include "peer.hpp"

namespace ring_tests {

namespace {

namespace net = mxp::net;
namespace shm = net::detail::shm;
using running::bytes;
using shm::read_outcome;

/// Two sides that have each other's memory, and the sockets between them.
struct pair {
    pair() {
        auto here = shm::create(sharing::ring);
        auto there = shm::create(sharing::ring);
        to_here = std::move(*shm::open(there->file, sharing::ring));
        to_there = std::move(*shm::open(here->file, sharing::ring));
        left = std::move(here->memory);
        right = std::move(there->memory);
    }
    pair(const pair&) = delete;
    pair& operator=(const pair&) = delete;
    ~pair() {
        ::close(sockets[0]);
        ::close(sockets[1]);
    }

    [[nodiscard]] std::optional<std::size_t> write(const std::vector<bytes>& all) {
        return out.write(
            all,
            [](const bytes& one) {
                return std::pair{one.data(), one.size()};
            },
            from);
    }
    [[nodiscard]] read_outcome read(std::size_t most) {
        come.assign(most, {});
        std::size_t n = 0;
        const read_outcome what = in.read(come.data(), most, n, back);
        come.resize(what == read_outcome::bytes ? n : 0);
        return what;
    }
    /// How many bytes of waking have come on the socket.
    [[nodiscard]] std::size_t woken() const {
        std::array<char, 64> passed{};
        const ssize_t n = ::recv(sockets[1], passed.data(), passed.size(), MSG_DONTWAIT);
        return n > 0 ? static_cast<std::size_t>(n) : 0;
    }

    static std::array<int, 2> connected() {
        std::array<int, 2> made{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made.data()), 0);
        return made;
    }

    std::array<int, 2> sockets = connected();
    shm::own_memory left{};
    shm::own_memory right{};
    /// The memory of the right side as the left one sees it, and the other way round.
    shm::peer_memory to_here{};
    shm::peer_memory to_there{};
    shm::bell from{left, sockets[0]};
    shm::bell back{right, sockets[1]};
    shm::send_ring out{left, to_here};
    shm::receive_ring in{right, to_there};
    bytes come{};
};

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
        shm::sleep(both.to_there, rung, std::chrono::seconds{20});
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{10});
    writing.join();
}

// [MXP-18.2]: the seals hold against every attempt of the peer.
TEST(memory, nobody_else_writes_into_it_nor_makes_it_smaller) {
    const auto made = shm::create(sharing::ring);
    ASSERT_TRUE(made);
    const int file = made->file.get();
    EXPECT_EQ(::mmap(nullptr, sharing::size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
              MAP_FAILED);
    EXPECT_EQ(::write(file, "x", 1), -1);
    for (const std::size_t size : {std::size_t{0}, sharing::size - 1, sharing::size + 1}) {
        EXPECT_EQ(::ftruncate(file, static_cast<off_t>(size)), -1);
    }
    EXPECT_EQ(::fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), -1);
    EXPECT_EQ(::fcntl(file, F_ADD_SEALS, F_SEAL_WRITE), -1);
    EXPECT_NE(::fcntl(file, F_GETFD) & FD_CLOEXEC, 0);
    void* const read = ::mmap(nullptr, sharing::size, PROT_READ, MAP_SHARED, file, 0);
    ASSERT_NE(read, MAP_FAILED);
    EXPECT_EQ(::mprotect(read, sharing::size, PROT_READ | PROT_WRITE), -1);
    ::munmap(read, sharing::size);
}

/// Why a file is no memory of a peer's.
std::string unfit(const sharing::descriptor& file) {
    const auto made = shm::open(file, sharing::ring);
    return made ? "it is" : made.error().is_unfit ? made.error().why : "the system";
}

// [MXP-18.4]
TEST(memory, that_is_not_what_it_must_be_is_not_mapped) {
    EXPECT_EQ(unfit(sharing::file()), "it is");
    for (const int seal : {F_SEAL_SHRINK, F_SEAL_GROW, 0x10, F_SEAL_SEAL}) {
        EXPECT_EQ(unfit(sharing::file(sharing::size, sharing::all_seals & ~seal)),
                  "the peer's memory lacks seals");
    }
    for (const std::size_t wrong : {std::size_t{0}, std::size_t{4096}, sharing::size - 1,
                                    sharing::size + 1, sharing::size + 4096}) {
        EXPECT_NE(unfit(sharing::file(wrong)).find(std::to_string(wrong) + " bytes, not"),
                  std::string::npos);
    }
    EXPECT_EQ(unfit(sharing::file(sharing::size, sharing::all_seals, false)),
              "the peer's memory is not allocated");
    sharing::descriptor pipe[2];
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    pipe[0] = sharing::descriptor{ends[0]};
    pipe[1] = sharing::descriptor{ends[1]};
    EXPECT_EQ(unfit(pipe[0]), "the peer's memory lacks seals");
    EXPECT_EQ(unfit(sharing::descriptor{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)}),
              "the peer's memory lacks seals");
}

/// Leaves this program no descriptor to be had.
class none_left {
   public:
    none_left() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        rlimit low = before_;
        low.rlim_cur = 100;
        ::setrlimit(RLIMIT_NOFILE, &low);
        for (int file = ::dup(0); file >= 0; file = ::dup(0)) {
            all_.emplace_back(file);
        }
    }
    none_left(const none_left&) = delete;
    none_left& operator=(const none_left&) = delete;
    ~none_left() { ::setrlimit(RLIMIT_NOFILE, &before_); }

   private:
    rlimit before_{};
    std::vector<sharing::descriptor> all_{};
};

// Sanitizers need descriptors themselves, so that no whole server runs without any.
TEST(memory, without_descriptors_there_is_none_to_give_nor_to_take) {
    pair both;
    const auto made = shm::create(sharing::ring);
    ASSERT_TRUE(made);
    ASSERT_TRUE(shm::send(both.sockets[0], {shm::verdict::memory, sharing::ring}, &made->file));
    shm::incoming_offer came{false};
    // Once, so that sanitizers know by then what they look at.
    std::string lacks = shm::system_text("nothing");
    {
        const none_left nothing;
        const auto more = shm::create(sharing::ring);
        lacks = more ? "nothing" : more.error();
        EXPECT_TRUE(came.read(both.sockets[1]).value());
    }
    EXPECT_EQ(lacks.find("memfd_create: "), 0U) << lacks;
    const auto taken = came.open(sharing::ring);
    ASSERT_FALSE(taken);
    EXPECT_TRUE(taken.error().is_unfit);
    EXPECT_NE(taken.error().why.find("dropped descriptors"), std::string::npos);
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
