// Offers that are none, to a server and to clients: each is refused by its name [MXP-18.4].
#include "peer.hpp"
#include "sharing.hpp"

namespace handover_tests {

namespace {

using namespace sharing;

/// An offer that is refused, with its descriptors, and the name of the refusal.
struct wrong {
    std::vector<unsigned char> bytes{};
    std::vector<descriptor> files{};
    std::string name{};

    [[nodiscard]] std::vector<int> lent() const {
        std::vector<int> made;
        for (const auto& one : files) {
            made.push_back(one.get());
        }
        return made;
    }
};

template <class... Files>
wrong made(std::vector<unsigned char> bytes, const char* name, Files... files) {
    wrong one{std::move(bytes), {}, name};
    (one.files.push_back(std::move(files)), ...);
    return one;
}

std::vector<wrong> all_wrong() {
    std::vector<wrong> all;
    const auto good = an_offer();
    const std::vector<unsigned char> whole(good.begin(), good.end());
    for (std::size_t n = 1; n < whole.size(); ++n) {
        all.push_back(made({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)},
                           "shm_handover", file()));
    }
    // One wrong byte in each field.
    for (const auto& [at, byte] : std::vector<std::pair<std::size_t, unsigned char>>{{1, 'Y'},
                                                                                     {3, 'T'},
                                                                                     {4, 0},
                                                                                     {4, 2},
                                                                                     {5, 3},
                                                                                     {5, 255},
                                                                                     {6, 2},
                                                                                     {7, 1},
                                                                                     {8, 1},
                                                                                     {9, 0},
                                                                                     {9, 8},
                                                                                     {12, 1},
                                                                                     {15, 128},
                                                                                     {16, 1},
                                                                                     {31, 1}}) {
        auto changed = whole;
        changed[at] = byte;
        all.push_back(made(std::move(changed), "shm_handover", file()));
    }
    const auto memory = [&](auto... files) {
        all.push_back(made(whole, "shm_memory", std::move(files)...));
    };
    memory();
    memory(file(), file());
    memory(file(), file(), file());
    for (const int seal : {F_SEAL_SHRINK, F_SEAL_GROW, 0x10, F_SEAL_SEAL}) {
        memory(file(size, all_seals & ~seal));
    }
    for (const std::size_t bytes : {size - 1, size + 1, size + 4096, std::size_t{4096}}) {
        memory(file(bytes));
    }
    memory(file(size, all_seals, false));
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    ::close(ends[1]);
    memory(descriptor{ends[0]});
    memory(descriptor{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)});
    return all;
}

// [MXP-18.4]
TEST(handover, a_server_refuses_what_is_no_offer) {
    const left before = open_now();
    {
        served server;
        asking good{server.address};
        EXPECT_FALSE(good.call("hello"));
        const left with_one = open_now();
        std::size_t handovers = 0;
        std::size_t memories = 0;
        auto all = all_wrong();
        // An opener has no verdict but that it offers memory.
        for (const unsigned said : {1U, 2U}) {
            auto verdict = an_offer();
            verdict[5] = static_cast<unsigned char>(said);
            verdict[9] = 0;
            all.push_back(made({verdict.begin(), verdict.end()}, "shm_handover"));
        }
        for (const wrong& one : all) {
            (one.name == "shm_memory" ? memories : handovers) += 1;
            const descriptor socket = dial(server.address);
            send_with(socket.get(), one.bytes.data(), one.bytes.size(), one.lent());
            ::shutdown(socket.get(), SHUT_WR);
            const received answer = receive(socket.get());
            ASSERT_EQ(answer.bytes.size(), 32U) << one.bytes.size();
            EXPECT_EQ(std::string(answer.bytes.begin(), answer.bytes.begin() + 6), "MXPS\1\2");
            EXPECT_TRUE(answer.files.empty());
            EXPECT_TRUE(receive(socket.get()).bytes.empty());
            EXPECT_EQ(server.log().count("shm_handover"), handovers) << server.log().text();
            EXPECT_EQ(server.log().count("shm_memory"), memories) << server.log().text();
        }
        EXPECT_FALSE(good.call("still there"));
        EXPECT_EQ(server.connections(), 1U);
        all.clear();
        // The received files are closed.
        EXPECT_TRUE(soon([&] { return open_now() == with_one; }));
    }
    EXPECT_TRUE(soon([&] { return open_now() == before; }));
}

