#include <gtest/gtest.h>

#include "agree.hpp"
#include "sdp/throwing.hpp"

#if defined(__cpp_exceptions)

namespace {

/// The refusal that is thrown.
template <class Does>
sdp::error thrown(Does does) {
    try {
        does();
    } catch (const sdp::exception& refused) {
        EXPECT_EQ(refused.what(), refused.error().message());
        return refused.error();
    }
    ADD_FAILURE() << "nothing is thrown";
    return {};
}

}  // namespace

TEST(Throwing, FunctionsReturnThePlainValue) {
    const shapes::Everything value = sample::everything();
    const sample::bytes bytes = sdp::encode(value, sdp::throws);
    const sample::bytes message = sdp::encode_message(value, sdp::throws);
    const sdp::decode_options options;
    sample::bytes room(message.size());
    EXPECT_EQ(sdp::encode(value, sdp::span<std::byte>(room), sdp::throws), bytes.size());
    EXPECT_EQ(sdp::encode_message(value, sdp::span<std::byte>(room), sdp::throws), message.size());
    std::string text;
    sdp::append(value, text, sdp::throws);
    sdp::append_message(value, text, sdp::throws);
    EXPECT_EQ(text.size(), bytes.size() + message.size());
    sdp::validate(value, sdp::throws);
    EXPECT_TRUE(sdp::decode<shapes::Everything>(bytes, sdp::throws) == value);
    EXPECT_TRUE(sdp::decode<shapes::Everything>(bytes, options, sdp::throws) == value);
    const sample::bytes exact = sdp::encode(sample::registry(), sdp::throws);
    EXPECT_TRUE(sdp::decode_exact<plugins::PluginRegistry>(exact, sdp::throws) ==
                sample::registry());
    EXPECT_TRUE(sdp::decode_exact<plugins::PluginRegistry>(exact, options, sdp::throws) ==
                sample::registry());
    EXPECT_EQ(sdp::decode_prefix<shapes::Everything>(bytes, sdp::throws).size, bytes.size());
    EXPECT_EQ(sdp::decode_prefix<shapes::Everything>(bytes, options, sdp::throws).size,
              bytes.size());
    EXPECT_TRUE(sdp::decode_message<shapes::Everything>(message, sdp::throws) == value);
    EXPECT_TRUE(sdp::decode_message<shapes::Everything>(message, options, sdp::throws) == value);
    shapes::Everything there;
    sdp::decode_into(there, bytes, sdp::throws);
    sdp::decode_into(there, bytes, options, sdp::throws);
    EXPECT_TRUE(there == value);
    sdp::decode_message_into(there, message, sdp::throws);
    sdp::decode_message_into(there, message, options, sdp::throws);
    EXPECT_TRUE(sdp::or_throw(shapes::decode_message(message)).index() == 3);
}

TEST(Throwing, FunctionsThrowWhatTheyRefuse) {
    const sample::bytes cut = sample::from({2});
    const sdp::error refused{sdp::kind::truncated, 0, "value"};
    const sdp::decode_options options;
    shapes::Node node;
    EXPECT_EQ(thrown([&] { static_cast<void>(sdp::decode<shapes::Node>(cut, sdp::throws)); }),
              refused);
    EXPECT_EQ(
        thrown([&] { static_cast<void>(sdp::decode<shapes::Node>(cut, options, sdp::throws)); }),
        refused);
    EXPECT_EQ(thrown([&] { sdp::decode_into(node, cut, sdp::throws); }), refused);
    EXPECT_EQ(
        thrown([&] { static_cast<void>(sdp::decode_prefix<shapes::Node>(cut, sdp::throws)); }),
        refused);
    shapes::Choice unset;
    EXPECT_EQ(thrown([&] { static_cast<void>(sdp::encode(unset, sdp::throws)); }),
              (sdp::error{sdp::kind::value_invalid, {}, {}}));
    EXPECT_EQ(thrown([&] { sdp::validate(unset, sdp::throws); }).kind, sdp::kind::value_invalid);
    EXPECT_EQ(thrown([&] {
                  static_cast<void>(sdp::decode_message<plugins::Plugin>(cut, sdp::throws));
              }).kind,
              sdp::kind::magic_invalid);
}

TEST(Throwing, BracesStillMeanOptions) {
    EXPECT_FALSE(sdp::decode<shapes::Node>(sample::from({2}), {}));
    shapes::Node node;
    EXPECT_FALSE(sdp::decode_into(node, sample::from({2}), {}));
}

#else

TEST(Throwing, IsNotThereWithoutExceptions) { SUCCEED(); }

#endif
