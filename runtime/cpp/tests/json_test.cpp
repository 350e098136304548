#include "sdp/json.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sdp/indirect.hpp"
#include "sdp/numbers.hpp"
#include "sdp/unions.hpp"

namespace {

namespace wire = sdp::wire;

/// The JSON of a value of any shape, or the line of what refuses it.
template <class Shape, class T>
std::string json_of(const T& value) {
    wire::json_writer writer;
    return writer.write(Shape(), value, 1) ? writer.text : writer.refused.message();
}

/// The same of a scalar.
template <class T>
std::string json_of(const T& value) {
    return json_of<wire::leaf<T>>(value);
}

float single(std::uint32_t bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof(bits));
    return value;
}

template <class Float>
std::string bits_of(std::uint64_t bits) {
    std::string text;
    const auto own = static_cast<wire::unsigned_of<sizeof(Float)>>(bits);
    Float value;
    std::memcpy(&value, &own, sizeof(Float));
    wire::json_text::append_float(text, value);
    return text;
}

enum class color : std::uint64_t { red = 1, all = std::numeric_limits<std::uint64_t>::max() };
enum class level : std::int8_t { low = -128 };

struct color_codec {
    using type = color;
    static std::string_view json_name(type value) {
        return value == color::red ? "r\"d" : value == color::all ? "all" : "";
    }
    static bool is_known(type value) { return !json_name(value).empty(); }
};

struct level_codec {
    using type = level;
    static std::string_view json_name(type value) { return value == level::low ? "low" : ""; }
};

using open_color = wire::enumeration<color_codec>;
using closed_color = wire::closed_enumeration<color_codec>;
using open_level = wire::enumeration<level_codec>;

/// `struct Node { @name(json = "té") text: str, next: ?Node }`, of strings of any form.
template <class Text>
struct node {
    struct sdp_codec {
        template <class T>
        static constexpr bool is_view = false;
        static constexpr std::size_t least = 5;
        template <class Visitor, class T>
        static bool fields(Visitor& visit, const T& value) {
            return visit.template field<wire::text<4>>({"text", "t\xc3\xa9"}, value.text) &&
                   visit.template field<wire::optional<wire::record<sdp_codec>>>("next",
                                                                                 value.next);
        }
    };

    Text text{};
    sdp::indirect_optional<node> next{};
};

/// A value that passes any call to a visitor.
template <class Show>
struct shown {
    struct sdp_codec {
        template <class T>
        static constexpr bool is_view = false;
        template <class Visitor, class T>
        static bool fields(Visitor& visit, const T& value) {
            return value.show(visit);
        }
    };

    Show show;
};

template <class Show>
std::string json_shown(Show show) {
    const auto json = sdp::to_json(shown<Show>{show});
    return json ? *json : json.error().message();
}

std::vector<std::byte> bytes(std::initializer_list<int> numbers) {
    std::vector<std::byte> made;
    for (const int n : numbers) {
        made.push_back(static_cast<std::byte>(n));
    }
    return made;
}

TEST(Json, IntegersOfSixtyFourBitsAreStrings) {
    EXPECT_EQ(json_of(std::uint8_t{255}), "255");
    EXPECT_EQ(json_of(std::int8_t{-128}), "-128");
    EXPECT_EQ(json_of(std::uint16_t{65535}), "65535");
    EXPECT_EQ(json_of(std::int16_t{-32768}), "-32768");
    EXPECT_EQ(json_of(std::uint32_t{4294967295}), "4294967295");
    EXPECT_EQ(json_of(std::numeric_limits<std::int32_t>::min()), "-2147483648");
    EXPECT_EQ(json_of(std::numeric_limits<std::uint64_t>::max()), "\"18446744073709551615\"");
    EXPECT_EQ(json_of(std::numeric_limits<std::int64_t>::min()), "\"-9223372036854775808\"");
    EXPECT_EQ(json_of(true), "true");
    EXPECT_EQ(json_of(false), "false");
}

