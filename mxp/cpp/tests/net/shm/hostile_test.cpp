// Peers that mean no good once their memory is taken: each is refused by its name, and others are
// served.
#include <random>

#include "peer.hpp"
#include "sharing.hpp"

namespace hostile_tests {

namespace {

using namespace sharing;

/// Lets a peer do something, while another client is served, until nothing of it is left.
template <class Attack>
void against(served& server, Attack attack) {
    asking good{server.address};
    ASSERT_FALSE(good.call("hello"));
    const left before = open_now();
    std::atomic<bool> is_over{false};
    std::thread attacking{[&] {
        {
            peer one{server.address};
            one.greeted();
            attack(one);
        }
        is_over = true;
    }};
    const std::string value(10'000, 'v');
    while (!is_over) {
        EXPECT_FALSE(good.call(value));
        std::this_thread::sleep_for(1ms);
    }
    attacking.join();
    EXPECT_TRUE(soon([&] { return server.connections() == 1; }));
    EXPECT_TRUE(soon([&] { return open_now() == before; }));
    EXPECT_FALSE(good.call(value));
}

/// Asks for an echo, whose answer waits to be written.
void ask(peer& by, mxp::bytes_view value) {
    ms::request asked;
    asked.service = 0;
    asked.method = 1;
    EXPECT_TRUE(by.session.call(asked, ms::value{value}, 0));
}

// [MXP-18.7]
TEST(hostile, numbers_that_can_not_be_end_the_connection) {
    using nonsense = std::function<std::pair<std::size_t, std::uint64_t>(const peer&)>;
    const std::vector<nonsense> all{
        [](const peer& of) {
            return std::pair{at_written, std::uint64_t{of.n_written} + ring + 1};
        },
        [](const peer& of) {
            return std::pair{at_written, std::uint64_t{of.n_written} - 1};
        },
        [](const peer&) {
            return std::pair{at_written, ~std::uint64_t{0}};
        },
        [](const peer&) {
            return std::pair{at_taken, ~std::uint64_t{0}};
        },
        [](const peer& of) {
            return std::pair{at_taken, std::uint64_t{of.n_taken} + 1'000'000};
        },
    };
    for (const nonsense& one : all) {
        served server;
        against(server, [&](peer& by) {
            const auto [at, number] = one(by);
            by.own->store<std::uint64_t>(at, number);
            if (at == at_written) {
                by.wake();
            } else {
                ask(by, std::string_view{"x"});
                by.send_all();
            }
            EXPECT_TRUE(by.is_left());
        });
        EXPECT_EQ(server.log().count("shm_index"), 1U)
            << &one - all.data() << ": " << server.log().text();
    }
}

// [MXP-18.7] [MXP-18.10]: a client is told the same of its server, also one that sleeps.
TEST(hostile, clients_are_told_of_numbers_that_can_not_be) {
    for (const bool is_blocking : {false, true}) {
        const running::folder folder;
        const std::string address = "mxp+shm://" + folder.in("s");
        const descriptor listens = listen_at(address);
        std::thread lying{[&] {
            const descriptor came{::accept4(listens.get(), nullptr, nullptr, SOCK_CLOEXEC)};
            const received theirs = receive(came.get());
            const descriptor mine{::memfd_create("mxp", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
            EXPECT_EQ(::fallocate(mine.get(), 0, 0, size), 0);
            map own{mine.get(), size, PROT_READ | PROT_WRITE};
            EXPECT_EQ(::fcntl(mine.get(), F_ADD_SEALS, all_seals), 0);
            send_with(came.get(), an_offer().data(), 32, {mine.get()});
            std::this_thread::sleep_for(20ms);
            own.store<std::uint64_t>(at_written, ring + 1);
            static_cast<void>(::send(came.get(), "x", 1, MSG_NOSIGNAL));
            std::array<char, 64> passed{};
            while (::recv(came.get(), passed.data(), passed.size(), 0) > 0) {
            }
        }};
        if (is_blocking) {
            journal lines;
            net::blocking_options how;
            how.connect_timeout = 300ms;
            how.logger = lines.logger();
            net::blocking_client one{address, how};
            EXPECT_TRUE(call(one, "x"));
            EXPECT_EQ(lines.count("shm_index"), 1U) << lines.text();
        } else {
            asking one{address, {}, 300ms};
            EXPECT_TRUE(one.call("x"));
            EXPECT_GE(one.log().count("shm_index"), 1U) << one.log().text();
        }
        lying.join();
    }
}

// [MXP-18.8]: any bytes in the memory are a value or a refusal when they are read.
TEST(hostile, bytes_that_change_while_they_are_read_are_values_or_refusals) {
    served server;
    against(server, [](peer& by) {
        std::atomic<bool> is_over{false};
        std::thread scribbling{[&] {
            std::mt19937 random{3};
            while (!is_over) {
                const std::size_t at = 4096 + random() % ring;
                const auto byte = by.own->load<unsigned char>(at);
                by.own->store<unsigned char>(
                    at, static_cast<unsigned char>(byte ^ (1U << (random() % 8))));
            }
        }};
        const running::bytes value(200, std::byte{5});
        for (int i = 0; i < 2'000; ++i) {
            // The server may have ended the session for a bad frame.
            ms::request asked;
            asked.method = 1;
            if (by.session.call(asked, ms::value{mxp::bytes_view{value.data(), value.size()}}, 0)) {
                by.send_all();
            }
            by.receive_all();
            std::this_thread::sleep_for(50us);
        }
        is_over = true;
        scribbling.join();
    });
}

// [MXP-18.10]: a flood of bytes on the socket wakes the server, and nobody else waits for it.
TEST(hostile, bytes_on_the_socket_are_passed_over) {
    served server;
    against(server, [](peer& by) {
        const running::bytes flood(10'000);
        for (int i = 0; i < 200; ++i) {
            EXPECT_GT(::send(by.socket.get(), flood.data(), flood.size(), MSG_NOSIGNAL), 0);
        }
    });
}

// [MXP-18.9]: a peer that always waits, for another number each time, is told, and takes no time
// from others. Nor does one that reads no byte from the socket.
TEST(hostile, a_peer_that_always_says_that_it_waits_is_woken_without_waiting) {
    served server;
    against(server, [](peer& by) {
        for (std::uint32_t n = 0; n < 1'000; ++n) {
            by.own->store<std::uint32_t>(at_awaits_bytes, n << 2U | 2U);
            ask(by, std::string_view{"x"});
            by.send_all();
            while (by.session.in_flight_here() > 0) {
                by.receive_all();
            }
        }
    });
}

// [MXP-18.7]: what was copied and not said to be there is not there.
TEST(hostile, who_dies_between_copying_and_saying_so_leaves_nothing) {
    served server;
    against(server, [](peer& by) {
        ms::request asked;
        asked.method = 4;
        EXPECT_TRUE(by.session.event(asked, false, ms::when_full::refuse, ms::value{}, 0));
        by.copy(by.unsent());
        by.wake();
        std::this_thread::sleep_for(20ms);
    });
    EXPECT_EQ(server.stats().in(mxp::frame_type::event).frames, 0U);
}

}  // namespace

}  // namespace hostile_tests
