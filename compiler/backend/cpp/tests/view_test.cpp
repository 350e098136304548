#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "agree.hpp"

namespace {

shapes::EverythingView opened(const sample::bytes& data) {
    return sdp::decode<shapes::EverythingView>(data).value();
}

template <class Range>
auto all(const Range& range) {
    using value = typename Range::value_type;
    std::vector<value> values;
    for (auto&& item : range) {
        values.push_back(item);
    }
    return values;
}

using texts = std::vector<std::string_view>;

}  // namespace

TEST(View, ShowsEveryField) {
    const sample::bytes bytes = sample::table_bytes();
    const shapes::Everything value = sample::everything();
    const shapes::EverythingView view = opened(bytes);
    EXPECT_TRUE(view.scalars() == value.scalars);
    EXPECT_EQ(all(view.names()), texts(value.names.begin(), value.names.end()));
    EXPECT_EQ(view.short_(), "EQ");
    EXPECT_EQ(view.bounded(), "four");
    EXPECT_TRUE(view.data() == sdp::bytes_view(value.data));
    EXPECT_TRUE(all(view.points()) == value.points);
    EXPECT_EQ(view.flags().size(), 9U);
    EXPECT_EQ(all(view.flags()), value.flags);
    EXPECT_EQ(all(view.modes()), value.modes);
    EXPECT_TRUE(view.corner()[1] == value.corner[1]);
    EXPECT_EQ(view.channels()[3], 4.0F);
    EXPECT_EQ(view.wide()[299], 299U * 299U);
    EXPECT_EQ(all(view.texts()), (texts{"left", "right"}));
    EXPECT_EQ(view.maybe(), 7U);
    EXPECT_TRUE(view.maybe_point() == value.maybe_point);
    EXPECT_EQ(view.maybe_large()->name(), "large");
    EXPECT_EQ(view.maybe_large()->a()[15], 3.141592653589793);
    EXPECT_EQ(all(*view.maybe_list()), *value.maybe_list);
    EXPECT_EQ(all(view.maybes()), (std::vector<std::optional<std::string_view>>{"a", {}, ""}));
    EXPECT_EQ(view.tree()->right()->left()->value(), 4U);
    EXPECT_FALSE(view.tree()->left()->left());
    EXPECT_EQ(view.settings().rate(), 48000U);
    EXPECT_EQ(view.settings().title(), "untitled");
    EXPECT_EQ(view.kept().b(), 2);
    EXPECT_TRUE(view.kept().unknown_fields() == sdp::bytes_view(value.kept.unknown_fields));
    EXPECT_EQ(view.err(), 1);
    EXPECT_EQ(view.encoded_size(), 8);
    std::vector<std::vector<float>> grid;
    for (const auto& row : view.grid()) {
        grid.push_back(all(row));
    }
    EXPECT_EQ(grid, value.grid);
    std::vector<std::string> titles;
    for (const shapes::SettingsView& one : view.history()) {
        titles.emplace_back(one.title());
    }
    EXPECT_EQ(titles, (std::vector<std::string>{"untitled", "second"}));
}

TEST(View, ShowsMapsInTheOrderOfTheirKeys) {
    const sample::bytes bytes = sample::table_bytes();
    const shapes::EverythingView view = opened(bytes);
    texts keys;
    for (const auto& [key, point] : view.by_name()) {
        keys.push_back(key);
        EXPECT_TRUE(view.by_name().find(key) == point);
    }
    EXPECT_EQ(keys, (texts{"a", "ab", "b"}));
    EXPECT_FALSE(view.by_name().find("aa"));
    EXPECT_EQ(view.by_number().find(-1), "minus one");
    EXPECT_EQ(view.by_flag().find(true), 1);
    EXPECT_EQ(view.by_kind().find(shapes::Kind::Instrument)->size(), 2U);
}

