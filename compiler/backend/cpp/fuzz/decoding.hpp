/// Decodes bytes in every way that there is, and fails where two ways differ.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <type_traits>

#include "agree.hpp"
#include "full.hpp"
#include "sdp/convert.hpp"
#include "sdp/json.hpp"
#include "sdp/sdp.hpp"
#include "sdp/throwing.hpp"
#include "showing.hpp"
#include "spending.hpp"

namespace fuzz {

/// A function's refusal: empty for accepted input.
template <class T>
[[nodiscard]] std::string said(const sdp::result<T>& result) {
    return result ? std::string() : result.error().message();
}

/// The verdict on bytes, found in any way.
struct verdict {
    sdp::bytes_view input;
    sdp::decode_options options;
    std::optional<sdp::error> refusal;

    /// The refusal of the same bytes behind so many others.
    [[nodiscard]] std::string behind(std::size_t n) const {
        if (!refusal) {
            return {};
        }
        sdp::error moved = *refusal;
        moved.offset = moved.offset.value() + n;
        return moved.message();
    }
    [[nodiscard]] std::string text() const { return behind(0); }
};

template <class Codec, class = void>
inline constexpr bool has_type_id = false;
template <class Codec>
inline constexpr bool has_type_id<Codec, std::void_t<decltype(Codec::type_id)>> = true;

/// The refusal of bytes that follow a value.
[[nodiscard]] inline std::string trailing(std::size_t at) {
    return sdp::error{sdp::kind::trailing_bytes, at, {}}.message();
}

/// A value that something was decoded into before.
template <class T>
[[nodiscard]] T used_before(const sdp::decode_options& options) {
    sdp::decode_options plain;
    plain.resource = options.resource;
    T used = sdp::wire::made<T>(options.resource);
    EXPECT_EQ(said(sdp::decode_into(used, full_bytes<T>(), plain)), "");
    return used;
}

/// The entry points of byte mode, for one form.
template <class T>
void byte_mode_agrees(const verdict& want) {
    const auto& [input, options, refusal] = want;
    // Of bytes that begin with a value, decoding refuses only the bytes behind the value.
    const auto prefix = sdp::decode_prefix<T>(input, options);
    const bool is_part = prefix && prefix->size < input.size();
    EXPECT_EQ(is_part ? trailing(prefix->size) : said(prefix), want.text());
    const std::string exact = said(sdp::decode_exact<T>(input, options));
    EXPECT_TRUE(!exact.empty() || !refusal) << want.text();
    EXPECT_TRUE(exact == want.text() || !options.exact) << exact << ", " << want.text();
    // The second time the value holds what the first one left.
    T used = used_before<T>(options);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(said(sdp::decode_into(used, input, options)), want.text());
    }
}

/// The entry points of message mode, for one form of a type that has an id.
template <class T>
void message_mode_agrees(const verdict& want) {
    const std::size_t n = sdp::header_bytes + want.input.size();
    sample::bytes message(sdp::header_bytes);
    sdp::wire::store_header(message.data(), sdp::type_id<T>,
                            static_cast<std::uint32_t>(want.input.size()));
    message.insert(message.end(), want.input.begin(), want.input.end());
    EXPECT_EQ(said(sdp::decode_message<T>(message, want.options)), want.behind(sdp::header_bytes));
    message.push_back({});
    EXPECT_EQ(said(sdp::decode_message<T>(message, want.options)),
              want.refusal ? want.behind(sdp::header_bytes) : trailing(n));
    sdp::wire::store_header(message.data(), sdp::type_id<T>, static_cast<std::uint32_t>(n + 1));
    EXPECT_EQ(said(sdp::decode_message<T>(message, want.options)),
              (sdp::error{sdp::kind::payload_length, 6, {}}).message());
}

/// The functions that throw.
template <class T>
void throwing_agrees(const verdict& want) {
    std::string thrown;
    try {
        static_cast<void>(sdp::decode<T>(want.input, want.options, sdp::throws));
    } catch (const sdp::exception& refused) {
        thrown = refused.error().message();
    }
    EXPECT_EQ(thrown, want.text());
}

/// The walk that names refusals, which all forms have in common.
template <class T>
void walk_agrees(const verdict& want) {
    const auto named = sdp::wire::explain(sdp::layout<T>(), want.input, 0, sdp::wire::mode::whole,
                                          want.options.exact, want.options.limits, std::nullopt);
    EXPECT_EQ(named ? named->message() : "", want.text());
}

