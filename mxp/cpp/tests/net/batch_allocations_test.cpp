// Counts what sending and taking several values at once allocates.
#include <asio/io_context.hpp>
#include <atomic>
#include <cstdlib>
#include <new>

#include "mxp/agents.hpp"
#include "running.hpp"

namespace {

std::atomic<std::size_t> count{0};

void* counted(std::size_t n) {
    ++count;
    void* const made = std::malloc(n == 0 ? 1 : n);
    if (made == nullptr) {
        std::abort();
    }
    return made;
}

}  // namespace

void* operator new(std::size_t n) { return counted(n); }
void* operator new[](std::size_t n) { return counted(n); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace batch_allocations {

namespace net = mxp::net;
using mxp::registry::Query;

constexpr net::method sum{"demo.Many", 1, "sum"};

/// The allocations of both sides together while so many texts go over a stream.
std::size_t allocations(std::uint64_t messages, bool in_one_go) {
    running::folder folder;
    asio::io_context context{1};
    net::services all;
    std::uint64_t came = 0;
    all.service("demo.Many", net::types_of<Query>())
        .stream(sum, net::flowing_handler{[&](const net::request&, const net::stream& end) {
                    const net::client_stream<Query, Query> of{end};
                    of.on_values([&](sdp::span<Query> some) { came += some.size(); });
                    of.on_finish([of] { of.respond({}); });
                }});
    net::server server{context, std::move(all)};
    const auto at = server.listen(folder.at("s")).value();
    net::client client{context, at};
    bool has_ended = false;
    const auto stream = net::open_client_stream<Query, Query>(
        client, sum, [&](const net::outcome<Query>& of) { has_ended = of.has_value(); }, {});
    // Texts of this length need memory of their own.
    const std::vector<Query> some(1'000, Query{std::string(40, 'x')});
    std::uint64_t sent = 0;
    const auto one = [&] {
        const bool is_all = sent == messages;
        sent += is_all ? 0 : 1;
        return is_all ? std::nullopt : std::optional{std::cref(some[0])};
    };
    const auto begun = [&] { return came > 0; };
    stream.send({some[0]});
    EXPECT_TRUE(running::until(context, begun));
    const std::size_t before = count;
    if (in_one_go) {
        for (; sent < messages; sent += some.size()) {
            stream.send_batch(some);
            context.restart();
            context.poll();
        }
        stream.finish();
    } else {
        stream.bytes().send_all(net::detail::encoding<Query>(stream.bytes(), one));
    }
    EXPECT_TRUE(running::until(context, [&] { return has_ended; }));
    EXPECT_EQ(came, messages + 1);
    return count - before;
}

// All that is allocated is for the connection's buffers, for turns, and for each time that several
// are told or sent: nothing for each value.
TEST(allocations, there_are_none_for_each_value) {
    static_cast<void>(allocations(1'000, false));
    for (const bool in_one_go : {false, true}) {
        const std::size_t few = allocations(10'000, in_one_go);
        const std::size_t many = allocations(110'000, in_one_go);
        EXPECT_LT(many - std::min(few, many), 100'000U / 10) << few << " and " << many;
    }
}

}  // namespace batch_allocations
