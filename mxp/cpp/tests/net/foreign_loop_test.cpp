// Clients in event loops that are not Asio's.
#include "mxp/agents.hpp"
#include "mxp/net/foreign_loop.hpp"
#include "running.hpp"

namespace net = mxp::net;
using mxp::registry::Lease;
using namespace std::chrono_literals;

namespace foreign {

namespace {

constexpr net::method twice{"demo.Twice", 1, "twice"};
constexpr net::method count{"demo.Twice", 2, "count"};

struct doubles {
    void twice(const net::request&, Lease value, net::replier<Lease> to) {
        to.respond({2 * value.lease});
    }
    void count(const net::request&, Lease most, net::sender<Lease> to) {
        to.send_all([next = std::uint64_t{0}, most = most.lease]() mutable {
            return next < most ? std::optional{Lease{next++}} : std::nullopt;
        });
    }
};

net::services doubling() {
    net::services all;
    const auto by = std::make_shared<doubles>();
    all.service("demo.Twice")
        .call(1, net::handler_of(by, &doubles::twice))
        .stream(2, net::handler_of(by, &doubles::count));
    return all;
}

/// Waits as another library's loop does. Tells whether functions wait.
bool is_signalled(const net::foreign_loop& loop, std::chrono::milliseconds most) {
#if defined(_WIN32)
    return ::WaitForSingleObject(loop.descriptor(), static_cast<DWORD>(most.count())) ==
           WAIT_OBJECT_0;
#else
    return net::detail::wait_for(loop.descriptor(), true, false, most).is_there;
#endif
}

/// Waits until something holds; false if that takes too long.
template <class Holds>
bool run(net::foreign_loop& loop, Holds holds) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!holds()) {
        if (is_signalled(loop, 1s)) {
            loop.dispatch();
        }
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
    }
    return true;
}

TEST(foreign_loop, is_told_on_its_own_thread) {
    running::folder folder;
    net::foreign_loop loop;
    net::server server{loop.context(), doubling()};
    const auto at = server.listen(folder.at("s")).value();
    net::client client{loop.context(), at};
    const auto me = std::this_thread::get_id();
    std::vector<std::uint64_t> answers;
    for (std::uint64_t i = 0; i < 100; ++i) {
        net::call<Lease>(client, twice, Lease{i}, loop.here([&](const net::outcome<Lease>& came) {
            EXPECT_EQ(std::this_thread::get_id(), me);
            answers.push_back(came.value().lease);
        }),
                         {});
    }
    const auto values = net::open_server_stream<Lease>(client, count, Lease{1000}, {});
    std::uint64_t sum = 0;
    std::optional<std::string> end;
    values.on_value(loop.here([&](const Lease& one) { sum += one.lease; }));
    values.on_end(
        loop.here([&](const net::failure* why) { end = why == nullptr ? "fine" : why->name; }));
    ASSERT_TRUE(run(loop, [&] { return answers.size() == 100 && end.has_value(); }));
    for (std::uint64_t i = 0; i < 100; ++i) {
        EXPECT_EQ(answers[i], 2 * i);
    }
    EXPECT_EQ(end, "fine");
    EXPECT_EQ(sum, 999U * 1000 / 2);
    EXPECT_FALSE(is_signalled(loop, 0ms)) << "nothing waits any more";
}

TEST(foreign_loop, that_is_gone_calls_nothing) {
    bool is_called = false;
    {
        net::foreign_loop loop;
        loop.post([&] { is_called = true; });
    }
    EXPECT_FALSE(is_called);
}

TEST(foreign_loop, keeps_what_follows_a_function_that_throws) {
    net::foreign_loop loop;
    int called = 0;
    loop.post([] { throw 7; });
    loop.post([&] {
        ++called;
        loop.post([&] { ++called; });
    });
    EXPECT_THROW(loop.dispatch(), int);
    EXPECT_EQ(called, 0);
    EXPECT_TRUE(run(loop, [&] { return called == 2; }));
}

// Without a thread: a timer of the loop has the context do what it can.
TEST(foreign_loop, can_be_a_timer_that_polls_the_context) {
    running::folder folder;
    asio::io_context context{1};
    net::server server{context, doubling()};
    const auto at = server.listen(folder.at("s")).value();
    net::client client{context, at};
    std::uint64_t answer = 0;
    net::call<Lease>(client, twice, Lease{21},
                     [&](const net::outcome<Lease>& came) { answer = came.value().lease; }, {});
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (answer == 0 && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(1ms);  // the timer
        context.poll();
    }
    EXPECT_EQ(answer, 42U);
}

}  // namespace

}  // namespace foreign