/// All entry points, for one form.
template <class T>
void form_agrees(const verdict& want) {
    byte_mode_agrees<T>(want);
    if constexpr (has_type_id<typename T::sdp_codec>) {
        message_mode_agrees<T>(want);
    }
}

/// Decodes one type in all forms, and one of them, which the bytes choose, in every way: to name
/// a refusal takes long, and each way names it.
template <class Forms>
sdp::result<typename Forms::owned> decode_in_all_ways(sdp::bytes_view input,
                                                      const sdp::decode_options& options) {
    auto decoded = sample::agree<Forms>(input, options);
    const auto refusal = decoded ? std::nullopt : std::optional(decoded.error());
    const verdict want{input, options, refusal};
    std::size_t sum = 0;
    for (const std::byte one : input) {
        sum += std::to_integer<std::size_t>(one);
    }
    switch (sum % 5) {
    case 0:
        form_agrees<typename Forms::owned>(want);
        break;
    case 1:
        form_agrees<typename Forms::borrowed>(want);
        break;
    case 2:
        form_agrees<typename Forms::pooled>(want);
        break;
    case 3:
        form_agrees<typename Forms::view>(want);
        break;
    default:
        throwing_agrees<typename Forms::owned>(want);
        walk_agrees<typename Forms::owned>(want);
    }
    return decoded;
}

/// Holds one form of a value against the bytes that it has to be encoded to.
template <class T>
void encodes_to(const T& value, const sample::bytes& encoded) {
    const std::size_t n = encoded.size();
    EXPECT_EQ(said(sdp::validate(value)), "");
    EXPECT_EQ(sdp::encoded_size(value), n);
    std::string text = "before";
    EXPECT_EQ(said(sdp::append(value, text)), "");
    EXPECT_EQ(text.compare(0, 6, "before"), 0);
    EXPECT_TRUE(sdp::bytes_view(text).subspan(6).size() == n &&
                sdp::bytes_view(sdp::bytes_view(text).subspan(6)) == sdp::bytes_view(encoded));
    sample::bytes out(n);
    EXPECT_EQ(sdp::encode(value, sdp::span<std::byte>(out)).value_or(n + 1), n);
    EXPECT_TRUE(out == encoded);
    if (n > 0) {
        // In memory of its own, so that what is written behind it is seen.
        sample::bytes few(n - 1);
        const auto refused = sdp::encode(value, sdp::span<std::byte>(few));
        EXPECT_EQ(said(refused), (sdp::error{sdp::kind::buffer_too_small, {}, {}}).message());
    }
    if constexpr (has_type_id<typename T::sdp_codec>) {
        const auto message = sdp::encode_message(value);
        ASSERT_EQ(said(message), "");
        EXPECT_TRUE(sdp::bytes_view(sdp::bytes_view(*message).subspan(sdp::header_bytes)) ==
                    sdp::bytes_view(encoded));
        EXPECT_EQ(said(sdp::decode_message<T>(*message)), "");
    }
}

/// Decodes bytes into a value that was used for others, of which nothing may be left.
template <class T>
void replaces_all(const T& fresh, sdp::bytes_view input, const sdp::decode_options& options) {
    T used = used_before<T>(options);
    EXPECT_EQ(said(sdp::decode_into(used, input, options)), "");
    EXPECT_TRUE(used == fresh) << "something is left of the value that was there";
}

