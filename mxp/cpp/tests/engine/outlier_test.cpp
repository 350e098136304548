// Connections that are left out since requests fail on them. [MXP-14.10]
#include "mxp/engine/outlier.hpp"

#include <gtest/gtest.h>

namespace outliers {

namespace {

namespace session = mxp::session;
using mxp::session::status;
using namespace std::chrono_literals;

std::chrono::steady_clock::time_point epoch() { return {}; }

TEST(outliers, are_those_on_which_failures_that_speak_of_the_peer_follow_each_other) {
    const struct {
        status why;
        bool has_acted;
        bool is_out;
    } cases[] = {
        {status::Unknown, false, true},
        {status::Internal, true, true},
        {status::Unavailable, false, true},
        {status::DataLoss, false, true},
        {status::DeadlineExceeded, true, true},
        {status::DeadlineExceeded, false, false},
        {status::Cancelled, true, false},
        {status::NotFound, true, false},
        {status::ResourceExhausted, false, false},
    };
    for (const auto& one : cases) {
        mxp::engine::outlier made{session::role::opener};
        for (int i = 0; i < 5; ++i) {
            EXPECT_FALSE(made.is_left_out(epoch));
            made.failed(one.why, one.has_acted, epoch());
        }
        EXPECT_EQ(made.is_left_out(epoch), one.is_out) << static_cast<int>(one.why);
    }
}

TEST(outliers, are_none_where_a_request_ends_well_between) {
    mxp::engine::outlier made{session::role::opener};
    const auto fail = [&](int times) {
        for (int i = 0; i < times; ++i) {
            made.failed(status::Unavailable, false, epoch());
        }
    };
    fail(4);
    made.note(session::in::finished{2}, epoch());  // a stream that the peer has opened says nothing
    fail(1);
    EXPECT_TRUE(made.is_left_out(epoch));

    mxp::engine::outlier other{session::role::opener};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 4; ++k) {
            other.failed(status::Unavailable, false, epoch());
        }
        other.note(session::in::finished{1}, epoch());
    }
    EXPECT_FALSE(other.is_left_out(epoch));
    const auto seconds = [](std::size_t times) { return mxp::engine::outlier::pause(times) / 1s; };
    EXPECT_EQ(seconds(0), 1);
    EXPECT_EQ(seconds(4), 16);
    EXPECT_EQ(seconds(5), 30);
    EXPECT_EQ(seconds(std::size_t{1} << 40U), 30);
}

}  // namespace

}  // namespace outliers
