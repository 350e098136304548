#include <gtest/gtest.h>

#include <array>
#include <memory_resource>
#include <type_traits>

#include "agree.hpp"

using sample::everything;

TEST(RoundTrip, TheSampleHasTheBytesThatTheInterpreterMakes) {
    const auto encoded = sdp::encode(everything());
    ASSERT_TRUE(encoded);
    EXPECT_TRUE(*encoded == sample::table_bytes());
}

TEST(RoundTrip, EveryConstructComesBackInAllForms) {
    const sample::bytes bytes = sample::table_bytes();
    const auto value = sample::agree<sample::everything_forms>(bytes);
    ASSERT_TRUE(value);
    EXPECT_TRUE(*value == everything());
    EXPECT_TRUE(sdp::encode(*value).value() == bytes);
}

TEST(RoundTrip, NewValuesComeBackInAllForms) {
    shapes::Everything fresh;
    fresh.event.value = shapes::Event::Stopped{};
    fresh.choice.value = shapes::Choice::Nothing{};
    fresh.scalars.mode = shapes::Mode::On;  // it is closed, and 0 is none of its members
    const auto bytes = sdp::encode(fresh);
    ASSERT_TRUE(bytes) << bytes.error().message();
    const auto value = sample::agree<sample::everything_forms>(*bytes);
    ASSERT_TRUE(value);
    EXPECT_TRUE(*value == fresh);
}

TEST(RoundTrip, BytesAreAppendedToWhateverHoldsThem) {
    const sample::bytes bytes = sample::table_bytes();
    std::string text = "x";
    std::vector<unsigned char> octets{0};
    std::pmr::vector<std::byte> pooled(1);
    ASSERT_TRUE(sdp::append(everything(), text));
    ASSERT_TRUE(sdp::append(everything(), octets));
    ASSERT_TRUE(sdp::append(everything(), pooled));
    EXPECT_TRUE(sdp::bytes_view(std::string_view(text).substr(1)) == sdp::bytes_view(bytes));
    EXPECT_TRUE(sdp::bytes_view(octets.data() + 1, octets.size() - 1) == sdp::bytes_view(bytes));
    EXPECT_TRUE(sdp::bytes_view(pooled.data() + 1, pooled.size() - 1) == sdp::bytes_view(bytes));
}

TEST(RoundTrip, ARoomThatIsOneByteTooSmallIsRefused) {
    const std::size_t n = sdp::encoded_size(everything());
    sample::bytes room(n);
    EXPECT_EQ(sdp::encode(everything(), sdp::span<std::byte>(room)).value(), n);
    EXPECT_TRUE(room == sample::table_bytes());
    for (const std::size_t less : {n - 1, n / 2, std::size_t{0}}) {
        const auto refused = sdp::encode(everything(), sdp::span<std::byte>(room.data(), less));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error(), (sdp::error{sdp::kind::buffer_too_small, {}, {}}));
    }
}

TEST(RoundTrip, APrefixSaysHowManyBytesItHas) {
    sample::bytes bytes = sdp::encode(sample::registry()).value();
    const std::size_t n = bytes.size();
    bytes.push_back(std::byte{7});
    const auto prefix = sdp::decode_prefix<plugins::PluginRegistry>(bytes);
    ASSERT_TRUE(prefix);
    EXPECT_EQ(prefix->size, n);
    EXPECT_TRUE(prefix->value == sample::registry());
    const auto whole = sdp::decode<plugins::PluginRegistry>(bytes);
    ASSERT_FALSE(whole);
    EXPECT_EQ(whole.error(), (sdp::error{sdp::kind::trailing_bytes, n, {}}));
}

TEST(RoundTrip, EqualityIsThatOfTheBits) {
    shapes::Scalars a;
    shapes::Scalars b;
    EXPECT_TRUE(a == b);
    b.f32 = -0.0F;
    EXPECT_TRUE(a != b);
    const shapes::Everything nan = everything();  // its f64 isn't a number
    EXPECT_TRUE(nan == everything());
    shapes::EverythingRef borrowed;
    borrowed.grid.resize(1);
    borrowed.by_name["a"].x = 0.0F;
    shapes::EverythingRef other = borrowed;
    EXPECT_TRUE(borrowed == other);
    other.by_name["a"].x = -0.0F;
    EXPECT_TRUE(borrowed != other);
}

TEST(RoundTrip, EveryDifferenceIsSeen) {
    const sample::bytes bytes = sample::table_bytes();
    // A difference in any byte is one in the values: equality and encoding agree.
    std::size_t compared = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        sample::bytes other = bytes;
        other[i] ^= std::byte{1};
        const auto value = sdp::decode<shapes::Everything>(other);
        if (value && sdp::encode(*value).value() == other) {
            EXPECT_TRUE(*value != everything()) << "byte " << i;
            ++compared;
        }
    }
    EXPECT_GT(compared, 1000U);
}

TEST(RoundTrip, FieldsHaveTheDefaultsOfTheSchema) {
    const shapes::Settings owned;
    EXPECT_EQ(owned.title, "untitled");
    EXPECT_EQ(owned.limit, 7U);
    EXPECT_EQ(owned.mode, shapes::Mode::On);
    const shapes::SettingsRef borrowed;
    EXPECT_EQ(borrowed.title, "untitled");
    EXPECT_EQ(borrowed.limit, 7U);
    std::array<std::byte, 256> memory{};
    std::pmr::monotonic_buffer_resource arena(memory.data(), memory.size(),
                                              std::pmr::null_memory_resource());
    const shapes::pmr::Settings pooled{std::pmr::polymorphic_allocator<std::byte>(&arena)};
    EXPECT_EQ(pooled.title, "untitled");
    EXPECT_EQ(pooled.title.get_allocator().resource(), &arena);
}

TEST(RoundTrip, TypesKnowWhatTheyAre) {
    EXPECT_EQ(sdp::type_id<plugins::Plugin>, 2);
    EXPECT_EQ(sdp::type_id<plugins::pmr::Plugin>, 2);
    EXPECT_EQ(sdp::fingerprint<plugins::Plugin>, sdp::fingerprints<plugins::PluginView>.back());
    EXPECT_EQ(sdp::fingerprints<shapes::Settings>.size(), 3U);
    EXPECT_EQ(sdp::layout<plugins::PluginRef>().substr(0, 24), "0 struct plugins.Plugin\n");
    EXPECT_EQ(to_string(shapes::Kind::Instrument), "Instrument");
    EXPECT_EQ(to_string(static_cast<shapes::Kind>(9)), "");
    static_assert(shapes::CHANNELS == 4);
    static_assert(std::is_same_v<shapes::Gain, float>);
    static_assert(std::is_same_v<shapes::pmr::Point, shapes::Point>);
    static_assert(std::is_nothrow_move_constructible_v<plugins::PluginRegistry>);
}
