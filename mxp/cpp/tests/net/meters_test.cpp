// The counters of requests by their methods.
#include "mxp/net/meters.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <new>
#include <thread>

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t n) {
    ++allocations;
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

namespace {

namespace ms = mxp::session;
using mxp::net::detail::meters;
using mxp::net::detail::request_meter;
using std::chrono::microseconds;

const request_meter::clock::time_point start{};

void count(const std::shared_ptr<meters>& by, std::string_view service, std::uint16_t number,
           ms::side side = ms::side::client, ms::status how = ms::status::Ok) {
    meters::begin(by, {side, service, number}, {}, start).end(how, start + microseconds{3});
}

std::vector<ms::method_statistics> counts(const std::shared_ptr<meters>& of) {
    ms::statistics made;
    of->add_to(made);
    return made.methods;
}

// The file has the text that all languages make of the same counters.
TEST(meters, have_one_text) {
    ms::method_statistics find;
    find.service = "demo.Shop";
    find.method = "find";
    find.ended[ms::method_statistics::place(ms::status::Ok)] = 4;
    find.ended[ms::method_statistics::place(ms::status::NotFound)] = 1;
    for (const std::uint64_t took : {1U, 2U, 3U, 700U, (1U << 25U) + 1U}) {
        find.took.add(took);
    }
    find.in_flight = 2;
    ms::method_statistics odd;
    odd.side = ms::side::server;
    odd.service = "a\"b\\c\nd";
    odd.method = "9";
    odd.ended[ms::method_statistics::place(ms::status::Unauthenticated)] = 2;
    odd.ended[ms::method_statistics::place(static_cast<ms::status>(99))] = 1;
    odd.took.add(0, 3, 0);
    ms::method_statistics rest;
    rest.side = ms::side::server;
    rest.in_flight = 5;
    ms::statistics all;
    ms::statistics more;
    all.methods = {find};
    more.methods = {rest, odd};
    all.add(more);
    const std::string here{__FILE__};
    std::ifstream file{here.substr(0, here.rfind('/')) + "/../../../testdata/metrics.txt"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    EXPECT_EQ(all.prometheus(), text);
}

TEST(meters, of_the_same_methods_are_added) {
    const auto by = std::make_shared<meters>();
    count(by, "a.B", 1, ms::side::client, ms::status::NotFound);
    const request_meter waits = meters::begin(by, {ms::side::client, "a.B", 1}, {}, start);
    count(by, "a.C", 1);
    ms::statistics all;
    by->add_to(all);
    by->add_to(all);
    ASSERT_EQ(all.methods.size(), 2U);
    EXPECT_EQ(all.methods[0].requests(ms::status::NotFound), 2U);
    EXPECT_EQ(all.methods[0].requests(ms::status::Ok), 0U);
    EXPECT_EQ(all.methods[0].in_flight, 2U);
    EXPECT_EQ(all.methods[0].took.sum(), 6U);
    EXPECT_EQ(all.methods[0].took.bucket(2), 2U);
    EXPECT_EQ(all.methods[1].requests(ms::status::Ok), 2U);
}

TEST(meters, count_what_is_dropped_as_cancelled) {
    const auto by = std::make_shared<meters>();
    {
        request_meter dropped = meters::begin(by, {ms::side::client, "a.B", 1}, "find", start);
        request_meter moved = std::move(dropped);
        EXPECT_TRUE(moved.is_in_flight());
        moved.end(ms::status::Ok, start);
        moved.end(ms::status::Internal, start);
        moved = meters::begin(by, {ms::side::client, "a.B", 1}, "find", start);
    }
    const auto made = counts(by);
    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made[0].method, "find");
    EXPECT_EQ(made[0].requests(ms::status::Ok), 1U);
    EXPECT_EQ(made[0].requests(ms::status::Cancelled), 1U);
    EXPECT_EQ(made[0].took.count(), 2U);
    EXPECT_EQ(made[0].in_flight, 0U);
}

TEST(meters, beyond_the_bound_are_counted_together) {
    const auto by = std::make_shared<meters>();
    for (int round = 0; round < 2; ++round) {
        for (std::uint16_t n = 0; n < 1100; ++n) {
            count(by, n % 2 == 0 ? "t.Even" : "t.Odd", n, ms::side::server, ms::status::Unknown);
        }
    }
    const request_meter asked = meters::begin(by, {ms::side::client, "t.Even", 7}, {}, start);
    const auto made = counts(by);
    ASSERT_EQ(made.size(), 1026U);
    EXPECT_EQ(made[0].side, ms::side::client);
    EXPECT_EQ(made[0].service + made[0].method, "");
    EXPECT_EQ(made[0].in_flight, 1U);
    EXPECT_EQ(made[1].side, ms::side::server);
    EXPECT_EQ(made[1].service + made[1].method, "");
    EXPECT_EQ(made[1].requests(ms::status::Unknown), 2U * 76U);
    EXPECT_EQ(made[2].service + made[2].method, "t.Even0");
    EXPECT_EQ(made[2].requests(ms::status::Unknown), 2U);
}

TEST(meters, allocate_only_for_the_first_request_of_a_method) {
    const auto by = std::make_shared<meters>();
    const std::string service{"demo.AServiceWhoseNameIsLongerThanAShortString"};
    const auto round = [&] {
        for (std::uint16_t n = 0; n < 1100; ++n) {
            count(by, service, n);
        }
    };
    round();
    const std::size_t before = allocations;
    round();
    EXPECT_EQ(allocations - before, 0U);
}

TEST(meters, count_for_several_threads) {
    const auto by = std::make_shared<meters>();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([by] {
            for (std::uint16_t n = 0; n < 4000; ++n) {
                count(by, "t.Many", n % 400);
            }
        });
    }
    for (auto& one : threads) {
        static_cast<void>(counts(by));
        one.join();
    }
    const auto made = counts(by);
    EXPECT_EQ(made.size(), 400U);
    for (const auto& one : made) {
        EXPECT_EQ(one.requests(ms::status::Ok), 40U);
        EXPECT_EQ(one.in_flight, 0U);
    }
}

// Ends requests on a thread, each with a status of a row, and shows what a reader sees meanwhile.
template <class Look>
void views(const std::vector<ms::status>& row, Look look) {
    const auto by = std::make_shared<meters>();
    std::atomic<bool> is_done{false};
    std::thread ends{[&] {
        for (std::size_t n = 0; n < 200'000; ++n) {
            count(by, "t.Busy", 1, ms::side::client, row[n % row.size()]);
        }
        is_done = true;
    }};
    for (bool is_last = false; !is_last;) {
        is_last = is_done;
        for (const auto& one : counts(by)) {
            look(one);
        }
    }
    ends.join();
}

TEST(meters, show_no_failure_as_success) {
    std::uint64_t wrong = 0;
    std::uint64_t last = 0;
    views({ms::status::Cancelled}, [&](const ms::method_statistics& method) {
        last = method.took.count();
        wrong += method.requests(ms::status::Ok);
        wrong += method.requests(ms::status::Cancelled) < last ? 1U : 0U;
    });
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(last, 200'000U);
}

TEST(meters, have_no_count_of_successes_that_falls) {
    std::uint64_t falls = 0;
    std::uint64_t last = 0;
    std::vector<ms::status> row(8, ms::status::NotFound);
    row[0] = ms::status::Ok;
    views(row, [&](const ms::method_statistics& method) {
        falls += method.requests(ms::status::Ok) < last ? 1U : 0U;
        last = method.requests(ms::status::Ok);
    });
    EXPECT_EQ(falls, 0U);
    EXPECT_EQ(last, 25'000U);
}

}  // namespace