/// Answers each who connects with the same bytes, until it is gone.
class answering {
   public:
    answering(const std::string& address, const wrong& with)
        : socket_(listen_at(address)),
          thread_([this, &with] {
              for (;;) {
                  const descriptor came{::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
                  if (is_over_ || !came) {
                      return;
                  }
                  const received offer = receive(came.get());
                  // A client that gives up may have sent nothing.
                  EXPECT_EQ(offer.files.size(), offer.bytes.empty() ? 0U : 1U);
                  if (!with.bytes.empty()) {
                      send_with(came.get(), with.bytes.data(), with.bytes.size(), with.lent());
                  }
              }
          }),
          address_(address) {}
    answering(const answering&) = delete;
    answering& operator=(const answering&) = delete;
    ~answering() {
        is_over_ = true;
        static_cast<void>(dial(address_));
        thread_.join();
    }

   private:
    descriptor socket_;
    std::atomic<bool> is_over_{false};
    std::thread thread_;
    std::string address_;
};

// [MXP-18.4]
TEST(handover, clients_refuse_what_is_no_offer) {
    const left before = open_now();
    auto all = all_wrong();
    const left with_all = open_now();
    for (const wrong& one : all) {
        const running::folder folder;
        const std::string address = "mxp+shm://" + folder.in("s");
        const answering server{address, one};
        const auto failed = asking{address}.call("x");
        ASSERT_TRUE(failed);
        EXPECT_EQ(failed->name, one.name) << to_string(*failed);
        EXPECT_EQ(failed->status, ms::status::FailedPrecondition);
        EXPECT_FALSE(failed->acted);
        net::blocking_client other{address};
        const auto blocked = call(other, "x");
        ASSERT_TRUE(blocked);
        EXPECT_EQ(blocked->name, one.name) << to_string(*blocked);
        EXPECT_EQ(blocked->status, ms::status::FailedPrecondition);
    }
    EXPECT_TRUE(open_now() == with_all);
    all.clear();
    EXPECT_TRUE(open_now() == before);
}

/// How attempts end whose server answers with some bytes. The logs are told the first failure.
void expect_ending(std::vector<unsigned char> bytes, ms::status status, const std::string& text) {
    const running::folder folder;
    const std::string address = "mxp+shm://" + folder.in("s");
    const wrong one{std::move(bytes), {}, {}};
    const answering server{address, one};
    asking first{address, {}, 2s};
    const auto failed = first.call("x");
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->status, status);
    EXPECT_EQ(failed->name, "not_connected");
    EXPECT_EQ(first.log().count(text), 1U) << first.log().text();
    journal lines;
    net::blocking_options how;
    how.connect_timeout = 2s;
    how.logger = lines.logger();
    net::blocking_client other{address, how};
    const auto blocked = call(other, "x");
    ASSERT_TRUE(blocked);
    EXPECT_EQ(blocked->status, status);
    EXPECT_EQ(lines.count(text), 1U) << lines.text();
}

// [MXP-18.4]: a server that takes no memory of this client's, and one that closes at once, as one
// does that has as many connections as it may.
TEST(handover, a_client_that_is_refused_is_told_so) {
    std::vector<unsigned char> refusal{'M', 'X', 'P', 'S', 1, 2};
    refusal.resize(32);
    expect_ending(refusal, ms::status::FailedPrecondition, "refuses this side's memory");
    expect_ending({}, ms::status::Unavailable, "closed the connection");
}

// [MXP-18.3]
TEST(handover, an_offer_may_come_in_pieces) {
    served server;
    const descriptor socket = dial(server.address);
    const auto offer = an_offer();
    const descriptor memory = file();
    for (std::size_t at = 0; at < offer.size(); ++at) {
        send_with(socket.get(), offer.data() + at, 1,
                  at == 0 ? std::vector<int>{memory.get()} : std::vector<int>{});
        std::this_thread::sleep_for(200us);
    }
    const received answer = receive(socket.get());
    ASSERT_EQ(answer.bytes.size(), 32U);
    EXPECT_EQ(answer.bytes[5], 0);
    EXPECT_EQ(answer.files.size(), 1U);
}

// Descriptors beside each byte of an offer are not kept. [MXP-18.4]
TEST(handover, no_more_descriptors_are_kept_than_one) {
    served server;
    const descriptor memory = file();
    const left before = open_now();
    const descriptor socket = dial(server.address);
    const auto offer = an_offer();
    for (std::size_t at = 0; at + 1 < offer.size(); ++at) {
        send_with(socket.get(), offer.data() + at, 1, {memory.get(), memory.get()});
    }
    std::this_thread::sleep_for(50ms);
    EXPECT_LE(open_now().files, before.files + 1);
    send_with(socket.get(), offer.data() + 31, 1, {});
    EXPECT_EQ(receive(socket.get()).bytes.at(5), 2);
    EXPECT_TRUE(receive(socket.get()).bytes.empty());
    EXPECT_EQ(server.log().count("shm_memory: 62 descriptors came"), 1U) << server.log().text();
}

// A client that begins an offer and leaves it is given as long as a Hello.
TEST(handover, who_does_not_end_an_offer_is_left) {
    net::server_options how;
    how.limits.hello_us = 50'000;
    served server{how};
    for (const std::size_t n : {0U, 1U, 31U}) {
        const descriptor socket = dial(server.address);
        if (n > 0) {
            send_with(socket.get(), an_offer().data(), n, {});
        }
        EXPECT_TRUE(receive(socket.get()).bytes.empty()) << n;
    }
    asking good{server.address};
    EXPECT_FALSE(good.call("hello"));
}

// A client that is given up while it waits for an answer is, at once.
TEST(handover, a_client_does_not_wait_for_ever) {
    const running::folder folder;
    const std::string address = "mxp+shm://" + folder.in("s");
    const descriptor silent = listen_at(address);
    const left before = open_now();
    net::blocking_options how;
    how.connect_timeout = 100ms;
    net::blocking_client blocked{address, how};
    EXPECT_TRUE(call(blocked, "x"));
    {
        asking one{address, {}, 100ms};
        EXPECT_TRUE(one.call("x"));
        one.client().close();
        running::until(
            one.context(), [] { return false; }, 5ms);
    }
    EXPECT_TRUE(open_now() == before);
}

}  // namespace

}  // namespace handover_tests
