// The requests of a client that wait in line.
#include <algorithm>
#include <random>

#include "running.hpp"

namespace in_line {

namespace {

using mxp::session::kind;
using mxp::session::status;
using running::until;
namespace net = mxp::net;
using namespace std::chrono_literals;

constexpr std::size_t many = 2000;

/// A client that may have one request in flight, which its server keeps.
class waiting : public testing::Test {
   protected:
    waiting() : server{context, running::echo(seen)} {
        net::client_options with;
        with.limits.in_flight = 1;
        client.emplace(context, server.listen(folder.at("s")).value(), with);
        ends.resize(many);
        tickets.resize(many);
    }
    void occupy() {
        client->call("demo.Echo", 5, std::string_view{}, {}, [](const net::answer&) {});
        ASSERT_TRUE(until(context, [&] { return seen->held.size() == 1; }));
    }
    /// Makes so many calls; the n-th has a deadline, unless that is 0.
    template <class Deadline>
    void ask(Deadline deadline) {
        for (std::size_t n = 0; n < many; ++n) {
            net::call_options with;
            with.deadline = deadline(n);
            tickets[n] = client->call("demo.Echo", 1, std::string_view{"x"}, with,
                                      [this, n](const net::answer& came) {
                                          EXPECT_EQ(ends[n], "");
                                          ends[n] = came.failed ? came.failed->name : "answered";
                                          order.push_back(n);
                                      });
        }
    }
    [[nodiscard]] bool have_ended(std::size_t n) {
        return until(context, [&] { return order.size() >= n; });
    }
    [[nodiscard]] std::size_t count(std::string_view end) const {
        return static_cast<std::size_t>(std::count(ends.begin(), ends.end(), end));
    }

    running::folder folder;
    asio::io_context context{1};
    std::shared_ptr<running::seen> seen = std::make_shared<running::seen>();
    net::server server;
    std::optional<net::client> client;
    std::vector<std::string> ends;
    std::vector<std::uint64_t> tickets;
    std::vector<std::size_t> order;
};

TEST_F(waiting, ends_with_its_deadline_in_whatever_order_they_are) {
    occupy();
    std::vector<std::chrono::microseconds> deadlines;
    for (std::size_t n = 0; n < many; ++n) {
        deadlines.emplace_back(20'000 + 10 * static_cast<std::int64_t>(n));
    }
    std::shuffle(deadlines.begin(), deadlines.end(), std::minstd_rand{7});
    ask([&](std::size_t n) { return deadlines[n]; });
    ASSERT_TRUE(have_ended(many));
    EXPECT_EQ(count(to_string(kind::deadline_exceeded)), many);
}

TEST_F(waiting, goes_on_in_its_order_but_for_what_is_late_or_taken_back) {
    occupy();
    ask([](std::size_t n) { return n % 3 == 0 ? 1ms : 0ms; });
    for (std::size_t n = 1; n < many; n += 3) {
        client->cancel(tickets[n]);
    }
    const std::size_t late = (many + 2) / 3;
    const std::size_t cancelled = (many + 1) / 3;
    ASSERT_TRUE(have_ended(late + cancelled));
    EXPECT_EQ(count(to_string(kind::deadline_exceeded)), late);
    EXPECT_EQ(count(to_string(kind::cancelled)), cancelled);
    order.clear();
    seen->held.at(0).respond(std::string_view{});
    ASSERT_TRUE(have_ended(many - late - cancelled));
    EXPECT_EQ(count("answered"), many - late - cancelled);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(waiting, ends_when_there_is_no_connection_for_too_long) {
    net::client_options with;
    with.connect_timeout = 30ms;
    client.emplace(context, folder.at("nobody"), with);
    ask([](std::size_t n) { return n % 2 == 0 ? 0ms : 1ms; });
    ASSERT_TRUE(have_ended(many));
    EXPECT_EQ(count(to_string(kind::not_connected)), many);
}

}  // namespace

}  // namespace in_line
