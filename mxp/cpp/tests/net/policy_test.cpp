// Connections that are left out, calls on several, and the deadlines of policies [MXP-14.10]
// [MXP-14.11].
#include "running.hpp"

using running::text_of;
using running::until;
namespace net = mxp::net;
namespace session = mxp::session;
using namespace std::chrono_literals;
using mxp::session::status;

namespace policy {

namespace {

constexpr net::method who{"demo.Who", 1, "who", true};
constexpr net::method once{"demo.Who", 1, "who"};

/// One of several servers of the same: it answers, fails, or never answers.
struct replica {
    status fails = status::Ok;
    bool waits = false;
    int calls = 0;
    int cancelled = 0;
    std::uint64_t deadline = 0;
    std::vector<net::responder> held;
    std::unique_ptr<net::server> server;
};

class replicas : public testing::Test {
   protected:
    void serve(int n, net::client_options how = {}) {
        std::vector<std::string> addresses;
        all.resize(static_cast<std::size_t>(n));
        for (replica& one : all) {
            net::services served;
            served.service("demo.Who")
                .call(1, [&one](const net::request& asked, const net::responder& to) {
                    ++one.calls;
                    one.deadline = asked.deadline;
                    if (one.waits) {
                        to.on_cancel([&one] { ++one.cancelled; });
                        one.held.push_back(to);
                    } else if (one.fails != status::Ok) {
                        net::failure why;
                        why.status = one.fails;
                        why.name = "sick";
                        to.fail(why);
                    } else {
                        to.respond(asked.value);
                    }
                });
            one.server = std::make_unique<net::server>(context, std::move(served));
            addresses.push_back(folder.at(std::to_string(&one - all.data())));
            ASSERT_TRUE(one.server->listen(addresses.back()));
        }
        client.emplace(context, addresses, std::move(how));
        ASSERT_TRUE(until(context, [&] {
            call(once);
            return std::all_of(all.begin(), all.end(), [](auto& one) { return one.calls > 0; });
        }));
        for (replica& one : all) {
            one.calls = 0;
        }
    }
    status call(const net::method& of, const net::call_options& how = {}) {
        std::optional<status> came;
        client->call(of, std::string_view{"x"}, how, [&](const net::answer& told) {
            came = told.failed ? told.failed->status : status::Ok;
        });
        EXPECT_TRUE(until(context, [&] { return came.has_value(); }));
        return came.value_or(status::Unknown);
    }
    int failures(int calls) {
        int failed = 0;
        for (int i = 0; i < calls; ++i) {
            failed += call(once) == status::Ok ? 0 : 1;
        }
        return failed;
    }

    running::folder folder;
    asio::io_context context{1};
    std::vector<replica> all;
    std::optional<net::client> client;
};

TEST_F(replicas, that_fail_are_left_out_for_a_while_unless_most_do) {
    serve(3);
    all[0].fails = status::Unavailable;
    const int failed = failures(200);
    EXPECT_GE(failed, 5);
    EXPECT_LE(failed, 10);
    EXPECT_GT(client->stats().outliers, 0U);
    all[0].fails = status::Ok;
    const int before = all[0].calls;
    EXPECT_TRUE(until(context, [&] {
        EXPECT_EQ(call(once), status::Ok);
        return all[0].calls > before;
    }));
    all[1].fails = all[2].fails = status::Internal;
    EXPECT_GT(failures(200), 30);
}

TEST_F(replicas, that_fail_are_asked_by_choice) {
    net::client_options how;
    how.keep_outliers = true;
    serve(2, how);
    all[0].fails = status::Unavailable;
    EXPECT_GT(failures(200), 30);
}

TEST_F(replicas, slow_calls_are_made_on_another_connection_too) {
    net::client_options how;
    how.keep_outliers = true;
    how.retry.emplace();
    how.retry->hedge = 20ms;
    how.retry->budget = 1;
    serve(2, how);
    all[0].waits = true;
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(call(who), status::Ok);
    }
    EXPECT_TRUE(until(context, [&] { return all[0].cancelled == all[0].calls; }));
    const int asked = all[0].calls;
    EXPECT_GT(asked, 0);
    EXPECT_EQ(all[1].calls, 20);
    EXPECT_EQ(client->stats().retries, static_cast<std::uint64_t>(asked));

