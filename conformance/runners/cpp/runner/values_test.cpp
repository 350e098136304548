/// Cases that no vector can have, because no bytes give such a value.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "generated/defaults/defaults.hpp"
#include "generated/depths/depths.hpp"
#include "generated/enums/enums.hpp"
#include "generated/framed/framed.hpp"
#include "generated/maps/maps.hpp"
#include "generated/optionals/optionals.hpp"
#include "generated/texts/texts.hpp"
#include "generated/unions/unions.hpp"

#include "memory.hpp"
#include "sdp/json.hpp"
#include "sdp/stream.hpp"

namespace {

using sdp::kind;

/// The text of a result, which may be that nothing is wrong.
template <class T>
[[nodiscard]] std::string told(const sdp::result<T>& result) {
    return result ? "fine" : result.error().message();
}

[[nodiscard]] std::string told(kind what, const std::string& path = "") {
    return sdp::error{what, std::nullopt, path}.message();
}

/// Fails unless every way to encode refuses a value.
template <class T>
void expect_not_encoded(const T& value, kind what, const std::string& path) {
    const std::string want = told(what, path);
    std::vector<std::byte> room(4096);
    EXPECT_EQ(told(sdp::encode(value)), want);
    EXPECT_EQ(told(sdp::encode(value, sdp::span<std::byte>(room.data(), room.size()))), want);
    EXPECT_EQ(told(sdp::encode(value, sdp::span<std::byte>())), want);
    EXPECT_EQ(told(sdp::validate(value)), want);
    for (const std::size_t capacity : {std::size_t{0}, std::size_t{4096}}) {
        std::string text;
        text.reserve(capacity);
        text = "before";
        EXPECT_EQ(told(sdp::append(value, text)), want);
        EXPECT_EQ(text, "before");
    }
}

/// Fails unless a value has neither an encoding nor JSON, for the same reason.
template <class T>
void expect_refused(const T& value, kind what, const std::string& path) {
    expect_not_encoded(value, what, path);
    EXPECT_EQ(told(sdp::to_json(value)), told(what, path));
}

template <class Event>
[[nodiscard]] Event unknown(std::uint8_t tag) {
    Event event;
    auto& held = event.value.template emplace<std::variant_size_v<decltype(event.value)> - 1>();
    held.tag = tag;
    return event;
}

// [WIRE-9.5] [JSON-7.1]
TEST(Values, UnionsWithoutAnAlternativeAreRefused) {
    expect_refused(unions::Event(), kind::value_invalid, "");
    expect_refused(unions::EventRef(), kind::value_invalid, "");
    expect_refused(unions::pmr::Event(), kind::value_invalid, "");
    expect_refused(unions::Choice(), kind::value_invalid, "");
    expect_refused(unions::Holder(), kind::value_invalid, "event");
    expect_refused(unions::HolderRef(), kind::value_invalid, "event");
    unions::Many many;
    many.events.resize(2);
    many.events[0].value = unions::Event::Stopped{};
    expect_refused(many, kind::value_invalid, "events[1]");
    optionals::Chosen chosen;
    chosen.v.emplace();
    expect_refused(chosen, kind::value_invalid, "v");
    maps::Shapes shapes;
    shapes.m[3].value = maps::Shape::None{};
    static_cast<void>(shapes.m[4]);
    expect_refused(shapes, kind::value_invalid, "m[1].value");
    unions::Event inside;
    inside.value = unions::Event::Other{};
    expect_refused(inside, kind::value_invalid, "Other");
}

TEST(Values, PayloadsThatWereMovedAwayAreNewOnes) {
    unions::Event event;
    event.value = unions::Event::Noted{};
    const auto fresh = sdp::encode(event).value();
    auto& noted = std::get<unions::Event::Noted>(event.value);
    static_cast<void>(*noted.value);
    const auto taken = std::move(noted.value);
    EXPECT_TRUE(taken.is_made());
    EXPECT_FALSE(noted.value.is_made());
    EXPECT_EQ(sdp::encode(event).value(), fresh);
}

// [WIRE-9.5] [JSON-7.1]
TEST(Values, UnknownAlternativesWithTheTagOfAKnownOneAreRefused) {
    for (int tag = 0; tag <= 15; ++tag) {
        const auto value = unknown<unions::Event>(static_cast<std::uint8_t>(tag));
        if (tag == 15) {
            EXPECT_EQ(sdp::encode(value)->size(), 5U);
        } else {
            expect_refused(value, kind::value_invalid, "");
            expect_refused(unknown<unions::EventRef>(static_cast<std::uint8_t>(tag)),
                           kind::value_invalid, "");
        }
    }
    expect_refused(unknown<unions::Event>(255), kind::value_invalid, "");
}

// [WIRE-9.5]
TEST(Values, ClosedEnumsWithOtherNumbersAreRefused) {
    enums::ClosedSigned value{enums::D8::A, enums::D16::A, enums::D32::A, enums::D64::A};
    EXPECT_TRUE(sdp::encode(value));
    value.c = static_cast<enums::D32>(7);
    expect_refused(value, kind::value_invalid, "c");
    enums::Many many;
    many.shut = {enums::C8::A, static_cast<enums::C8>(3)};
    expect_refused(many, kind::value_invalid, "shut[1]");
    maps::ByGate gates;
    gates.m[static_cast<maps::Gate>(11)] = 1;
    expect_refused(gates, kind::value_invalid, "m[0].key");
}

// [WIRE-9.2]
TEST(Values, WhatIsTooLongIsRefused) {
    const std::string text(256, 'x');
    expect_not_encoded(texts::Text1{text}, kind::value_too_large, "v");
    expect_not_encoded(texts::Text1Ref{text}, kind::value_too_large, "v");
    expect_not_encoded(texts::TextMax{"sixsix"}, kind::limit_max, "v");
    expect_not_encoded(texts::Text1Max{"four", 0}, kind::limit_max, "v");
    maps::Small small;
    for (unsigned i = 0; i < 256; ++i) {
        small.m[static_cast<std::uint8_t>(i)] = 0;
    }
    expect_not_encoded(small, kind::value_too_large, "m");
    maps::Texts inside;
    inside.m[1] = "a";
    inside.m[2] = text;
    expect_not_encoded(inside, kind::value_too_large, "m[1].value");
}

// [WIRE-9.3]
TEST(Values, PayloadsBeyond32BitsAreRefused) {
    if constexpr (sizeof(std::size_t) > 4) {
        // It is never written, so that the system need not provide it.
        constexpr std::size_t longest = 0xffff'ffff;
        const std::unique_ptr<std::byte, decltype(&std::free)> memory(
            static_cast<std::byte*>(std::calloc(longest + 1, 1)), &std::free);
        ASSERT_TRUE(memory);
        const sdp::bytes_view most(memory.get(), longest + 1);
        std::array<std::byte, 100> room{};
        const std::string want = told(kind::value_too_large);
        unions::EventRef event;
        event.value = sdp::unknown_ref{15, most};
        EXPECT_EQ(told(sdp::encode(event, room)), want);
        EXPECT_EQ(told(sdp::validate(event)), want);
        const texts::BlobRef blob{most};
        EXPECT_EQ(told(sdp::encode(blob, room)), told(kind::value_too_large, "v"));
        EXPECT_EQ(told(sdp::validate(blob)), told(kind::value_too_large, "v"));
        defaults::ZerosRef message;
        message.note.text = {reinterpret_cast<const char*>(memory.get()), longest};
        EXPECT_EQ(told(sdp::encode(message, room)), told(kind::value_too_large, "note"));
        framed::EventRef framed;
        framed.value = sdp::unknown_ref{9, {memory.get(), longest}};
        EXPECT_EQ(told(sdp::validate(framed)), "fine");
        EXPECT_EQ(told(sdp::encode_message(framed, room)), want);
    }
}

// [WIRE-5.4]
TEST(Values, StringsThatAreNotUtf8AreFoundByValidating) {
    const texts::Text broken{"\xff"};
    EXPECT_EQ(told(sdp::validate(broken)), told(kind::utf8_invalid, "v"));
    EXPECT_EQ(told(sdp::to_json(broken)), told(kind::utf8_invalid, "v"));
}

/// Nests a value 64 times.
template <class Alternative, class Union>
[[nodiscard]] Union nested(Union inner) {
    for (int i = 0; i < 64; ++i) {
        Alternative next;
        *next.value = std::move(inner);
        inner = Union();
        inner.value = std::move(next);
    }
    return inner;
}

[[nodiscard]] std::string path_of_64(const std::string& step) {
    std::string path = step;
    for (int i = 1; i < 64; ++i) {
        path += "." + step;
    }
    return path;
}

// [WIRE-12.37]
TEST(Values, DepthIsRefusedBeforeAnUnsetUnion) {
    expect_refused(nested<depths::U::Next>(depths::U()), kind::limit_depth, path_of_64("Next"));
    expect_refused(nested<depths::U::Next>(unknown<depths::U>(1)), kind::limit_depth,
                   path_of_64("Next"));
    depths::C done;
    done.value = depths::C::Done{};
    expect_refused(nested<depths::C::Next>(std::move(done)), kind::limit_depth, path_of_64("Next"));
}

// [WIRE-9.4]
TEST(Values, ThoseOfARaisedDepthAreDecodedButNotEncoded) {
    std::string bytes(64, '\1');
    bytes.push_back('\2');
    sdp::decode_options raised;
    raised.limits.depth = 65;
    const auto value = sdp::decode<depths::C>(bytes, raised);
    ASSERT_TRUE(value);
    expect_refused(*value, kind::limit_depth, path_of_64("Next"));
}

// [WIRE-9.6]
template <class T>
void expect_short_buffers_refused(const T& value) {
    const auto bytes = sdp::encode(value);
    ASSERT_TRUE(bytes);
    for (std::size_t n = 0; n < bytes->size(); ++n) {
        // Memory of its own, so that a sanitizer sees what is written behind it.
        std::vector<std::byte> out(n);
        EXPECT_EQ(told(sdp::encode(value, sdp::span<std::byte>(out.data(), n))),
                  told(kind::buffer_too_small));
    }
    std::vector<std::byte> out(bytes->size() + 3, std::byte{0xaa});
    EXPECT_EQ(*sdp::encode(value, sdp::span<std::byte>(out.data(), out.size())), bytes->size());
    EXPECT_EQ(sdp::bytes_view(out.data(), bytes->size()), *bytes);
    EXPECT_EQ(out.back(), std::byte{0xaa});
}

TEST(Values, BuffersOfEveryLengthShorterThanNeededAreRefused) {
    texts::Pair pair{"a name that is longer than thirty-two bytes", {}, "note"};
    pair.data.resize(3);
    expect_short_buffers_refused(pair);
    const auto bytes = sdp::encode(pair);
    expect_short_buffers_refused(*sdp::decode<texts::PairRef>(*bytes));
    unions::Many many;
    many.events.resize(5);
    many.events[0].value = unions::Event::Changed{1, true};
    many.events[1].value = unions::Event::Map{{{std::uint8_t{1}, std::uint8_t{2}}}};
    many.events[2].value = unions::Event::List{{1, 2, 3}};
    many.events[3].value = unions::Event::Noted{unions::Note{"n", 1}};
    many.events[4] = unknown<unions::Event>(99);
    expect_short_buffers_refused(many);
    expect_short_buffers_refused(defaults::Declared());
}

TEST(Values, MessagesInBuffersThatAreTooShortAreRefused) {
    framed::Note note;
    note.text = "note";
    const auto bytes = sdp::encode_message(note);
    ASSERT_TRUE(bytes);
    for (std::size_t n = 0; n < bytes->size(); ++n) {
        std::vector<std::byte> out(n);
        EXPECT_EQ(told(sdp::encode_message(note, sdp::span<std::byte>(out.data(), n))),
                  told(kind::buffer_too_small));
    }
}

// [EVO-2.5]
TEST(Values, NewOnesHaveWhatMissingOnesHave) {
    const std::array<unsigned char, 1> zero{0};
    EXPECT_EQ(*sdp::decode<defaults::Declared>(zero), defaults::Declared());
    EXPECT_EQ(*sdp::decode<defaults::DeclaredRef>(zero), defaults::DeclaredRef());
    EXPECT_EQ(*sdp::decode<defaults::pmr::Declared>(zero), defaults::pmr::Declared());
    EXPECT_EQ(*sdp::decode<defaults::Zeros>(zero), defaults::Zeros());
    EXPECT_EQ(defaults::Declared().small, 7);
    EXPECT_EQ(defaults::Zeros().note.stars, 3);
}

/// Decoding into a used value leaves nothing of the old one.
TEST(Values, UsedOnesFollowTheInput) {
    defaults::Declared value;
    value.word = "another";
    value.maybe = 1;
    value.text = std::string(100, 'x');
    const std::array<unsigned char, 1> zero{0};
    ASSERT_TRUE(sdp::decode_into(value, zero));
    EXPECT_EQ(value, defaults::Declared());
}

// [WIRE-3.6]
template <class T>
void expect_little_memory() {
    const std::array<unsigned char, 5> bytes{0xff, 0xff, 0xff, 0xff, 0};
    const std::size_t before = runner::allocated();
    const bool refused = !sdp::decode<T>(bytes);
    EXPECT_TRUE(refused);
    EXPECT_LT(runner::allocated() - before, std::size_t{64} << 10);
}

TEST(Values, CountsAreRefusedBeforeMemoryIsAllocated) {
    expect_little_memory<texts::Text>();
    expect_little_memory<texts::BlobRef>();
    expect_little_memory<unions::Many>();
    expect_little_memory<unions::ManyRef>();
    expect_little_memory<unions::pmr::Many>();
    expect_little_memory<maps::ByU8>();
}

// [WIRE-11.6]
TEST(Streams, SkippedMessagesAreNotHeld) {
    struct zeros {
        std::string header{"SDP2\5\5\0\0\0\1", 10};
        std::size_t left = header.size() + (std::size_t{16} << 20);

        sdp::result<std::size_t> read(sdp::span<std::byte> to) {
            const std::size_t n = std::min(to.size(), left);
            std::memset(to.data(), 0, n);
            const std::size_t head = std::min(n, header.size());
            std::memcpy(to.data(), header.data(), head);
            header.erase(0, head);
            left -= n;
            return n;
        }
    };
    const std::size_t before = runner::allocated();
    sdp::message_reader<zeros> reader{zeros()};
    EXPECT_EQ(told(reader.next<framed::Message>()), "type_id_unknown at byte 4");
    const auto end = reader.next<framed::Message>();
    EXPECT_TRUE(end && !*end);
    EXPECT_LT(runner::allocated() - before, std::size_t{1} << 20);
}

}  // namespace