TEST(Json, FloatsHaveTheFewestDigitsOfTheirWidth) {
    EXPECT_EQ(json_of(0.1F), "0.1");
    EXPECT_EQ(json_of(0.1), "0.1");
    EXPECT_EQ(json_of(double{0.1F}), "0.10000000149011612");
    EXPECT_EQ(json_of(std::numeric_limits<float>::max()), "3.4028235e+38");
    EXPECT_EQ(json_of(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
    EXPECT_EQ(json_of(std::numeric_limits<double>::denorm_min()), "5e-324");
    EXPECT_EQ(json_of(std::numeric_limits<float>::denorm_min()), "1e-45");
    // Two equally near: the even digit.
    EXPECT_EQ(json_of(2097153.75F), "2097153.8");
    EXPECT_EQ(json_of(1125899906842626.25), "1125899906842626.2");
    EXPECT_EQ(json_of(single(0x39800000)), "0.00024414062");
}

TEST(Json, FloatsAreLaidOutAsEcmaScriptDoes) {
    EXPECT_EQ(json_of(5.0), "5");
    EXPECT_EQ(json_of(-120.5), "-120.5");
    EXPECT_EQ(json_of(0.000001), "0.000001");
    EXPECT_EQ(json_of(0.00000123), "0.00000123");
    EXPECT_EQ(json_of(1e-7), "1e-7");
    EXPECT_EQ(json_of(1.5e-10), "1.5e-10");
    EXPECT_EQ(json_of(1e20), "100000000000000000000");
    EXPECT_EQ(json_of(123456789012345680000.0), "123456789012345680000");
    EXPECT_EQ(json_of(1e21), "1e+21");
    EXPECT_EQ(json_of(1e100), "1e+100");
    EXPECT_EQ(json_of(0.0), "0");
    EXPECT_EQ(json_of(-0.0), "-0");
    EXPECT_EQ(json_of(-0.0F), "-0");
}

TEST(Json, WhatIsNoNumberIsAStringWithItsBits) {
    EXPECT_EQ(json_of(std::numeric_limits<float>::infinity()), "\"Infinity\"");
    EXPECT_EQ(json_of(-std::numeric_limits<double>::infinity()), "\"-Infinity\"");
    EXPECT_EQ(bits_of<float>(0x7fc00000), "\"NaN\"");
    EXPECT_EQ(bits_of<float>(0xffc00000), "\"NaN:ffc00000\"");
    EXPECT_EQ(bits_of<float>(0x7f800001), "\"NaN:7f800001\"");
    EXPECT_EQ(bits_of<double>(0x7ff8000000000000), "\"NaN\"");
    EXPECT_EQ(bits_of<double>(0x7ff0000000000001), "\"NaN:7ff0000000000001\"");
    EXPECT_EQ(bits_of<double>(0xfff8000000000000), "\"NaN:fff8000000000000\"");
}

TEST(Json, TimesAndUuidsAreStrings) {
    EXPECT_EQ(json_of(sdp::timestamp{-1}), "\"1969-12-31T23:59:59.999999999Z\"");
    EXPECT_EQ(json_of(sdp::duration{-1'500'000'000}), "\"-1.5s\"");
    EXPECT_EQ(json_of(sdp::uuid{}), "\"00000000-0000-0000-0000-000000000000\"");
}

TEST(Json, EnumsAreNamesAndOnlyOpenOnesNumbers) {
    EXPECT_EQ(json_of<open_color>(color::red), "\"r\\\"d\"");
    EXPECT_EQ(json_of<open_color>(color::all), "\"all\"");
    EXPECT_EQ(json_of<open_color>(color{7}), "\"7\"");
    EXPECT_EQ(json_of<open_level>(level{-7}), "-7");
    EXPECT_EQ(json_of<closed_color>(color::all), "\"all\"");
    EXPECT_EQ(json_of<closed_color>(color{7}), "value_invalid");
}

TEST(Json, StringsEscapeWhatTheyMust) {
    const auto json = [](std::string_view text) { return json_of<wire::text<4>>(text); };
    EXPECT_EQ(json(""), R"("")");
    EXPECT_EQ(json("\"\\\b\f\n\r\t"), R"("\"\\\b\f\n\r\t")");
    EXPECT_EQ(json(std::string_view("\0\x01\x0f\x10\x1f\x20\x7f/", 8)),
              "\"\\u0000\\u0001\\u000f\\u0010\\u001f \x7f/\"");
    EXPECT_EQ(json("Gr\xc3\xbc\xc3\x9f\x65 \xf0\x9f\x8e\xb5\n."),
              "\"Gr\xc3\xbc\xc3\x9f\x65 \xf0\x9f\x8e\xb5\\n.\"");
}

TEST(Json, StringsMustBeUtf8) {
    const auto json = [](std::string_view text) { return json_of<wire::text<1>>(text); };
    EXPECT_EQ(json("\xff"), "utf8_invalid");
    EXPECT_EQ(json("long enough \xed\xa0\x80 for words"), "utf8_invalid");
    EXPECT_EQ(json("\xc3"), "utf8_invalid");
}

TEST(Json, BytesAndListsOfOctetsAreBase64AndArraysOfThemAreNot) {
    using blob = wire::blob<4>;
    using octets = wire::list<4, wire::leaf<std::uint8_t>>;
    EXPECT_EQ(json_of<blob>(bytes({})), R"("")");
    EXPECT_EQ(json_of<blob>(bytes({0xff})), R"("/w==")");
    EXPECT_EQ(json_of<blob>(bytes({0xfb, 0xef})), R"("++8=")");
    EXPECT_EQ(json_of<blob>(bytes({'f', 'o', 'o'})), R"("Zm9v")");
    EXPECT_EQ(json_of<blob>(bytes({'f', 'o', 'o', 'b', 'a'})), R"("Zm9vYmE=")");
    EXPECT_EQ(json_of<octets>(std::vector<std::uint8_t>{1, 2}), R"("AQI=")");
    const std::array<std::uint8_t, 2> two{1, 2};
    EXPECT_EQ(json_of<octets>(sdp::numbers<std::uint8_t>(sdp::span<const std::uint8_t>(two))),
              R"("AQI=")");
    EXPECT_EQ((json_of<wire::fixed_array<wire::leaf<std::uint8_t>, 2>>(two)), "[1,2]");
}

TEST(Json, ListsArraysAndOptionalsHoldTheirValues) {
    using flags = wire::list<4, wire::leaf<bool>>;
    using maybe = wire::optional<wire::leaf<std::uint16_t>>;
    EXPECT_EQ(json_of<flags>(std::vector<bool>{}), "[]");
    EXPECT_EQ(json_of<flags>(std::vector<bool>{true, false}), "[true,false]");
    const std::vector<std::optional<std::uint16_t>> some{1, std::nullopt};
    EXPECT_EQ((json_of<wire::list<4, maybe>>(some)), "[1,null]");
    const std::array<std::string, 2> texts{"a", "\xff"};
    EXPECT_EQ((json_of<wire::array<wire::text<4>, 2>>(texts)), "utf8_invalid in [1]");
}

TEST(Json, KeysOfMapsAreStringsOfAnyType) {
    using one = wire::leaf<std::uint8_t>;
    const auto json = [](auto key_shape, const auto& map) {
        return json_of<wire::map<4, decltype(key_shape), one>>(map);
    };
    EXPECT_EQ(json(one(), std::map<std::uint8_t, std::uint8_t>{{2, 1}, {10, 2}}),
              R"({"2":1,"10":2})");
    EXPECT_EQ(json(wire::leaf<std::int64_t>(), std::map<std::int64_t, std::uint8_t>{{-1, 1}}),
              R"({"-1":1})");
    EXPECT_EQ(json(wire::leaf<bool>(), std::map<bool, std::uint8_t>{{true, 1}}), R"({"true":1})");
    EXPECT_EQ(json(open_level(), std::map<level, std::uint8_t>{{level::low, 1}, {level{3}, 2}}),
              R"({"low":1,"3":2})");
    EXPECT_EQ(json(wire::text<1>(), std::map<std::string, std::uint8_t>{{"\n", 1}}), R"({"\n":1})");
    EXPECT_EQ(json(one(), std::map<std::uint8_t, std::uint8_t>{}), "{}");
}

TEST(Json, EntriesOfMapsAreRefusedByKeyOrValue) {
    using texts = wire::map<4, wire::text<4>, wire::text<4>>;
    const std::map<std::string, std::string> bad_key{{"a", ""}, {"\xff", "\xff"}};
    EXPECT_EQ(json_of<texts>(bad_key), "utf8_invalid in [1].key");
    const std::map<std::string, std::string> bad_value{{"a", "\xff"}, {"\xff", ""}};
    EXPECT_EQ(json_of<texts>(bad_value), "utf8_invalid in [0].value");
}

TEST(Json, AllFormsOfAValueHaveTheSameText) {
    const std::string_view expected = "{\"t\xc3\xa9\":\"a\",\"next\":{\"t\xc3\xa9\":\"b\","
                                      "\"next\":null}}";
    const auto check = [&](auto form) {
        decltype(form) value{"a", decltype(form){"b", {}}};
        const auto json = sdp::to_json(value);
        ASSERT_TRUE(json.has_value());
        EXPECT_EQ(*json, expected);
    };
    check(node<std::string>());
    check(node<std::string_view>());
    check(node<std::pmr::string>());
}

TEST(Json, PathsHaveTheNamesOfTheSchema) {
    const node<std::string> value{"a", node<std::string>{"\xff", {}}};
    const auto json = sdp::to_json(value);
    ASSERT_FALSE(json.has_value());
    EXPECT_EQ(json.error(), (sdp::error{sdp::kind::utf8_invalid, std::nullopt, "next.text"}));
}

TEST(Json, RefusalsCanBeThrown) {
    EXPECT_EQ(sdp::to_json(node<std::string>{"a", {}}, sdp::throws),
              "{\"t\xc3\xa9\":\"a\",\"next\":null}");
    try {
        static_cast<void>(sdp::to_json(node<std::string>{"\xff", {}}, sdp::throws));
        ADD_FAILURE() << "nothing is thrown";
    } catch (const sdp::exception& refused) {
        EXPECT_EQ(refused.what(), std::string("utf8_invalid in text"));
    }
}

TEST(Json, ValuesAreAsDeepAsTheLimitAndNoDeeper) {
    const auto chain = [](std::size_t levels) {
        node<std::string> value{"x", {}};
        for (std::size_t i = 1; i < levels; ++i) {
            node<std::string> outer{"x", {}};
            outer.next.emplace(std::move(value));
            value = std::move(outer);
        }
        return sdp::to_json(value);
    };
    EXPECT_TRUE(chain(sdp::limit_depth).has_value());
    const auto json = chain(sdp::limit_depth + 1);
    ASSERT_FALSE(json.has_value());
    std::string path = "next";
    for (std::size_t i = 1; i < sdp::limit_depth; ++i) {
        path += ".next";
    }
    EXPECT_EQ(json.error(), (sdp::error{sdp::kind::limit_depth, std::nullopt, path}));
}

TEST(Json, UnionsHaveOneMember) {
    EXPECT_EQ(json_shown([](auto& visit) {
                  return visit.template alternative<wire::leaf<bool>>({"Some", "so\nme"}, 1, true);
              }),
              R"({"so\nme":true})");
    EXPECT_EQ(json_shown([](auto& visit) { return visit.empty_alternative("None", 2); }),
              R"({"None":null})");
    EXPECT_EQ(
        json_shown([](auto& visit) {
            return visit.template alternative<wire::text<4>>({"Text", "t"}, 3, std::string("\xff"));
        }),
        "utf8_invalid in Text");
    EXPECT_EQ(json_shown([](auto& visit) { return visit.unset(); }), "value_invalid");
}

TEST(Json, UnknownAlternativesHaveATagThatNoOtherHas) {
    const auto json = [](const auto& unknown, bool is_known) {
        return json_shown([&](auto& visit) { return visit.unknown(unknown, is_known); });
    };
    const auto payload = bytes({0xaa, 0xbb});
    const std::string_view expected = R"({"$unknown":{"tag":9,"payload":"qrs="}})";
    EXPECT_EQ(json(sdp::unknown{9, payload}, false), expected);
    EXPECT_EQ(json(sdp::unknown_ref{9, payload}, false), expected);
    EXPECT_EQ(json(sdp::unknown{9, payload}, true), "value_invalid");
    EXPECT_EQ(json(sdp::unknown{0, payload}, false), "value_invalid");
}

TEST(Json, KeptTailsAreTheLastMemberIfNotEmpty) {
    const auto json = [](const std::vector<std::byte>& tail, bool has_field) {
        return json_shown([&](auto& visit) {
            return (!has_field || visit.template field<wire::leaf<bool>>("a", true)) &&
                   visit.kept(tail);
        });
    };
    EXPECT_EQ(json(bytes({0xff}), true), R"({"a":true,"$unknown":"/w=="})");
    EXPECT_EQ(json(bytes({0xff}), false), R"({"$unknown":"/w=="})");
    EXPECT_EQ(json({}, true), R"({"a":true})");
    EXPECT_EQ(json({}, false), "{}");
}

TEST(Json, WhatWasMovedFromIsNew) {
    using boxed = wire::boxed<wire::leaf<bool>>;
    sdp::indirect<bool> value(true);
    EXPECT_EQ(json_of<boxed>(value), "true");
    const sdp::indirect<bool> moved = std::move(value);
    EXPECT_EQ(json_of<boxed>(moved), "true");
    EXPECT_EQ(json_of<boxed>(value), "false");
}

}  // namespace
