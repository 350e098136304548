#include "sdp/time.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include "sdp/chrono.hpp"

using sdp::duration;
using sdp::error;
using sdp::kind;
using sdp::timestamp;

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

struct row {
    std::int64_t nanoseconds;
    const char* text;
};

}  // namespace

TEST(timestamp, is_written_in_the_canonical_form) {
    for (const row& of : {
             row{0, "1970-01-01T00:00:00Z"},
             row{-1, "1969-12-31T23:59:59.999999999Z"},
             row{1'795'231'560'500'000'000, "2026-11-21T03:26:00.5Z"},
             row{951'782'400'000'000'000, "2000-02-29T00:00:00Z"},
             row{4'107'542'399'000'000'010, "2100-02-28T23:59:59.00000001Z"},
             row{least, "1677-09-21T00:12:43.145224192Z"},
             row{most, "2262-04-11T23:47:16.854775807Z"},
         }) {
        EXPECT_EQ(to_string(timestamp{of.nanoseconds}), of.text);
        EXPECT_EQ(timestamp::parse(of.text).value(), timestamp{of.nanoseconds});
    }
}

TEST(timestamp, days_follow_each_other_without_gap) {
    std::int64_t year = 1677, month = 9, day = 21;
    for (std::int64_t days = -106'752; days <= 106'751; ++days) {
        const auto date = sdp::wire::time_text::day_after_epoch(days);
        ASSERT_EQ(date.year, year) << days;
        ASSERT_EQ(date.month, month) << days;
        ASSERT_EQ(date.day, day) << days;
        const bool leap = year % 4 == 0 && (year % 100 != 0 || year == 2000);
        const int lengths[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        if (++day > lengths[month - 1]) {
            day = 1;
            ++month;
        }
        if (month > 12) {
            month = 1;
            ++year;
        }
    }
    EXPECT_EQ(year, 2262);
    EXPECT_EQ(month, 4);
    EXPECT_EQ(day, 12);
}

TEST(timestamp, fraction_may_have_trailing_zeros) {
    const timestamp want{500'000'000};
    EXPECT_EQ(timestamp::parse("1970-01-01T00:00:00.5Z").value(), want);
    EXPECT_EQ(timestamp::parse("1970-01-01T00:00:00.500000000Z").value(), want);
    EXPECT_EQ(timestamp::parse("1970-01-01T00:00:00.0Z").value(), timestamp{0});
}

TEST(timestamp, any_other_text_is_refused) {
    for (const char* text : {
             "",
             "1970-01-01",
             "1970-01-01T00:00:00",
             "1970-01-01T00:00:00z",
             "1970-01-01t00:00:00Z",
             "1970-01-01 00:00:00Z",
             "1970-01-01T00:00:00+00:00",
             "1970-01-01T00:00:00.Z",
             "1970-01-01T00:00:00,5Z",
             "1970-01-01T00:00:00.+5Z",
             "1970-01-01T00:00:00.0000000001Z",
             "1970-01-01T24:00:00Z",
             "1970-01-01T23:60:00Z",
             "2016-12-31T23:59:60Z",
             "1970-13-01T00:00:00Z",
             "1970-00-01T00:00:00Z",
             "1970-01-00T00:00:00Z",
             "1970-04-31T00:00:00Z",
             "1970-02-29T00:00:00Z",
             "1900-02-29T00:00:00Z",
             "+970-01-01T00:00:00Z",
             "01970-01-01T00:00:00Z",
             "1970-1-01T00:00:00Z",
             "1970-01-01T00:00:0\u0663Z",
             "1677-09-21T00:12:43.145224191Z",
             "2262-04-11T23:47:16.854775808Z",
             "0000-01-01T00:00:00Z",
             "9999-12-31T23:59:59Z",
         }) {
        ASSERT_FALSE(timestamp::parse(text)) << text;
        EXPECT_EQ(timestamp::parse(text).error(), error{kind::value_invalid});
    }
}

TEST(duration, is_written_in_the_canonical_form) {
    for (const row& of : {
             row{0, "0s"},
             row{1, "0.000000001s"},
             row{-1'500'000'000, "-1.5s"},
             row{-1, "-0.000000001s"},
             row{3'600'000'000'000, "3600s"},
             row{least, "-9223372036.854775808s"},
             row{most, "9223372036.854775807s"},
         }) {
        EXPECT_EQ(to_string(duration{of.nanoseconds}), of.text);
        EXPECT_EQ(duration::parse(of.text).value(), duration{of.nanoseconds});
    }
    EXPECT_EQ(duration::parse("-0s").value(), duration{0});
    EXPECT_EQ(duration::parse("-0.0s").value(), duration{0});
    EXPECT_EQ(duration::parse("1.500000000s").value(), duration{1'500'000'000});
}

TEST(duration, any_other_text_is_refused) {
    for (const char* text : {
             "",
             "s",
             "-s",
             "1",
             "1S",
             "1 s",
             "+1s",
             "--1s",
             "01s",
             "00s",
             ".5s",
             "1.s",
             "1.-5s",
             "1e3s",
             "1.0000000001s",
             "1.5.5s",
             "9223372036.854775808s",
             "-9223372036.854775809s",
             "99999999999999999999999999999999999999999999999999s",
         }) {
        ASSERT_FALSE(duration::parse(text)) << text;
        EXPECT_EQ(duration::parse(text).error(), error{kind::value_invalid});
    }
}

TEST(duration, is_ordered) {
    EXPECT_LT(duration{-1}, duration{0});
    EXPECT_GT(timestamp{1}, timestamp{0});
    EXPECT_LE(timestamp{1}, timestamp{1});
    EXPECT_GE(duration{1}, duration{1});
    EXPECT_NE(duration{1}, duration{2});
}

TEST(chrono, durations_go_in_and_out) {
    using std::chrono::milliseconds;
    using std::chrono::nanoseconds;
    using std::chrono::seconds;
    EXPECT_EQ(sdp::to_chrono(duration{-5}), nanoseconds{-5});
    EXPECT_EQ(sdp::to_duration(milliseconds{-1500}).value(), duration{-1'500'000'000});
    EXPECT_EQ(sdp::to_duration(nanoseconds{least}).value(), duration{least});
    EXPECT_EQ(sdp::to_duration(seconds{9'223'372'036}).value(),
              duration{9'223'372'036'000'000'000});
    EXPECT_EQ(sdp::to_duration(std::chrono::duration<std::uint8_t>{200}).value(),
              duration{200'000'000'000});
}

TEST(chrono, durations_that_are_too_long_are_refused) {
    for (const std::int64_t n :
         {std::int64_t{9'223'372'037}, std::int64_t{-9'223'372'037}, most, least}) {
        EXPECT_EQ(sdp::to_duration(std::chrono::duration<std::int64_t>{n}).error(),
                  error{kind::value_invalid});
    }
    const std::chrono::duration<std::uint64_t, std::nano> wide{std::uint64_t{1} << 63};
    EXPECT_FALSE(sdp::to_duration(wide));
    EXPECT_EQ(sdp::to_duration(wide - decltype(wide){1}).value(), duration{most});
}

TEST(chrono, timestamps_convert_to_the_systems_time_and_back) {
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-100}, least, most}) {
        EXPECT_EQ(sdp::to_timestamp(sdp::to_chrono(timestamp{n})).value(), timestamp{n});
    }
    const std::chrono::time_point<std::chrono::system_clock, std::chrono::seconds> late{
        std::chrono::seconds{10'000'000'000}};
    EXPECT_EQ(sdp::to_timestamp(late).error(), error{kind::value_invalid});
}
