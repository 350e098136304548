#include <gtest/gtest.h>

#include <algorithm>

#include "agree.hpp"

namespace {

using sample::bytes;

/// Damages every byte and compares what is said with the table. Damages without a line in the table
/// are accepted.
template <class Damage>
void compare(std::string_view damage, Damage damaged) {
    const auto lines = sample::table_lines(damage);
    ASSERT_GT(lines.size(), 100U);
    const std::size_t n = sample::table_bytes().size();
    for (std::size_t i = 0; i < n; ++i) {
        const auto line = std::find_if(lines.begin(), lines.end(), [&](const sample::line& one) {
            return one.first <= i && i <= one.last;
        });
        const auto value = sample::agree<sample::everything_forms>(damaged(i));
        if (line == lines.end()) {
            EXPECT_TRUE(value) << damage << " at " << i << ": " << value.error().message();
        } else if (value) {
            ADD_FAILURE() << damage << " at " << i << " is accepted";
        } else {
            EXPECT_EQ(sample::told(value.error()), line->says) << damage << " at " << i;
        }
    }
}

void compare_flips(std::string_view damage, std::byte mask) {
    const bytes whole = sample::table_bytes();
    compare(damage, [&](std::size_t i) {
        bytes damaged = whole;
        damaged[i] ^= mask;
        return damaged;
    });
}

/// A tree of so many levels.
bytes nested(std::size_t levels) {
    bytes tree;
    for (std::size_t i = 0; i < levels; ++i) {
        const bytes count = sample::from({i + 1 < levels ? 1U : 0U, 0, 0, 0});
        tree.insert(tree.end(), count.begin(), count.end());
    }
    return tree;
}

}  // namespace

TEST(Damage, EveryTruncationIsRefusedAsTheSpecificationSays) {
    const bytes whole = sample::table_bytes();
    compare("cut", [&](std::size_t n) {
        return bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    });
}

TEST(Damage, EveryFlippedByteIsReadAsTheSpecificationSays) {
    compare_flips("xor 01", std::byte{0x01});
    compare_flips("xor 80", std::byte{0x80});
    compare_flips("xor ff", std::byte{0xff});
}

TEST(Damage, DepthIsBoundedAtTheLimit) {
    const auto deepest = sdp::decode<shapes::Tree>(nested(64));
    ASSERT_TRUE(deepest);
    EXPECT_TRUE(sdp::encode(*deepest).value() == nested(64));
    const auto deeper = sdp::decode<shapes::Tree>(nested(65));
    ASSERT_FALSE(deeper);
    EXPECT_EQ(deeper.error().kind, sdp::kind::limit_depth);
    const auto view = sdp::decode<shapes::TreeView>(nested(1000000));
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error(), sdp::decode<shapes::pmr::Tree>(nested(1000000)).error());
}

TEST(Damage, CountsThatPromiseTooMuchAreRefusedBeforeMemoryIsAskedFor) {
    const bytes huge = sample::from({0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0});
    for (const auto& refused :
         {sdp::decode<shapes::Log>(huge).error(), sdp::decode<shapes::LogView>(huge).error()}) {
        EXPECT_EQ(refused, (sdp::error{sdp::kind::count_exceeds_input, 0, "events"}));
    }
}

TEST(Damage, LimitsAllowExactlyTheirNumber) {
    const bytes log = sample::from({2, 0, 0, 0, 3, 0, 0, 0, 0, 3, 0, 0, 0, 0});
    sdp::decode_options options;
    options.limits.elements = 2;
    options.limits.depth = 2;
    options.limits.message_bytes = log.size();
    EXPECT_TRUE(sample::agree<sample::log_forms>(log, options));
    options.limits.elements = 1;
    EXPECT_EQ(sample::agree<sample::log_forms>(log, options).error(),
              (sdp::error{sdp::kind::limit_elements, 0, "events"}));
    options.limits = {};
    options.limits.depth = 1;
    EXPECT_EQ(sample::agree<sample::log_forms>(log, options).error(),
              (sdp::error{sdp::kind::limit_depth, 4, "events[0]"}));
    options.limits = {};
    options.limits.message_bytes = log.size() - 1;
    EXPECT_EQ(sample::agree<sample::log_forms>(log, options).error(),
              (sdp::error{sdp::kind::limit_message_bytes, 0, {}}));
}

TEST(Damage, WhatCannotBeEncodedIsNamed) {
    shapes::Everything v = sample::everything();
    v.events[2].value = std::monostate{};
    EXPECT_EQ(sdp::encode(v).error(), (sdp::error{sdp::kind::value_invalid, {}, "events[2]"}));
    v = sample::everything();
    v.modes[1] = static_cast<shapes::Mode>(9);
    EXPECT_EQ(sdp::encode(v).error(), (sdp::error{sdp::kind::value_invalid, {}, "modes[1]"}));
    v = sample::everything();
    v.bounded = "fives";
    EXPECT_EQ(sdp::encode(v).error(), (sdp::error{sdp::kind::limit_max, {}, "bounded"}));
    v = sample::everything();
    v.short_.assign(256, 'x');
    EXPECT_EQ(sdp::encode(v).error(), (sdp::error{sdp::kind::value_too_large, {}, "short"}));
    v = sample::everything();
    v.event.value = sdp::unknown{3, {}};  // a tag that has a name
    EXPECT_EQ(sdp::encode_message(v).error(), (sdp::error{sdp::kind::value_invalid, {}, "event"}));
}

TEST(Damage, WhatWasMovedAwayIsANewValue) {
    shapes::Everything v = sample::everything();
    const auto moved = std::move(v.wide);
    EXPECT_EQ(moved->size(), 300U);
    const auto back = sdp::decode<shapes::Everything>(sdp::encode(v).value());
    ASSERT_TRUE(back);
    EXPECT_TRUE(back->wide == decltype(v.wide)());
}

TEST(Damage, AppendingLeavesBytesAsTheyWereIfItFails) {
    shapes::Everything v = sample::everything();
    v.maybe_event.emplace();
    std::string text = "before";
    EXPECT_FALSE(sdp::append(v, text));
    EXPECT_FALSE(sdp::append_message(v, text));
    EXPECT_EQ(text, "before");
}

TEST(Damage, ValidatingNamesStringsThatAreNotUtf8) {
    shapes::Everything v = sample::everything();
    EXPECT_TRUE(sdp::validate(v));
    v.by_number[0] = "\xff";
    EXPECT_EQ(sdp::validate(v).error(),
              (sdp::error{sdp::kind::utf8_invalid, {}, "by_number[1].value"}));
}

TEST(Damage, ExactDecodingRefusesWhatWouldNotComeBack) {
    const bytes first = sample::from({1});
    EXPECT_TRUE(sdp::decode<shapes::Kept>(first));
    EXPECT_EQ(sdp::decode_exact<shapes::Kept>(first).error().kind, sdp::kind::segment_partial);
    const bytes both = sample::from({1, 2, 0});
    EXPECT_TRUE(sdp::decode_exact<shapes::Kept>(both));
    const bytes more = sample::from({1, 2, 0, 9});
    EXPECT_EQ(sdp::decode_exact<shapes::KeptView>(more).error().kind, sdp::kind::trailing_bytes);
}
