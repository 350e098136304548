#include "sdp/header.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace std::string_view_literals;
using sdp::error;
using sdp::kind;

namespace {

struct refusal {
    sdp::kind kind;
    std::size_t at;
};

struct row {
    const char* name;
    std::string_view input;
    std::size_t zeros;
    /// The verdict of a decoder of type 7 that takes 20 bytes at most.
    std::optional<refusal> decoder;
    /// The verdict of a dispatcher that asks for the type id alone.
    std::optional<refusal> dispatcher;
};

row fine(const char* name, std::string_view input, std::size_t zeros = 0) {
    return {name, input, zeros, {}, {}};
}

row both(const char* name, std::string_view input, sdp::kind kind, std::size_t at) {
    return {name, input, 0, refusal{kind, at}, refusal{kind, at}};
}

row decoder(const char* name, std::string_view input, sdp::kind kind, std::size_t at,
            std::size_t zeros = 0) {
    return {name, input, zeros, refusal{kind, at}, {}};
}

std::vector<row> rows() {
    return {
        fine("fine", "SDP2\7\0\2\0\0\0\xaa\xbb"sv),
        fine("an empty payload", "SDP2\7\0\0\0\0\0"sv),
        fine("bytes behind the payload", "SDP2\7\0\1\0\0\0\xaa\xbb"sv),
        fine("as long as allowed", "SDP2\7\0\x14\0\0\0"sv, 20),
        both("nothing", ""sv, kind::truncated, 0),
        both("a cut magic", "SD"sv, kind::truncated, 0),
        both("a magic without version", "SDP"sv, kind::truncated, 0),
        both("no type id", "SDP2"sv, kind::truncated, 4),
        both("a cut type id", "SDP2\7"sv, kind::truncated, 4),
        both("no length", "SDP2\7\0"sv, kind::truncated, 6),
        both("a cut length", "SDP2\7\0\2\0\0"sv, kind::truncated, 6),
        both("another magic", "SDQ2\7\0\0\0\0\0"sv, kind::magic_invalid, 0),
        both("another version", "SDP1\7\0\0\0\0\0"sv, kind::version_unsupported, 3),
        both("12.29 magic", "SE"sv, kind::magic_invalid, 0),
        both("12.29 version", "SDP3\7"sv, kind::version_unsupported, 3),
        both("12.30", "SEP3\7\0\0\0\0\0"sv, kind::magic_invalid, 0),
        both("12.31", "SDP2\10\0\0\0\0"sv, kind::truncated, 6),
        decoder("another type", "SDP2\10\0\0\0\0\0"sv, kind::type_id_mismatch, 4),
        decoder("another high byte", "SDP2\7\1\0\0\0\0"sv, kind::type_id_mismatch, 4),
        decoder("a long payload", "SDP2\7\0\x15\0\0\0"sv, kind::limit_message_bytes, 6, 21),
        decoder("a cut payload", "SDP2\7\0\3\0\0\0\xaa\xbb"sv, kind::payload_length, 6),
        decoder("12.32 limit", "SDP2\10\0\xff\0\0\0"sv, kind::type_id_mismatch, 4),
        decoder("12.32 payload", "SDP2\10\0\1\0\0\0"sv, kind::type_id_mismatch, 4),
        decoder("12.33", "SDP2\7\0\xff\xff\xff\xff"sv, kind::limit_message_bytes, 6),
    };
}

template <class T>
void expect_refusal(const sdp::result<T>& got, const std::optional<refusal>& want,
                    const char* name) {
    ASSERT_EQ(got.has_value(), !want.has_value()) << name;
    if (want) {
        EXPECT_EQ(got.error(), (error{want->kind, want->at, ""})) << name;
    }
}

}  // namespace

TEST(header, payload_names_the_first_refusal) {
    for (const row& of : rows()) {
        const std::string input = std::string{of.input} + std::string(of.zeros, '\0');
        const auto got = sdp::wire::payload(input, 7, 20);
        expect_refusal(got, of.decoder, of.name);
        if (got) {
            const auto length = static_cast<std::size_t>(input[6]);
            EXPECT_EQ(*got, sdp::bytes_view{input}.subspan(10, length)) << of.name;
        }
    }
}

TEST(header, type_id_is_refused_only_for_what_comes_before_it) {
    for (const row& of : rows()) {
        const auto got = sdp::wire::read_type_id(of.input);
        expect_refusal(got, of.dispatcher, of.name);
        if (got) {
            EXPECT_EQ(*got, of.input[4] + 256 * of.input[5]) << of.name;
        }
    }
}

TEST(header, is_read_as_it_was_written) {
    std::array<std::byte, sdp::header_bytes> bytes{};
    sdp::wire::store_header(bytes.data(), 0x0807, 0x04030201);
    EXPECT_EQ(sdp::bytes_view{bytes}, sdp::bytes_view{"SDP2\7\10\1\2\3\4"sv});
    sdp::wire::header read{};
    ASSERT_TRUE(sdp::wire::load_header(bytes, read));
    EXPECT_EQ(read.type_id, 0x0807);
    EXPECT_EQ(read.length, 0x04030201U);
}

TEST(header, unknown_type_id_points_at_the_id) {
    EXPECT_EQ(sdp::wire::unknown_type_id(), (error{kind::type_id_unknown, 4, ""}));
}