/// Holds all forms of bytes that were accepted against each other [WIRE-14.1] [WIRE-14.2].
template <class Forms>
void comes_back(const typename Forms::owned& owned, sdp::bytes_view input,
                const sdp::decode_options& options) {
    using owned_type = typename Forms::owned;
    using pooled_type = typename Forms::pooled;
    const auto borrowed = sdp::decode<typename Forms::borrowed>(input, options);
    const auto pooled = sdp::decode<pooled_type>(input, options);
    const auto view = sdp::decode<typename Forms::view>(input, options);
    ASSERT_TRUE(borrowed && pooled && view);
    const auto encoded = sdp::encode(owned);
    ASSERT_EQ(said(encoded), "");
    encodes_to(owned, *encoded);
    encodes_to(*borrowed, *encoded);
    encodes_to(*pooled, *encoded);
    EXPECT_TRUE(shows::same(*view, owned)) << "the view shows something else";

    if (sdp::decode_exact<owned_type>(input, options)) {
        EXPECT_TRUE(sdp::bytes_view(*encoded) == input) << "other bytes came back";
    }
    sdp::decode_options plain;
    plain.resource = options.resource;
    const auto again = sdp::decode<owned_type>(*encoded, plain);
    ASSERT_EQ(said(again), "");
    EXPECT_TRUE(*again == owned);
    EXPECT_TRUE(sdp::encode(*again).value() == *encoded);
    replaces_all(owned, input, options);
    replaces_all(*borrowed, input, options);
    replaces_all(*pooled, input, options);

    const auto kept = sdp::convert<owned_type>(*borrowed);
    ASSERT_EQ(said(kept), "");
    EXPECT_TRUE(*kept == owned);
    const auto moved = sdp::convert<pooled_type>(owned, options.resource);
    ASSERT_EQ(said(moved), "");
    EXPECT_TRUE(*moved == *pooled);

    // A decoded value always has JSON: it is UTF-8, has names, and is no deeper than encoders go.
    const auto json = sdp::to_json(owned);
    ASSERT_EQ(said(json), "");
    EXPECT_EQ(*json, sdp::to_json(*borrowed).value());
    EXPECT_EQ(*json, sdp::to_json(*pooled).value());
}

/// Decodes bytes into one form, and compares its allocations, naming a refusal included, with the
/// promise of the type [WIRE-8.7].
template <class T>
void keeps_bound(sdp::bytes_view input, bool is_owned) {
    const std::size_t most = sdp::memory_factor<T> * input.size() + (std::size_t{64} << 10);
    counting_resource memory;
    sdp::decode_options options;
    options.resource = &memory;
    const no_default_resource guard;
    bool is_accepted = false;
    const std::size_t spent =
        spent_by([&] { is_accepted = sdp::decode<T>(input, options).has_value(); });
    EXPECT_LE(spent, most) << input.size() << " bytes, accepted: " << is_accepted;
    if (is_accepted && !is_owned) {
        EXPECT_EQ(spent, memory.given()) << "not all memory is the resource's";
    }
    T used = used_before<T>(options);
    EXPECT_LE(spent_by([&] { static_cast<void>(sdp::decode_into(used, input, options)); }), most);
    EXPECT_LE(spent_by([&] { static_cast<void>(sdp::decode_into(used, input, options)); }), most);
}

/// Views take no memory at all, but to name refusals.
template <class View>
void keeps_none(sdp::bytes_view input) {
    const std::size_t most = sdp::memory_factor<View> * input.size() + (std::size_t{64} << 10);
    bool is_accepted = false;
    const std::size_t spent = spent_by([&] { is_accepted = sdp::decode<View>(input).has_value(); });
    EXPECT_LE(spent, is_accepted ? 0 : most) << input.size() << " bytes";
}

/// Decodes bytes in every way. Accepted bytes come back, and refused bytes cost no more memory than
/// accepted ones.
template <class Forms>
void check(sdp::bytes_view input) {
    counting_resource memory;
    sdp::decode_options options;
    options.exact = input.size() % 2 == 1;
    options.resource = &memory;
    const auto decoded = decode_in_all_ways<Forms>(input, options);
    if (decoded) {
        comes_back<Forms>(*decoded, input, options);
    } else {
        EXPECT_NE(decoded.error().kind, sdp::kind::value_invalid) << "no decoder reports it";
    }
    // Of what is refused, some has lower limits too, or its memory is measured: to name refusals
    // takes long.
    const std::size_t chosen = input.size() / 2 % 4;
    if (decoded || chosen == 0) {
        keeps_bound<typename Forms::owned>(input, true);
        keeps_bound<typename Forms::borrowed>(input, false);
        keeps_bound<typename Forms::pooled>(input, false);
        keeps_none<typename Forms::view>(input);
    }
    if (decoded || chosen == 1) {
        options.limits.depth = 1 + input.size() / 8 % 5;
        options.limits.elements = input.size() / 8 % 100;
        static_cast<void>(decode_in_all_ways<Forms>(input, options));
    }
}

}  // namespace fuzz
