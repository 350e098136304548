// Compares the bytes that a server counts for its peers with the bytes that it takes [MXP-15.2].
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "intruder.hpp"
#include "mxp/engine/budget.hpp"
#include "running.hpp"

namespace {

/// The bytes that are taken now, with the allocator's bytes beside each piece.
std::atomic<std::size_t> live{0};

void* counted(std::size_t n) {
    void* const made = std::malloc(n == 0 ? 1 : n);
    if (made == nullptr) {
        std::abort();
    }
    live += ::malloc_usable_size(made) + sizeof(std::size_t);
    return made;
}
void uncounted(void* memory) noexcept {
    if (memory != nullptr) {
        live -= ::malloc_usable_size(memory) + sizeof(std::size_t);
        std::free(memory);
    }
}

}  // namespace

void* operator new(std::size_t n) { return counted(n); }
void* operator new[](std::size_t n) { return counted(n); }
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t) noexcept { uncounted(memory); }

namespace costs {

namespace {

using running::bytes;
using running::intruder;
namespace ms = mxp::session;
namespace net = mxp::net;

constexpr std::size_t many = 4'000;

/// The bytes of one thing.
struct cost {
    double counted = 0;
    double taken = 0;
};

/// A server that holds what its peers send it, and answers nothing.
class costs : public testing::Test {
   protected:
    costs() {
        answers.reserve(many);
        streams.reserve(many);
        net::services all;
        all.service("demo.Costs")
            .call(1,
                  [this](const net::request&, const net::responder& by) {
                      answers.push_back(by);
                      ++came;
                  })
            .stream(2,
                    [this](const net::request&, const net::stream& end) {
                        end.on_chunk([end](mxp::bytes_view) {});
                        streams.push_back(end);
                        ++came;
                    })
            .stream(3,
                    [this](const net::request&, const net::stream& end) {
                        streams.push_back(end);
                        ++came;
                    })
            .stream(4, [this](const net::request&, const net::stream& end) {
                end.on_chunk([this, end](mxp::bytes_view one) {
                    end.send(bytes(one.size()));
                    ++came;
                });
            });
        net::server_options how;
        how.limits.connection_bytes = 1U << 30;
        how.memory_bytes = 1U << 30;
        server.emplace(context, std::move(all), how);
        at = server->listen("mxp+unix://" + folder.in("s")).value();
    }

    [[nodiscard]] std::unique_ptr<intruder> greeted() {
        auto made = std::make_unique<intruder>(at);
        made->flush();
        EXPECT_TRUE(running::until(
            context, [&] { return made->session().ready() || (made->read(0), false); }));
        return made;
    }

    void settle() {
        static_cast<void>(running::until(
            context, [] { return false; }, std::chrono::milliseconds{20}));
    }

    /// Lets a peer send what it has queued, until something is so.
    cost sent(intruder& by, const std::function<bool()>& is_so) {
        by.queue_all();
        const std::size_t held = server->stats().held_bytes;
        const std::size_t taken = live;
        EXPECT_TRUE(running::until(context, [&] { return by.send_some() && is_so(); }));
        settle();
        return {static_cast<double>(server->stats().held_bytes - held) / many,
                static_cast<double>(live - taken) / many};
    }