    // There are no connections beside these two.
    all[1].waits = true;
    net::call_options short_one;
    short_one.retry = how.retry;
    short_one.retry->hedge = 5ms;
    short_one.retry->timeout = 60ms;
    short_one.retry->attempts = 10;
    EXPECT_EQ(call(who, short_one), status::DeadlineExceeded);
    EXPECT_EQ(all[0].calls + all[1].calls, asked + 22);

    // A call that is not idempotent is made once.
    const auto retries = client->stats().retries;
    EXPECT_EQ(call(once, short_one), status::DeadlineExceeded);
    EXPECT_EQ(client->stats().retries, retries);
}

TEST_F(replicas, others_go_on_where_one_fails_and_all_are_cancelled_together) {
    net::client_options how;
    how.keep_outliers = true;
    how.retry.emplace();
    how.retry->hedge = 5ms;
    how.retry->attempts = 2;
    how.retry->budget = 1;
    serve(2, how);
    // The first that is asked waits, the other fails: the call goes on, and ends with its answer.
    all[0].waits = all[1].waits = true;
    std::optional<status> came;
    const auto ask = [&] {
        came.reset();
        return client->call(who, std::string_view{"x"}, {}, [&](const net::answer& told) {
            came = told.failed ? told.failed->status : status::Ok;
        });
    };
    ask();
    ASSERT_TRUE(until(context, [&] { return all[0].calls == 1 && all[1].calls == 1; }));
    net::failure busy;
    busy.status = status::Unavailable;
    all[0].held[0].fail(busy);
    ASSERT_TRUE(until(context, [&] { return client->stats().in_flight_here == 1; }));
    EXPECT_FALSE(came);
    all[1].held[0].respond(std::string_view{"y"});
    ASSERT_TRUE(until(context, [&] { return came.has_value(); }));
    EXPECT_EQ(came, status::Ok);

    // When both have failed, the failure is the call's.
    ask();
    ASSERT_TRUE(until(context, [&] { return all[0].calls == 2 && all[1].calls == 2; }));
    all[0].held[1].fail(busy);
    all[1].held[1].fail(busy);
    ASSERT_TRUE(until(context, [&] { return came.has_value(); }));
    EXPECT_EQ(came, status::Unavailable);

    // A cancelled call cancels its remaining attempts, if its own has failed.
    const auto ticket = ask();
    ASSERT_TRUE(until(context, [&] { return all[0].calls == 3 && all[1].calls == 3; }));
    all[0].held[2].fail(busy);
    ASSERT_TRUE(until(context, [&] { return client->stats().in_flight_here == 1; }));
    client->cancel(ticket);
    ASSERT_TRUE(until(context, [&] { return came.has_value(); }));
    EXPECT_EQ(came, status::Cancelled);
    EXPECT_TRUE(until(context, [&] { return client->stats().in_flight_here == 0; }));
}

TEST_F(replicas, calls_without_a_deadline_have_that_of_their_policy) {
    net::client_options how;
    how.retry.emplace();
    how.retry->timeout = 50ms;
    serve(1, how);
    EXPECT_EQ(call(who), status::Ok);
    EXPECT_GT(all[0].deadline, 0U);
    EXPECT_LE(all[0].deadline, 50'000U);
    net::call_options longer;
    longer.deadline = 60s;
    EXPECT_EQ(call(who, longer), status::Ok);
    EXPECT_GT(all[0].deadline, 1'000'000U);
    all[0].waits = true;
    EXPECT_EQ(call(who), status::DeadlineExceeded);
}

}  // namespace

}  // namespace policy
