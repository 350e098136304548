#include <gtest/gtest.h>

#include <variant>

#include "agree.hpp"

namespace {

sample::bytes message() { return sdp::encode_message(sample::everything()).value(); }

/// Counts which types it is called with.
struct counter {
    int everything = 0;
    int others = 0;

    void operator()(const shapes::Everything&) { ++everything; }
    void operator()(const shapes::EverythingView& view) { everything += view.err(); }
    template <class T>
    void operator()(const T&) {
        ++others;
    }
};

}  // namespace

TEST(Message, IsAHeaderAndTheValue) {
    const sample::bytes bytes = message();
    const sample::bytes value = sample::table_bytes();
    EXPECT_EQ(bytes.size(), value.size() + 10);
    EXPECT_TRUE(sample::bytes(bytes.begin() + 10, bytes.end()) == value);
    EXPECT_TRUE(sample::bytes(bytes.begin(), bytes.begin() + 6) ==
                sample::from({'S', 'D', 'P', '2', 4, 0}));
    sample::bytes room(bytes.size());
    EXPECT_EQ(sdp::encode_message(sample::everything(), sdp::span<std::byte>(room)).value(),
              bytes.size());
    EXPECT_TRUE(room == bytes);
    EXPECT_EQ(sdp::encode_message(sample::everything(), sdp::span<std::byte>(room.data(), 9))
                  .error()
                  .kind,
              sdp::kind::buffer_too_small);
}

TEST(Message, ComesBackInAllForms) {
    const sample::bytes bytes = message();
    EXPECT_TRUE(sdp::decode_message<shapes::Everything>(bytes).value() == sample::everything());
    EXPECT_TRUE(sdp::decode_message<shapes::EverythingRef>(bytes));
    EXPECT_TRUE(sdp::decode_message<shapes::pmr::Everything>(bytes));
    EXPECT_EQ(sdp::decode_message<shapes::EverythingView>(bytes)->short_(), "EQ");
    shapes::Everything there;
    ASSERT_TRUE(sdp::decode_message_into(there, bytes));
    EXPECT_TRUE(there == sample::everything());
}

TEST(Message, HeadersThatDoNotFitAreRefused) {
    const auto refused = [](std::size_t i, unsigned value) {
        sample::bytes bytes = message();
        bytes[i] = static_cast<std::byte>(value);
        return sdp::decode_message<shapes::Everything>(bytes).error();
    };
    EXPECT_EQ(refused(0, 'X'), (sdp::error{sdp::kind::magic_invalid, 0, {}}));
    EXPECT_EQ(refused(3, '1'), (sdp::error{sdp::kind::version_unsupported, 3, {}}));
    EXPECT_EQ(refused(4, 5), (sdp::error{sdp::kind::type_id_mismatch, 4, {}}));
    EXPECT_EQ(refused(9, 1), (sdp::error{sdp::kind::payload_length, 6, {}}));
    sample::bytes longer = message();
    longer.push_back(std::byte{0});
    EXPECT_EQ(sdp::decode_message<shapes::EverythingView>(longer).error(),
              (sdp::error{sdp::kind::trailing_bytes, longer.size() - 1, {}}));
}

TEST(Message, RefusalsCountFromTheHeaderOn) {
    sample::bytes bytes = message();
    bytes[10] = std::byte{2};
    EXPECT_EQ(sdp::decode_message<shapes::Everything>(bytes).error(),
              (sdp::error{sdp::kind::bool_invalid, 10, "scalars.b"}));
}

TEST(Message, OfAnyTypeIsDecodedToAVariant) {
    const sample::bytes bytes = message();
    const auto owned = shapes::decode_message(bytes);
    ASSERT_TRUE(owned);
    EXPECT_TRUE(std::get<shapes::Everything>(*owned) == sample::everything());
    const auto view = shapes::decode_message<shapes::MessageView>(bytes);
    EXPECT_EQ(std::get<shapes::EverythingView>(view.value()).short_(), "EQ");
    EXPECT_TRUE(shapes::decode_message<shapes::MessageRef>(bytes));
    EXPECT_TRUE(shapes::decode_message<shapes::pmr::Message>(bytes));
    const auto foreign = sdp::encode_message(sample::registry()).value();
    EXPECT_TRUE(
        std::holds_alternative<plugins::PluginRegistry>(plugins::decode_message(foreign).value()));
    sample::bytes unknown = bytes;
    unknown[4] = std::byte{99};
    EXPECT_EQ(shapes::decode_message(unknown).error(),
              (sdp::error{sdp::kind::type_id_unknown, 4, {}}));
    EXPECT_EQ(shapes::decode_message(sample::from({'S', 'D'})).error(),
              (sdp::error{sdp::kind::truncated, 0, {}}));
}

TEST(Message, OfAnyTypeIsHandedToAVisitor) {
    const sample::bytes bytes = message();
    counter seen;
    EXPECT_TRUE(shapes::visit_message(seen, bytes));
    EXPECT_EQ(seen.everything, 1);
    EXPECT_TRUE(shapes::visit_message<shapes::MessageView>(seen, bytes));
    EXPECT_EQ(seen.everything, 2);
    const auto kept = sdp::encode_message(shapes::Kept{}).value();
    EXPECT_TRUE(shapes::visit_message(seen, kept));
    EXPECT_EQ(seen.others, 1);
    EXPECT_FALSE(shapes::visit_message(seen, sample::from({1})));
    EXPECT_EQ(seen.everything + seen.others, 3);
}
