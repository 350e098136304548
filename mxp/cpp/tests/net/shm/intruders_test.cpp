// Channels whose other side means no good.
#include <sys/mman.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <random>
#include <sstream>

#include "channels.hpp"
#include "peer.hpp"

namespace intruder_tests {

namespace {

using namespace sharing;

using text = std::vector<unsigned char>;

constexpr std::size_t at_left = 200;
/// Where the record begins behind an offer.
constexpr std::size_t behind = 32;

/// Puts the letters of a text somewhere.
void put(text& into, std::size_t place, const std::string& letters) {
    std::copy(letters.begin(), letters.end(), into.begin() + static_cast<std::ptrdiff_t>(place));
}

/// An offer of memory for a channel.
[[nodiscard]] text an_offer_of_channel() {
    const auto first = an_offer();
    text made(first.begin(), first.end());
    made[6] = 1;
    return made;
}

/// An opening of a channel of levels, behind its offer.
[[nodiscard]] text asking_for_levels() {
    text made = an_offer_of_channel();
    made.resize(behind + 320);
    put(made, behind, "MXPC\1");
    made[behind + 7] = 13;
    made[behind + 8] = 1;
    made[behind + 16] = made[behind + 20] = 14;
    const std::uint64_t fingerprint = sdp::fingerprint<Level>;
    std::memcpy(made.data() + behind + 24, &fingerprint, sizeof fingerprint);
    std::memcpy(made.data() + behind + 32, &fingerprint, sizeof fingerprint);
    put(made, behind + 64, "meters.Meters");
    return made;
}

/// All that comes until the end, and how many descriptors.
[[nodiscard]] std::pair<text, std::size_t> all_of(int socket) {
    received first = receive(socket);
    text all = std::move(first.bytes);
    for (;;) {
        const received more = receive(socket);
        all.insert(all.end(), more.bytes.begin(), more.bytes.end());
        if (more.bytes.size() < 32) {
            return {std::move(all), first.files.size()};
        }
    }
}

/// The name of a refusal in an answer.
[[nodiscard]] std::string refusal(const text& from) {
    EXPECT_EQ(from.size(), 352U);
    EXPECT_EQ(std::string(from.begin(), from.begin() + 7), "MXPS\1\2\1");
    EXPECT_EQ(std::string(from.begin() + 32, from.begin() + 37), "MXPC\1");
    EXPECT_GT(from.at(37), 0);
    return {from.begin() + 40, from.begin() + 40 + from.at(38)};
}

struct wrong {
    text bytes;
    const char* name;
    bool has_memory = true;
};

/// Bytes that open no channel.
[[nodiscard]] std::vector<wrong> all_wrong() {
    const text good = asking_for_levels();
    std::vector<wrong> all;
    for (const std::ptrdiff_t n : {33, 64, 351}) {
        all.push_back({text(good.begin(), good.begin() + n), "shm_handover"});
    }
    const char* const handover = "shm_handover";
    const char* const unknown = "channel_unknown";
    const char* const form = "channel_form";
    for (const auto& [at, byte, name] :
         std::vector<std::tuple<std::size_t, unsigned char, const char*>>{
             {32, 'm', handover}, {36, 0, handover},  {36, 2, handover},  {37, 2, handover},
             {38, 255, handover}, {39, 0, handover},  {39, 12, handover}, {42, 1, handover},
             {47, 1, handover},   {72, 1, handover},  {95, 1, handover},  {96, 0xff, handover},
             {109, 1, handover},  {351, 1, handover}, {40, 3, unknown},   {41, 1, unknown},
             {96, 'n', unknown},  {37, 1, form},      {38, 1, form},      {48, 15, form},
             {52, 15, form},      {51, 255, form},    {56, 1, form},      {71, 1, form}}) {
        text changed = good;
        EXPECT_NE(changed[at], byte) << at;
        changed[at] = byte;
        all.push_back({std::move(changed), name});
    }
    all.push_back({good, "shm_memory", false});
    return all;
}

// [MXP-18.13].
TEST(intruder, a_server_refuses_what_opens_no_channel) {
    desk server;
    const left before = open_now();
    for (const auto& one : all_wrong()) {
        const descriptor socket = dial(server.address);
        const descriptor memory = file();
        send_with(socket.get(), one.bytes.data(), one.bytes.size(),
                  one.has_memory ? std::vector<int>{memory.get()} : std::vector<int>{});
        ::shutdown(socket.get(), SHUT_WR);
        const auto [answer, files] = all_of(socket.get());
        EXPECT_EQ(refusal(answer), one.name) << one.bytes.size();
        EXPECT_EQ(files, 0U);
    }
    EXPECT_FALSE(server.has_opened());
    EXPECT_TRUE(soon([&] { return open_now() == before; }));
    EXPECT_TRUE(server.open());
}

/// An answer that takes a channel, with one byte changed.
[[nodiscard]] text yes(std::size_t at, unsigned char byte) {
    text made = an_offer_of_channel();
    made.resize(352);
    put(made, behind, "MXPC\1");
    made[at] = byte;
    return made;
}
/// An answer that refuses it.
[[nodiscard]] text no(const std::string& name, std::size_t at, unsigned char byte) {
    text made = yes(5, 2);
    std::fill(made.begin() + 8, made.begin() + 16, 0);
    made[37] = 9;
    made[38] = static_cast<unsigned char>(name.size());
    put(made, 40, name);
    made[at] = byte;
    return made;
}
/// An offer of a use, with a verdict and without memory.
[[nodiscard]] text with(unsigned char use, unsigned char verdict, std::size_t bytes) {
    text made(an_offer_of_channel());
    std::fill(made.begin() + 8, made.begin() + 16, 0);
    made[5] = verdict;
    made[6] = use;
    made.resize(bytes);
    return made;
}

// [MXP-18.12], [MXP-18.13]: what an acceptor may answer that is no channel.
TEST(intruder, an_opener_refuses_what_is_no_answer) {
    const left before = open_now();
    const std::vector<wrong> all{{{'1', 'P', 'X', 'M', 0, 0, 0, 0}, "channel_unknown", false},
                                 {with(0, 2, 32), "channel_unknown", false},
                                 {with(0, 1, 32), "channel_unknown", false},
                                 {with(1, 1, 352), "shm_handover", false},
                                 {with(1, 2, 32), "shm_handover", false},
                                 {{}, "not_connected", false},
                                 {yes(32, 0), "shm_handover"},
                                 {yes(36, 2), "shm_handover"},
                                 {yes(37, 9), "shm_handover"},
                                 {yes(38, 1), "shm_handover"},
                                 {yes(351, 1), "shm_handover"},
                                 {yes(4, 2), "shm_handover"},
                                 {yes(4, 1), "shm_memory", false},
                                 {no("channel_form", 37, 0), "shm_handover", false},
                                 {no("channel_form", 38, 65), "shm_handover", false},
                                 {no("channel_form", 200, 1), "shm_handover", false},
                                 {no("not_for_you", 37, 7), "not_for_you", false}};
    std::size_t number = 0;
    for (const auto& one : all) {
        const running::folder folder;
        const std::string address = "mxp+shm://" + folder.in("s");
        const descriptor listener = listen_at(address);
        std::thread answering{[&] {
            const descriptor socket{::accept(listener.get(), nullptr, nullptr)};
            EXPECT_EQ(receive(socket.get()).files.size(), 1U);
            text opening(320);
            EXPECT_EQ(::recv(socket.get(), opening.data(), opening.size(), MSG_WAITALL), 320);
            const descriptor memory = file();
            if (!one.bytes.empty()) {
                send_with(socket.get(), one.bytes.data(), one.bytes.size(),
                          one.has_memory ? std::vector<int>{memory.get()} : std::vector<int>{});
            }
        }};
        const auto made = net::open_channel(methods::levels, address);
        answering.join();
        ASSERT_FALSE(made) << number;
        EXPECT_EQ(made.error().name, one.name) << number << " " << to_string(made.error());
        EXPECT_FALSE(made.error().acted);
        ++number;
    }
    EXPECT_TRUE(soon([&] { return open_now() == before; }));
}

// An acceptor that says nothing, or little, is left in time.
TEST(intruder, an_acceptor_is_not_waited_for) {
    for (const bool drips : {false, true}) {
        const running::folder folder;
        const std::string address = "mxp+shm://" + folder.in("s");
        const descriptor listener = listen_at(address);
        std::thread answering{[&] {
            const descriptor socket{::accept(listener.get(), nullptr, nullptr)};
            const received offer = receive(socket.get());
            for (std::size_t n = 0; n < 40; ++n) {
                if (drips && n < offer.bytes.size()) {
                    static_cast<void>(
                        ::send(socket.get(), offer.bytes.data() + n, 1, MSG_NOSIGNAL));
                }
                std::this_thread::sleep_for(30ms);
            }
        }};
        channel_options by;
        by.timeout = 60ms;
        const auto begun = std::chrono::steady_clock::now();
        const auto made = net::open_channel(methods::levels, address, by);
        EXPECT_LT(std::chrono::steady_clock::now() - begun, 1s);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().status, ms::status::Unavailable) << to_string(made.error());
        answering.join();
    }
}

/// An opener that does as it likes with its memory.
struct intruder {
    intruder(const std::string& address, unsigned char kind) : socket(dial(address)) {
        const descriptor mine{::memfd_create("mxp", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
        EXPECT_EQ(::fallocate(mine.get(), 0, 0, size), 0);
        struct stat is {};
        EXPECT_EQ(::fstat(mine.get(), &is), 0);
        inode = is.st_ino;
        own = std::make_unique<map>(mine.get(), size, PROT_READ | PROT_WRITE);
        EXPECT_EQ(::fcntl(mine.get(), F_ADD_SEALS, all_seals), 0);
        text asked = asking_for_levels();
        asked[37] = asked[38] = kind;
        send_with(socket.get(), asked.data(), asked.size(), {mine.get()});
        const received answer = receive(socket.get());
        EXPECT_EQ(std::string(answer.bytes.begin(), answer.bytes.begin() + 7),
                  std::string("MXPS\1\0\1", 7));
        text record(320);
        EXPECT_EQ(::recv(socket.get(), record.data(), record.size(), MSG_WAITALL), 320);
        EXPECT_EQ(std::string(record.begin(), record.begin() + 6), std::string("MXPC\1\0", 6));
        theirs = std::make_unique<map>(answer.files.at(0).get(), size, PROT_READ);
    }

    /// Puts the bytes of a value into its slot.
    void put(std::uint64_t n, const text& value) {
        const std::size_t place = 4096 + static_cast<std::size_t>(n % slots) * 64;
        for (std::size_t i = 0; i < value.size(); ++i) {
            own->store<unsigned char>(place + i, value[i]);
        }
    }

    descriptor socket;
    /// The number of its memory's file.
    ino_t inode = 0;
    std::unique_ptr<map> own{};
    std::unique_ptr<map> theirs{};
};

/// A channel that an intruder has opened.
struct intruded {
    explicit intruded(const channel_options& by = {})
        : server(by),
          bad(server.address, static_cast<unsigned char>(by.requests)),
          channel(server.take().channel) {}

    [[nodiscard]] bool is_told_the_end() const {
        return bad.theirs->load<std::uint32_t>(at_ended) == 1 &&
               bad.theirs->load<std::uint32_t>(at_left) == 1;
    }

    desk server;
    intruder bad;
    levels channel;
};

// [MXP-18.15], [MXP-18.16].
TEST(intruder, numbers_that_can_not_be_end_a_channel) {
    constexpr std::uint64_t most = ~std::uint64_t{0};
    channel_options newest = latest();
    newest.capacity = slots;
    const std::vector<std::pair<channel_options, std::vector<std::uint64_t>>> all{
        {{}, {slots + 1}},    {{}, {most}},     {{}, {1, 0}},
        {{}, {1, slots + 2}}, {newest, {7, 6}}, {newest, {most, 0}}};
    for (const auto& [by, numbers] : all) {
        intruded one{by};
        text good(14);
        good[0] = 9;
        for (std::uint64_t n = 0; n < slots; ++n) {
            one.bad.put(n, good);
        }
        Level got;
        for (std::size_t n = 0; n + 1 < numbers.size(); ++n) {
            one.bad.own->store(at_written, numbers[n]);
            EXPECT_EQ(one.channel.receiver.receive(got), receive_status::received);
        }
        one.bad.own->store(at_written, numbers.back());
        for (int again = 0; again < 2; ++again) {
            EXPECT_EQ(one.channel.receiver.receive(got), receive_status::closed);
            EXPECT_EQ(one.channel.receiver.closed(), channel_end::index);
        }
        EXPECT_EQ(one.channel.sender.send(level(1)), send_status::closed);
        EXPECT_EQ(one.channel.sender.closed(), channel_end::index);
        EXPECT_EQ(to_string(channel_end::index), "shm_index");
        EXPECT_TRUE(one.is_told_the_end());
    }
    for (const std::uint64_t number : {slots + 1, most}) {
        intruded one;
        one.bad.own->store(at_taken, number);
        for (std::uint64_t n = 0; n < slots; ++n) {
            EXPECT_EQ(one.channel.sender.send(level(n)), send_status::sent);
        }
        EXPECT_EQ(one.channel.sender.send(level(0)), send_status::closed);
        EXPECT_EQ(one.channel.sender.closed(), channel_end::index);
    }
}

/// The ring of an intruder as its peer has it mapped, which can't be read at first. A peer that
/// reads it all the same finds another number of values written behind that.
class trap {
   public:
    trap(const intruder& bad, std::uint64_t written) {
        std::ifstream maps{"/proc/self/maps"};
        for (std::string line; std::getline(maps, line);) {
            std::istringstream words{line};
            std::uintptr_t begin = 0;
            std::string end, rights, offset, device;
            ino_t inode = 0;
            words >> std::hex >> begin >> end >> rights >> offset >> device >> std::dec >> inode;
            if (inode == bad.inode && rights == "r--s") {
                ring_ = reinterpret_cast<unsigned char*>(begin + 4096);
            }
        }
        numbers_ = bad.own.get();
        written_ = written;
        struct sigaction how {};
        how.sa_sigaction = sprung;
        how.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND);
        EXPECT_EQ(::sigaction(SIGSEGV, &how, &before_), 0);
        EXPECT_EQ(::mprotect(ring_, 4096, PROT_NONE), 0);
    }
    trap(const trap&) = delete;
    trap& operator=(const trap&) = delete;
    ~trap() {
        EXPECT_EQ(::sigaction(SIGSEGV, &before_, nullptr), 0);
        EXPECT_EQ(ring_, nullptr);
    }

   private:
    /// Elsewhere a fault recurs, and ends the program.
    static void sprung(int /*signal*/, siginfo_t* what, void* /*context*/) {
        const auto* const at = static_cast<unsigned char*>(what->si_addr);
        if (at >= ring_ && at < ring_ + 4096) {
            numbers_->store(at_written, written_);
            ::mprotect(std::exchange(ring_, nullptr), 4096, PROT_READ);
        }
    }

    static inline unsigned char* ring_ = nullptr;
    static inline map* numbers_ = nullptr;
    static inline std::uint64_t written_ = 0;
    struct sigaction before_ {};
};

// [MXP-18.16]: of the latest a value is used up to the last number at which its
// sender can't have begun to write over it, and not one further.
TEST(intruder, a_newest_value_that_may_have_been_written_over_is_not_used) {
    channel_options by = latest();
    by.capacity = slots;
    constexpr std::uint64_t newest = 10;
    for (std::uint64_t ahead = slots - 2; ahead < slots + 4; ++ahead) {
        intruded one{by};
        for (std::uint64_t n = 0; n < slots; ++n) {
            text value(14);
            value[0] = static_cast<unsigned char>(n);
            one.bad.put(n, value);
        }
        one.bad.own->store(at_written, newest + 1);
        const std::uint64_t behind_copy = newest + ahead;
        const trap sprung{one.bad, behind_copy};
        Level got;
        ASSERT_EQ(one.channel.receiver.receive(got), receive_status::received);
        EXPECT_EQ(got.sequence, ahead < slots ? newest : (behind_copy - 1) % slots) << ahead;
    }
}

// [MXP-18.17].
TEST(intruder, bytes_that_are_no_value_end_a_channel) {
    for (const auto& [at, byte] :
         std::vector<std::pair<std::size_t, unsigned char>>{{8, 2}, {9, 2}, {8, 255}, {9, 255}}) {
        intruded one;
        text bytes(14);
        one.bad.put(0, bytes);
        bytes[at] = byte;
        one.bad.put(1, bytes);
        one.bad.own->store<std::uint64_t>(at_written, 2);
        Level got;
        EXPECT_EQ(one.channel.receiver.receive(got), receive_status::received);
        EXPECT_EQ(one.channel.receiver.receive(got), receive_status::closed);
        EXPECT_EQ(one.channel.receiver.closed(), channel_end::value);
        EXPECT_EQ(to_string(channel_end::value), "value_invalid");
        EXPECT_TRUE(one.is_told_the_end());
    }
}

// [MXP-18.17]: any bytes in the memory are a value or end the channel when they are read.
TEST(intruder, bytes_that_change_while_a_value_is_read_are_a_value_or_none) {
    channel_options newest = latest();
    newest.capacity = slots;
    for (const auto& by : {channel_options{}, newest}) {
        intruded one{by};
        std::atomic<bool> is_over{false};
        std::thread scribbling{[&] {
            std::mt19937 random{3};
            while (!is_over) {
                // Bools and enums of all slots, and some of the numbers before them.
                const std::size_t at = random() % 10;
                const auto byte = static_cast<unsigned char>(at >= 8 ? random() % 2 : random());
                one.bad.own->store(4096 + random() % slots * 64 + at, byte);
            }
            one.bad.own->store<unsigned char>(4096 + 9, 7);
        }};
        Level got;
        std::uint64_t n = 1;
        for (; n < 20'000; ++n) {
            one.bad.own->store(at_written, n);
            ASSERT_EQ(one.channel.receiver.receive(got), receive_status::received);
        }
        is_over = true;
        scribbling.join();
        const std::uint64_t bad = (20'000 + slots - 1) / slots * slots + 1;
        for (; n <= bad; ++n) {
            one.bad.own->store(at_written, n);
            EXPECT_EQ(one.channel.receiver.receive(got),
                      n == bad ? receive_status::closed : receive_status::received);
        }
        EXPECT_EQ(one.channel.receiver.closed(), channel_end::value);
    }
}

// [MXP-18.15]: what was copied and not said to be there is not there.
TEST(intruder, who_dies_between_copying_and_saying_so_leaves_no_value) {
    for (const bool has_ended : {false, true}) {
        desk server;
        std::optional<intruder> bad{std::in_place, server.address, static_cast<unsigned char>(0)};
        levels channel = server.take().channel;
        bad->put(0, text(14));
        bad->own->store<std::uint64_t>(at_written, 1);
        bad->put(1, text(14));
        bad->own->store<std::uint32_t>(at_ended, has_ended ? 1 : 0);
        const auto watcher = channel.watcher();
        EXPECT_TRUE(watcher.is_connected());
        bad.reset();
        EXPECT_FALSE(watcher.is_connected());
        EXPECT_TRUE(channel.receiver.wait(1s));
        Level got;
        EXPECT_EQ(channel.receiver.receive(got), receive_status::received);
        EXPECT_EQ(channel.receiver.receive(got), receive_status::closed);
        EXPECT_EQ(channel.receiver.closed(), has_ended ? channel_end::ended : channel_end::lost);
        EXPECT_EQ(channel.sender.send(level(0)), send_status::closed);
        EXPECT_EQ(channel.sender.closed(), channel_end::lost);
    }
}

// A flood of bytes on the socket keeps nobody, and its end is found behind it.
TEST(intruder, bytes_on_the_socket_of_a_channel_are_passed_over) {
    desk server;
    std::optional<intruder> bad{std::in_place, server.address, static_cast<unsigned char>(0)};
    levels channel = server.take().channel;
    const text flood(5000, 1);
    while (::send(bad->socket.get(), flood.data(), flood.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
    }
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_FALSE(channel.receiver.wait(20ms));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 1s);
    bad.reset();
    const auto watcher = channel.watcher();
    EXPECT_TRUE(soon([&] { return !watcher.is_connected(); }));
}

}  // namespace

}  // namespace intruder_tests