    asio::io_context context{1};
    running::folder folder;
    std::optional<net::server> server;
    std::string at;
    std::vector<net::responder> answers;
    std::vector<net::stream> streams;
    std::size_t came = 0;
};

/// Counts and takes are near each other, as far as the clause has no more counted: so much at
/// least.
void expect_near(const std::string& what, const cost& of, double least) {
    const std::string both =
        what + ": " + std::to_string(of.counted) + ", taken: " + std::to_string(of.taken);
    EXPECT_GT(of.counted * 1.2, of.taken) << both;
    EXPECT_LT(of.counted, std::max(of.taken, least) * 1.2) << both;
}

TEST_F(costs, OfCallsThatWait) {
    for (const std::size_t size : {0U, 100U, 2'000U}) {
        const auto peer = greeted();
        came = 0;
        answers.clear();
        for (std::size_t i = 0; i < many; ++i) {
            ASSERT_TRUE(peer->session().call({0, 1, 0, {}, {}}, bytes(size), 0));
        }
        expect_near("call of " + std::to_string(size), sent(*peer, [&] { return came == many; }),
                    1'024.0 + static_cast<double>(size));
    }
}

TEST_F(costs, OfStreamsThatAreOpen) {
    const auto peer = greeted();
    for (std::size_t i = 0; i < many; ++i) {
        ASSERT_TRUE(peer->session().open({0, 2, 0, {}, {}}, {}, false, bytes{}, 0));
    }
    expect_near("stream", sent(*peer, [&] { return came == many; }), 1'024);
}

TEST_F(costs, OfChunksThatNobodyTakes) {
    for (const std::size_t size : {0U, 100U, 2'000U}) {
        const auto peer = greeted();
        came = 0;
        const auto id = peer->session().open({0, 3, 0, {}, {}}, {}, false, bytes{}, 0);
        sent(*peer, [&] { return came == 1; });
        ASSERT_TRUE(running::until(
            context, [&] { return peer->session().can_send(*id, 0) || (peer->read(0), false); }));
        const std::size_t held = server->stats().held_bytes;
        std::size_t n = 0;
        while (n < many && peer->session().can_send(*id, size)) {
            ASSERT_TRUE(peer->session().chunk(*id, false, false, bytes(size), 0));
            ++n;
        }
        const cost of = sent(*peer, [&] { return server->stats().held_bytes >= held + n * 64; });
        const double part = static_cast<double>(many) / static_cast<double>(n);
        expect_near("chunk of " + std::to_string(size), {of.counted * part, of.taken * part},
                    64.0 + static_cast<double>(size));
    }
}

TEST_F(costs, OfChunksThatWaitForGrants) {
    for (const std::size_t size : {0U, 100U}) {
        const auto peer = greeted();
        const auto id = peer->session().open({0, 4, 0, {}, {}}, {}, false, bytes{}, 0);
        peer->flush();
        ASSERT_TRUE(running::until(
            context, [&] { return peer->session().can_send(*id, 0) || (peer->read(0), false); }));
        came = 0;
        for (std::size_t i = 0; i < many; ++i) {
            ASSERT_TRUE(peer->session().chunk(*id, false, false, bytes(size), 0));
        }
        expect_near("unsent chunk of " + std::to_string(size),
                    sent(*peer, [&] { return came == many; }), 64.0 + static_cast<double>(size));
    }
}

// [MXP-15.5]
TEST_F(costs, OfConnections) {
    constexpr std::size_t count = 200;
    const auto peer = greeted();
    // They greet as another did, and take no memory here.
    intruder other{at};
    ms::batch given;
    other.session().poll_batch(given, 0);
    bytes hello;
    given.each([&](mxp::bytes_view one) { hello.insert(hello.end(), one.begin(), one.end()); });
    std::vector<running::raw_socket> sockets;
    sockets.reserve(count);
    double taken = 0;
    const auto connect = [&] {
        const std::size_t before = live;
        while (sockets.size() < count) {
            sockets.push_back(running::raw_socket::connected(at));
            ASSERT_TRUE(sockets.back().send(hello));
        }
        EXPECT_TRUE(running::until(context, [&] { return server->connections() == count + 2; }));
        settle();
        taken = static_cast<double>(live - before) / count;
        sockets.clear();
        EXPECT_TRUE(running::until(context, [&] { return server->connections() == 2; }));
        settle();
    };
    connect();  // the memory that Asio keeps for more
    connect();
    constexpr double counted = mxp::engine::budget::connection_bytes;
    EXPECT_LT(taken, counted * 1.2);
    EXPECT_GT(taken, counted / 1.2);
}

}  // namespace

}  // namespace costs
