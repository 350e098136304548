// The decisions of a client, which need no sockets, timers and random numbers of their own.
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <memory>
#include <vector>

#include "mxp/engine/balancer.hpp"
#include "mxp/engine/compiled.hpp"
#include "mxp/engine/endpoint.hpp"
#include "mxp/engine/lease.hpp"
#include "mxp/engine/line.hpp"
#include "mxp/engine/repeat.hpp"
#include "mxp/engine/retry.hpp"
#include "mxp/engine/roster.hpp"
#include "mxp/session.hpp"

namespace attempts {

namespace {

namespace engine = mxp::engine;
namespace registry = mxp::registry;
namespace session = mxp::session;
using namespace std::chrono_literals;
using std::chrono::microseconds;
using time_point = std::chrono::steady_clock::time_point;

constexpr time_point never = time_point::max();

double half() { return 0.5; }
double nearly() { return 0.999'999; }

engine::failure refusal(session::kind why) { return engine::failure_of(why); }

// [MXP-14.3]
TEST(endpoints, wait_longer_behind_each_attempt_that_fails) {
    engine::endpoint made{5ms, 1s, "here"};
    EXPECT_EQ(made.pause(nearly), 0ms);
    std::vector<std::int64_t> pauses;
    for (int i = 0; i < 10; ++i) {
        made.failed(engine::unavailable("no", "here"));
        pauses.push_back(std::chrono::floor<std::chrono::milliseconds>(made.pause(nearly)).count());
    }
    EXPECT_EQ(pauses, (std::vector<std::int64_t>{4, 9, 19, 39, 79, 159, 319, 639, 999, 999}));
}

// [MXP-14.3]
TEST(endpoints, wait_behind_a_connection_that_was_refused_soon) {
    const struct {
        session::kind why;
        std::chrono::microseconds lived;
        bool waits;
    } cases[] = {
        {session::kind::closed, 9'999us, true},
        {session::kind::closed, 10'000us, false},
        {session::kind::lost, 0us, false},
    };
    for (const auto& one : cases) {
        engine::endpoint made{5ms, 1s, "here"};
        EXPECT_TRUE(made.ready(time_point{1s}));
        EXPECT_FALSE(made.is_attempt(refusal(one.why), true, false));
        made.ended(refusal(one.why), time_point{1s} + one.lived, "here");
        EXPECT_EQ(made.pause(half) > 0us, one.waits) << one.lived.count();
        EXPECT_TRUE(made.may_heal());
    }
}

// [MXP-14.2]
TEST(endpoints, count_a_peer_that_lets_nobody_in_as_an_attempt) {
    engine::endpoint made{5ms, 1s, "here"};
    auto why = engine::failure{};
    why.status = session::status::PermissionDenied;
    made.failed(engine::unavailable("no", "here"));
    EXPECT_EQ(made.pause(half), 2'500us);
    EXPECT_TRUE(made.ready(time_point{1s}));
    EXPECT_TRUE(made.is_attempt(why, true, true));
    made.failed(why);
    EXPECT_EQ(made.pause(half), 5ms);
    EXPECT_FALSE(made.may_heal());
    // The log is told of the next one when it lets somebody in.
    EXPECT_FALSE(made.ready(time_point{2s}));
    EXPECT_TRUE(made.admitted());
    EXPECT_FALSE(made.admitted());
}

// [MXP-14.5]
TEST(outages, are_told_once) {
    engine::outage made;
    EXPECT_EQ(made.failed(engine::unavailable("")), engine::notice::lost);
    EXPECT_EQ(made.failed(engine::unavailable("")), engine::notice::known);
    EXPECT_EQ(made.failed(engine::unusable("")), engine::notice::final_failure);
    EXPECT_EQ(made.failed(engine::unavailable("")), engine::notice::known);
    made.connected();
    EXPECT_EQ(made.failed(engine::unavailable("")), engine::notice::known);
    EXPECT_EQ(made.failed(engine::unusable("")), engine::notice::final_failure);
}

// [MXP-14.6]
TEST(repetitions, are_for_what_nobody_has_acted_on) {
    using engine::again;
    EXPECT_EQ(engine::again_after(refusal(session::kind::draining), false), again::elsewhere);
    EXPECT_EQ(engine::again_after(refusal(session::kind::limit_in_flight), false), again::later);
    engine::failure lost = engine::unavailable("gone");
    EXPECT_EQ(engine::again_after(lost, true), again::elsewhere);
    EXPECT_EQ(engine::again_after(lost, false), again::never);
    lost.acted = true;
    EXPECT_EQ(engine::again_after(lost, true), again::never);
}

// [MXP-14.7]
TEST(repetitions, wait_for_a_place_until_the_deadline) {
    engine::repeats made;
    std::vector<std::int64_t> pauses;
    time_point now{};
    while (const auto pause = made.next(now, time_point{40ms}, 9s, half)) {
        pauses.push_back(pause->count());
        now += *pause;
    }
    EXPECT_EQ(pauses, (std::vector<std::int64_t>{500, 1'000, 2'000, 4'000, 8'000, 16'000}));
    engine::repeats patient;
    EXPECT_TRUE(patient.next(time_point{1s}, never, 1ms, half));
    EXPECT_FALSE(patient.next(time_point{1s} + 500us, never, 1ms, half));
}

// [MXP-14.8]
TEST(retries, have_a_budget) {
    engine::retry_policy policy;
    policy.attempts = std::numeric_limits<std::size_t>::max();
    policy.budget = 0.25;
    engine::retries made;
    const auto again = [&] {
        int n = 0;
        while (made.pause(policy, 1, true, engine::unavailable("", ""), {}, never, half)) {
            ++n;
        }
        return n;
    };
    EXPECT_EQ(again(), 0);  // it has found no connection
    const auto spend = [&] {
        int n = 0;
        while (made.spend()) {
            ++n;
        }
        return n;
    };
    EXPECT_EQ(spend(), 10);
    for (int i = 0; i < 7; ++i) {
        made.earn(policy);
    }
    EXPECT_EQ(spend(), 1);
}

// [MXP-14.11]
TEST(hedges, end_with_the_first_answer_and_with_the_last_failure) {
    engine::retry_policy policy;
    EXPECT_FALSE(engine::hedge_pause(policy, true, 1));
    policy.hedge = 1us;
    EXPECT_EQ(engine::hedge_pause(policy, true, 1), 1ms);
    EXPECT_FALSE(engine::hedge_pause(policy, false, 1));
    EXPECT_FALSE(engine::hedge_pause(policy, true, 3));

    engine::hedge made{1};
    made.add(2);
    EXPECT_FALSE(made.ends(1, engine::unavailable("")));
    EXPECT_TRUE(made.ends(2, std::nullopt));
    EXPECT_FALSE(made.ends(3, std::nullopt));
}

// [MXP-14.9]
TEST(connections, are_the_less_busy_of_two) {
    struct connection {
        std::size_t load;
        bool is_out = false;
        [[nodiscard]] std::size_t in_flight() const { return load; }
    };
    std::vector<connection> all{{3}, {1}, {2, true}};
    const auto chosen = [&] {
        return engine::least_busy<connection>(
            all.size(), half, [&](std::size_t i) { return &all[i]; },
            [](const connection& one) { return !one.is_out; });
    };
    EXPECT_EQ(chosen(), &all[1]);
    all[1].is_out = true;  // most are out, so that none is left out
    EXPECT_EQ(chosen(), &all[1]);
    all[0].load = 0;
    EXPECT_EQ(chosen(), &all[0]);
    all.clear();
    EXPECT_EQ(chosen(), nullptr);
}

TEST(connections, have_the_causes_of_all_addresses) {
    engine::causes all;
    const std::string here = "here";
    const std::string there = "there";
    all.add(here, engine::unusable("no", here));
    all.add(here, engine::unusable("no", here));
    all.add(there, engine::unavailable("gone", there));
    const engine::failure why = std::move(all).joint();
    EXPECT_EQ(why.text, "here: no; there: gone");
    EXPECT_TRUE(engine::may_heal(why) && why.peer.empty());
}

struct request {
    std::uint64_t ticket = 0;
    time_point until = never;
    time_point since{};
    session::value body{};
    [[nodiscard]] bool has_deadline() const { return until != never; }
    [[nodiscard]] std::size_t bytes() const { return 0; }
};

// [MXP-14.4]
TEST(lines, let_go_of_what_has_waited_too_long) {
    engine::line<request> made;
    EXPECT_EQ(made.due(false, {}, 10s), never);
    made.push_back(std::make_shared<request>(request{1, never, time_point{1s}}));
    made.push_back(std::make_shared<request>(request{2, time_point{5s}, time_point{2s}}));
    EXPECT_EQ(made.due(true, {}, 10s), time_point{5s});
    EXPECT_EQ(made.due(false, time_point{3s}, 1s), time_point{4s});
    EXPECT_EQ(made.take_late(time_point{4s}, true, {}, 1s), nullptr);
    // The connection was lost when the first waited already.
    EXPECT_EQ(made.take_late(time_point{3'999ms}, false, time_point{3s}, 1s), nullptr);
    EXPECT_EQ(made.take_late(time_point{5s}, true, {}, 10s)->ticket, 2U);
    EXPECT_EQ(made.take_late(time_point{4s}, false, time_point{3s}, 1s)->ticket, 1U);
    EXPECT_TRUE(made.empty());
}

// [MESH-3.2]
TEST(rosters, follow_the_agents_that_the_node_lists) {
    engine::roster<std::string> made{"mesh:///a"};
    std::vector<std::string> came;
    std::vector<std::string> gone;
    const auto list = [&](const std::map<std::string, std::vector<std::string>>& there,
                          std::uint64_t version) {
        return made.list(
            there, version, half,
            [&](const std::vector<std::string>& addresses) {
                came.push_back(addresses.front());
                return addresses.front();
            },
            [&](const std::string& links) { gone.push_back(links); });
    };
    EXPECT_TRUE(made.empty() && !made.is_hopeless());
    EXPECT_EQ(list({{"a", {"x"}}, {"b", {"y"}}}, 0), 1s);
    EXPECT_EQ(came.size(), 2U);
    // An agent whose addresses are others is another.
    EXPECT_LT(list({{"a", {"x"}}, {"b", {"z"}}}, 7), 1s);
    EXPECT_EQ(gone, (std::vector<std::string>{"y"}));
    EXPECT_EQ(came.back(), "z");
    EXPECT_EQ(list({}, 7), 1s);
    EXPECT_TRUE(made.empty());
    EXPECT_EQ(made.trouble().name, "agent_unknown");
    EXPECT_EQ(made.fail(engine::unavailable("gone")), 250ms);
    EXPECT_FALSE(made.is_hopeless());
    static_cast<void>(made.fail(engine::unusable("no node")));
    EXPECT_TRUE(made.is_hopeless());
}

// [MESH-3.4]
TEST(leases, are_renewed_three_times_in_their_time) {
    engine::lease made{{}};
    EXPECT_TRUE(made.connected());
    made.begin();
    registry::Lease given;
    given.lease = 9'000'000;
    given.epoch = 4;
    auto next = made.registered(given, time_point{1s});
    EXPECT_TRUE(next.is_told && !next.registers && next.pause == 3s);
    EXPECT_EQ(made.epoch(), 4U);
    EXPECT_EQ(made.left(time_point{4s}), 6s);
    next = made.renewed(nullptr, time_point{4s}, time_point{5s});
    EXPECT_TRUE(!next.is_told && !next.registers && next.pause == 3s);
    EXPECT_EQ(made.left(time_point{4s}), 9s);
    // A failure is none of the name's while its time is not over.
    const auto late = engine::unavailable("late");
    EXPECT_FALSE(made.renewed(&late, time_point{7s}, time_point{8s}).registers);
    next = made.renewed(&late, time_point{12s}, time_point{13s});
    EXPECT_TRUE(next.is_told && next.registers && next.pause == 0s);
    EXPECT_EQ(made.epoch(), 0U);
    EXPECT_EQ(made.registration().epoch, 4U);
    // The same loss is told once.
    made.begin();
    next = made.registered(mxp::unexpected_of<engine::failure>{late}, time_point{13s});
    EXPECT_TRUE(!next.is_told && next.registers && next.pause == 500ms);
}

TEST(leases, are_asked_for_anew_behind_an_answer_that_came_over_another_connection) {
    engine::lease made{{}};
    EXPECT_TRUE(made.connected());
    made.begin();
    EXPECT_FALSE(made.connected());
    const auto next = made.registered(registry::Lease{}, time_point{1s});
    EXPECT_TRUE(next.is_told && next.registers && next.pause == 0s);
}

}  // namespace

}  // namespace attempts