TEST(View, ShowsWhichAlternativeAUnionIs) {
    const sample::bytes bytes = sample::table_bytes();
    const shapes::EverythingView view = opened(bytes);
    EXPECT_EQ(view.event().tag(), 1);
    EXPECT_EQ(view.event().loaded()->name(), "EQ");
    EXPECT_FALSE(view.event().changed());
    EXPECT_FALSE(view.event().unknown());
    EXPECT_EQ(view.choice().text(), "chosen");
    const auto events = all(view.events());
    ASSERT_EQ(events.size(), 5U);
    EXPECT_EQ(events[0].changed()->id, 9U);
    EXPECT_TRUE(events[1].stopped());
    EXPECT_FALSE(events[2].stopped());
    EXPECT_EQ(events[2].renamed(), "x");
    EXPECT_EQ(events[3].applied()->title(), "untitled");
    EXPECT_EQ(events[4].unknown()->tag, 99);
    EXPECT_EQ(events[4].tag(), 99);
    EXPECT_TRUE(events[4].unknown()->payload == sdp::bytes_view(sample::from({0xaa, 0xbb})));
}

TEST(View, ShowsDefaultsOfSegmentsThatTheBytesLack) {
    const sample::bytes first = sample::from({5, 0, 0, 0});
    const auto settings = sdp::decode<shapes::SettingsView>(first);
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->rate(), 5U);
    EXPECT_EQ(settings->title(), "untitled");
    EXPECT_EQ(settings->limit(), 7U);
    EXPECT_EQ(settings->mode(), shapes::Mode::On);
    EXPECT_TRUE(settings->origin() == shapes::Point{});
    const sample::bytes early = sample::from({1});
    const auto late = sdp::decode<shapes::LateView>(early);
    ASSERT_TRUE(late);
    EXPECT_EQ(late->first(), 1);
    EXPECT_TRUE(late->numbers().empty());
    EXPECT_TRUE(late->texts().empty());
    EXPECT_EQ(late->settings().title(), "untitled");
    EXPECT_EQ(late->name(), "");
    EXPECT_FALSE(late->maybe());
    const shapes::Late owned = sdp::decode<shapes::Late>(early).value();
    EXPECT_EQ(all(late->array()), std::vector<float>(owned.array.begin(), owned.array.end()));
    EXPECT_EQ(late->points().size(), 2U);
    EXPECT_TRUE(late->points()[1] == shapes::Point{});
    EXPECT_TRUE(late->points().bytes().empty());
}

TEST(View, ThatWasNeverDecodedIsEmpty) {
    const shapes::EverythingView view;
    EXPECT_TRUE(view.names().empty());
    EXPECT_EQ(view.short_(), "");
    EXPECT_FALSE(view.tree());
    EXPECT_EQ(view.event().tag(), 0);
    EXPECT_EQ(view.wide()[299], 0U);
    EXPECT_EQ(all(view.texts()), (texts{"", ""}));
}

TEST(View, RangesOfATemporaryStayGood) {
    const sample::bytes bytes = sample::table_bytes();
    std::size_t letters = 0;
    for (const std::string_view name : opened(bytes).names()) {
        letters += name.size();
    }
    EXPECT_EQ(letters, 36U);
    const auto entries = opened(bytes).by_name();
    EXPECT_EQ(std::distance(entries.begin(), entries.end()), 3);
    const auto parameters = opened(bytes).event().loaded()->parameters();
    EXPECT_EQ((*parameters.begin()).unit(), "dB");
}

TEST(View, ReadingCannotFail) {
    static_assert(noexcept(std::declval<const shapes::EverythingView&>().names()));
    static_assert(noexcept(*std::declval<const shapes::EverythingView&>().names().begin()));
    static_assert(std::is_trivially_copyable_v<shapes::EverythingView>);
    static_assert(std::is_same_v<decltype(std::declval<shapes::EverythingView>().short_()),
                                 std::string_view>);
}
