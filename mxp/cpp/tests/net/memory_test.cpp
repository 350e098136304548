// The memory that a server holds for peers that mean it no good [MXP-15].
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "intruder.hpp"
#include "running.hpp"

using running::bytes;
using running::intruder;
using running::text_of;
namespace net = mxp::net;
namespace ms = mxp::session;
using namespace std::chrono_literals;

namespace memory {

namespace {

constexpr const char* service = "demo.Held";

/// Sanitizers keep what is let go, and more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_plain = false;
#elif defined(__has_feature)
constexpr bool is_plain = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
constexpr bool is_plain = true;
#endif

/// A server in a process of its own. Its methods: 1 gives the value back, 2 tells the held bytes, 3
/// is a stream whose chunks nobody takes, 4 is an event, 5 is a stream that sends 240 KB at once.
class process {
   public:
    explicit process(std::size_t memory_bytes) {
        int ready[2];
        EXPECT_EQ(::pipe(ready), 0);
        id_ = ::fork();
        if (id_ == 0) {
            serve(memory_bytes, ready[1]);
        }
        char byte = 0;
        EXPECT_EQ(::read(ready[0], &byte, 1), 1);
        ::close(ready[0]);
        ::close(ready[1]);
    }
    process(const process&) = delete;
    process& operator=(const process&) = delete;
    ~process() {
        ::kill(id_, SIGKILL);
        int how = 0;
        ::waitpid(id_, &how, 0);
    }

    [[nodiscard]] std::string address() const { return "mxp+unix://" + folder_.in("s"); }

    /// How much memory the process has.
    [[nodiscard]] std::size_t resident() const {
        std::ifstream file{"/proc/" + std::to_string(id_) + "/statm"};
        std::size_t all = 0;
        std::size_t pages = 0;
        file >> all >> pages;
        return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    }

   private:
    [[noreturn]] void serve(std::size_t memory_bytes, int ready) const {
        asio::io_context context{1};
        net::server* of = nullptr;
        std::vector<net::stream> kept;
        net::services all;
        all.service(service)
            .call(1, [](const net::request& asked,
                        const net::responder& to) { to.respond(asked.value); })
            .call(2,
                  [&](const net::request&, const net::responder& to) {
                      const auto stats = of->stats();
                      to.respond(std::to_string(stats.held_bytes) + " " +
                                 std::to_string(stats.refusals(ms::kind::limit_server_bytes)) +
                                 " " + std::to_string(of->connections()));
                  })
            .stream(3,
                    [&](const net::request&, const net::stream& end) {
                        end.pause();
                        kept.push_back(end);
                    })
            .stream(5,
                    [](const net::request&, const net::stream& end) {
                        for (int i = 0; i < 4; ++i) {
                            end.send(bytes(60'000));
                        }
                    })
            .event(4, [](const net::request&) {});
        net::server_options how;
        how.memory_bytes = memory_bytes;
        net::server server{context, std::move(all), how};
        of = &server;
        if (!server.listen(address())) {
            ::_exit(1);
        }
        static_cast<void>(::write(ready, "x", 1));
        context.run();
        ::_exit(0);
    }

    running::folder folder_;
    pid_t id_ = 0;
};

/// Writes what the socket takes, and goes on without waiting.
void push(intruder& by) { static_cast<void>(by.send_some()); }

/// How many kinds of peers there are.
constexpr int kinds = 5;

/// Peers that never read, whose streams nobody takes, that send large events and stop inside, that
/// say that they serve very much, and that grant nothing to streams. Bytes of a peer that come to
/// many megabytes are sent again by the next peer of its kind.
std::unique_ptr<intruder> hostile(const std::string& at, int kind, std::size_t rounds,
                                  const intruder* last) {
    if (kind == 3) {
        auto made = std::make_unique<intruder>(at, std::vector<std::string>(20'000, "many.Names"));
        made->queue_all();
        push(*made);
        return made;
    }
    auto made = std::make_unique<intruder>(at);
    made->greeted();
    if (kind == 2 && last != nullptr) {
        made->queue_as(*last);
        push(*made);
        return made;
    }
    for (std::size_t i = 0; i < rounds; ++i) {
        if (kind == 4) {
            for (int k = 0; k < 6; ++k) {
                static_cast<void>(made->session().open({0, 5, 0, {}, {}}, {}, true, bytes{}, 0));
            }
        } else if (kind == 0) {
            static_cast<void>(made->session().call({0, 1, 0, {}, {}}, bytes(60'000), 0));
        } else if (kind == 1) {
            const auto id = made->session().open({0, 3, 0, {}, {}}, {}, false, bytes{}, 0);
            made->queue_all();
            static_cast<void>(made->send_some());
            static_cast<void>(made->read(20));
            for (int k = 0; id && k < 30; ++k) {
                static_cast<void>(made->session().chunk(*id, false, false, bytes(60'000), 0));
            }
        } else {
            static_cast<void>(made->session().event({0, 4, 0, {}, {}}, false, ms::when_full::refuse,
                                                    bytes(8'000'000), 0));
        }
        made->queue_all();
    }
    if (kind == 2) {
        made->cut(1000);  // the last never comes whole
    }
    push(*made);
    return made;
}

struct told {
    std::size_t held = 0;
    std::size_t ended = 0;
    std::size_t connections = 0;
};

/// The server's own numbers; a good client's call that takes too long is a failure.
told ask(net::blocking_client& by) {
    net::call_options soon;
    soon.deadline = running::patience * 5s;
    const auto came = by.call(service, 2, bytes{}, soon);
    EXPECT_TRUE(came) << to_string(came.error());
    told made;
    if (came) {
        std::istringstream{text_of(came->value)} >> made.held >> made.ended >> made.connections;
    }
    return made;
}

void hold_against(std::size_t peers, std::size_t budget) {
    process server{budget};
    net::blocking_client good{server.address()};
    ask(good);
    const std::size_t before = server.resident();
    std::vector<std::unique_ptr<intruder>> all;
    std::size_t most = 0;
    std::size_t most_held = 0;
    const auto look = [&] {
        most = std::max(most, server.resident());
        most_held = std::max(most_held, ask(good).held);
    };
    for (std::size_t i = 0; i < peers; ++i) {
        const intruder* const last = i < kinds ? nullptr : all[i - kinds].get();
        all.push_back(hostile(server.address(), static_cast<int>(i % kinds), 4, last));
        if (i % kinds == kinds - 1) {
            look();
        }
    }
    for (int i = 0; i < 20; ++i) {
        for (auto& one : all) {
            push(*one);
        }
        look();
    }
    const told there = ask(good);
    std::printf("%zu peers: before %zu KB, most %zu KB, held at most %zu KB of %zu; %zu ended, %zu "
                "connections\n",
                peers, before >> 10, most >> 10, most_held >> 10, budget >> 10, there.ended,
                there.connections);
    EXPECT_LE(most_held, budget + budget / 3);  // of which what is ending counts until it is gone
    if (is_plain) {
        EXPECT_LE(most, before + budget + budget / 10);
    }
    EXPECT_GT(most_held, budget / 4);
    all.clear();
    const auto end = std::chrono::steady_clock::now() + 10s;
    const auto is_back = [&] {
        return ask(good).connections == 1 &&
               (!is_plain || server.resident() <= before + budget / 8);
    };
    bool was_back = is_back();
    while (!was_back && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(50ms);
        was_back = is_back();
    }
    EXPECT_TRUE(was_back) << server.resident();
    std::printf("afterwards %zu KB\n", server.resident() >> 10);
}

// [MXP-15.4]
TEST(memory, of_a_server_is_bounded_whatever_peers_do) { hold_against(100, 64 << 20); }
TEST(memory, DISABLED_is_bounded_with_1000_peers) { hold_against(1000, 256 << 20); }

// [MXP-15.3]
TEST(memory, of_a_connection_is_taken_from_the_stream_that_nobody_reads) {
    asio::io_context context{1};
    running::folder folder;
    net::services all;
    all.service(service).stream(3, [](const net::request& asked, const net::stream& end) {
        for (int i = 0; i < (asked.value.empty() ? 3 : 20); ++i) {
            end.send(bytes(50'000));
        }
    });
    net::server server{context, std::move(all)};
    const auto at = server.listen("mxp+unix://" + folder.in("s")).value();
    net::client_options how;
    how.limits.connection_bytes = 500'000;
    std::optional<net::failure> why;
    bool has_little_ended = false;
    std::size_t came = 0;
    net::client client{context, at, how};
    const auto little = client.open({service, 3, {}}, bytes{}, {}, true);
    const auto much = client.open({service, 3, {}}, bytes(1), {}, true);
    much.on_end([&](const net::failure* of) { why = *of; });
    little.on_end([&](const net::failure*) { has_little_ended = true; });
    ASSERT_TRUE(running::until(context, [&] { return why.has_value(); }));
    EXPECT_EQ(why->name, "limit_connection_bytes");
    EXPECT_NE(why->text.find("bytes; the connection may hold 500000"), std::string::npos)
        << why->text;
    EXPECT_FALSE(has_little_ended);
    little.on_chunk([&](mxp::bytes_view chunk) { came += chunk.size(); });
    EXPECT_TRUE(running::until(context, [&] { return came == 150'000; }));
    EXPECT_LT(client.stats().held_bytes, 500'000U);
    EXPECT_EQ(client.stats().refusals(ms::kind::limit_connection_bytes), 1U);
}

// [MXP-15.4]
TEST(memory, of_what_no_peer_grants_is_bounded_and_told) {
    asio::io_context context{1};
    running::folder folder;
    net::services all;
    bool has_ended = false;
    all.service(service).stream(5, [&](const net::request&, const net::stream& end) {
        end.on_end([&](const net::failure*) { has_ended = true; });
        for (int i = 0; i < 20; ++i) {
            end.send(bytes(50'000));
        }
    });
    net::server_options how;
    how.memory_bytes = 3'400'000;
    net::server server{context, std::move(all), how};
    const auto at = server.listen("mxp+unix://" + folder.in("s")).value();
    intruder first{at};
    intruder second{at};
    const auto ask = [&](intruder& by) {
        static_cast<void>(by.session().open({0, 5, 0, {}, {}}, {}, true, bytes{}, 0));
        by.flush();
    };
    const auto holds = [&](std::size_t least) {
        return running::until(context, [&] { return server.stats().held_bytes >= least; });
    };
    for (intruder* const by : {&first, &second}) {
        by->flush();
        ASSERT_TRUE(
            running::until(context, [&] { return by->session().ready() || (by->read(0), false); }));
    }
    ask(first);
    ASSERT_TRUE(holds(1'000'000));
    // More than three quarters wait for grants: others are read all the same.
    ask(first);
    ASSERT_TRUE(holds(2'000'000));
    ask(second);
    ASSERT_TRUE(running::until(context, [&] { return has_ended; }));
    EXPECT_EQ(server.stats().refusals(ms::kind::limit_server_bytes), 1U);
    EXPECT_TRUE(
        running::until(context, [&] { return !first.why.empty() || (first.read(0), false); }));
    EXPECT_EQ(first.why, "limit_server_bytes");
    EXPECT_TRUE(running::until(context, [&] { return server.stats().held_bytes < 1'200'000; }));
    EXPECT_GT(server.stats().held_bytes, 1'000'000U);
}

TEST(memory, of_what_waits_for_a_connection_is_bounded) {
    asio::io_context context{1};
    net::client_options how;
    how.memory_bytes = 1'125'000;
    net::client client{context, std::string_view{"mxp+unix:///tmp/nobody.is.here"}, how};
    std::vector<std::string> ends;
    for (int i = 0; i < 15; ++i) {
        client.call(service, 1, bytes(100'000), {}, [&](const net::answer& how_it_ended) {
            ends.push_back(how_it_ended.failed->name);
        });
    }
    ASSERT_TRUE(running::until(context, [&] { return ends.size() >= 8; }));
    EXPECT_EQ(ends, std::vector<std::string>(8, "limit_queue_bytes"));
    client.close();
    ASSERT_TRUE(running::until(context, [&] { return ends.size() == 15; }));
}

}  // namespace

}  // namespace memory
