#include "sdp/stream.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stream_package.hpp"

using sdp::error;
using sdp::kind;
using sdp::message_reader;
using sdp::message_writer;

namespace {

sdp::decode_options at_most(std::size_t message_bytes) {
    sdp::decode_options options;
    options.limits.message_bytes = message_bytes;
    return options;
}

std::string two_messages() { return note_message("abc") + message(8, ""); }

template <class Reader>
void expect_note(Reader& reader, const std::string& text) {
    const auto read = reader.template next<package>();
    ASSERT_TRUE(read) << read.error().message();
    ASSERT_TRUE(*read);
    EXPECT_EQ(**read, package{note{text}});
}

template <class Reader>
void expect_end(Reader& reader) {
    for (int i = 0; i < 2; ++i) {
        const auto read = reader.template next<package>();
        ASSERT_TRUE(read) << read.error().message();
        EXPECT_FALSE(*read);
    }
}

}  // namespace

TEST(message_reader, returns_messages_one_at_a_time) {
    message_reader reader{source_of(two_messages())};
    expect_note(reader, "abc");
    EXPECT_EQ(**reader.next<package>(), package{empty{}});
    expect_end(reader);
}

TEST(message_reader, takes_sources_that_trickle) {
    message_reader reader{trickle{two_messages() + message(9, "skipped") + note_message("z")}};
    expect_note(reader, "abc");
    EXPECT_EQ(**reader.next<package>(), package{empty{}});
    EXPECT_EQ(reader.next<package>().error(), (error{kind::type_id_unknown, 4, ""}));
    expect_note(reader, "z");
    expect_end(reader);
}

TEST(message_reader, stops_behind_the_message) {
    trickle source = source_of(note_message("abc") + "rest");
    message_reader<trickle&> reader{source};
    expect_note(reader, "abc");
    EXPECT_EQ(source.bytes.substr(source.at), "rest");
    EXPECT_EQ(&reader.source(), &source);
}

TEST(message_reader, passes_raw_messages_of_any_type) {
    message_reader reader{source_of(two_messages() + message(9, "x"))};
    EXPECT_EQ(**reader.next(), sdp::bytes_view{note_message("abc")});
    EXPECT_EQ(**reader.next(), sdp::bytes_view{message(8, "")});
    EXPECT_EQ(**reader.next(), sdp::bytes_view{message(9, "x")});
    EXPECT_FALSE(*reader.next());
}

TEST(message_reader, borrowed_messages_point_into_its_memory) {
    message_reader reader{source_of(two_messages())};
    const auto read = reader.next<std::variant<note_ref, empty>>();
    ASSERT_TRUE(read && *read);
    EXPECT_EQ(std::get<note_ref>(**read).text, "abc");
}

TEST(message_reader, of_one_type_ends_at_another) {
    message_reader reader{source_of(two_messages() + note_message("z"))};
    EXPECT_EQ((*reader.next<note>())->text, "abc");
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(reader.next<note>().error(), (error{kind::type_id_mismatch, 4, ""}));
        EXPECT_FALSE(reader.next<empty>());
        EXPECT_FALSE(reader.next());
    }
}

// Each stream starts with a message that is fine: offsets count from the header of the second.
TEST(message_reader, refusals_stay_and_count_from_their_message) {
    using namespace std::string_literals;
    struct row {
        std::string bytes;
        sdp::kind kind;
        std::size_t at;
        std::string path = "";
    };
    for (const row& of : {
             row{"SE", kind::magic_invalid, 0},
             row{"SDP3", kind::version_unsupported, 3},
             row{"SDP", kind::truncated, 0},
             row{"SDP2", kind::truncated, 4},
             row{"SDP2\7", kind::truncated, 4},
             row{"SDP2\7\0"s, kind::truncated, 6},
             row{"SDP2\7\0\1\0\0"s, kind::truncated, 6},
             row{"SDP2\11\0\1\0\0"s, kind::truncated, 6},
             row{header(7, 1), kind::truncated, 6},
             row{header(7, 20), kind::truncated, 6},
             row{header(9, 1), kind::truncated, 6},
             row{header(9, 100'000) + std::string(9'000, 'x'), kind::truncated, 6},
             row{message(7, std::string(21, 'x')), kind::limit_message_bytes, 6},
             row{header(7, 0xffffffff), kind::limit_message_bytes, 6},
             row{note_message("ab\xff"), kind::utf8_invalid, 16, "text"},
             row{message(8, "a"), kind::trailing_bytes, 10},
         }) {
        const std::string rest = of.kind == kind::truncated ? "" : message(8, "");
        message_reader reader{source_of(note_message("abc") + of.bytes + rest), at_most(20)};
        expect_note(reader, "abc");
        for (int i = 0; i < 2; ++i) {
            EXPECT_EQ(reader.next<package>().error(), (error{of.kind, of.at, of.path}));
            EXPECT_EQ(reader.next().error(), (error{of.kind, of.at, of.path}));
        }
    }
}

TEST(message_reader, skips_unknown_messages_over_the_limit) {
    message_reader reader{source_of(message(9, std::string(50'000, 'x')) + note_message("z")),
                          at_most(20)};
    EXPECT_EQ(reader.next<package>().error(), (error{kind::type_id_unknown, 4, ""}));
    expect_note(reader, "z");
}

TEST(message_reader, failures_of_the_source_stay) {
    for (const std::size_t n : {0U, 5U, 10U, 50U}) {
        message_reader reader{failing{n}};
        for (int i = 0; i < 2; ++i) {
            EXPECT_EQ(reader.next<package>().error(), error{kind::io_failed});
        }
    }
    message_reader reader{boasting{}};
    EXPECT_EQ(reader.next().error(), error{kind::io_failed});
}

TEST(message_reader, declared_lengths_cost_no_memory) {
    // The source counts the bytes that it is asked for, for which there is memory.
    struct declared : endless {
        std::string start = header(7, 0xffffffff);
        sdp::result<std::size_t> read(sdp::span<std::byte> to) {
            if (!start.empty()) {
                std::memcpy(to.data(), start.data(), to.size());
                start.erase(0, to.size());
                return to.size();
            }
            return passed < 10'000 ? endless::read(to) : 0;
        }
    };
    message_reader reader{declared{}, at_most(static_cast<std::size_t>(-1))};
    EXPECT_EQ(reader.next<package>().error(), (error{kind::truncated, 6, ""}));
    EXPECT_LT(reader.source().largest, 32'768U);
}

TEST(message_reader, skipping_holds_no_payload) {
    struct unknown : endless {
        std::string start = header(9, 64 << 20);
        sdp::result<std::size_t> read(sdp::span<std::byte> to) {
            if (!start.empty()) {
                std::memcpy(to.data(), start.data(), to.size());
                start.erase(0, to.size());
                return to.size();
            }
            return endless::read(to);
        }
    };
    message_reader reader{unknown{}};
    EXPECT_EQ(reader.next<package>().error().kind, kind::type_id_unknown);
    EXPECT_EQ(reader.source().passed, 64U << 20);
    EXPECT_LE(reader.source().largest, 4096U);
}

TEST(message_writer, what_was_written_is_read) {
    message_writer writer{keeping{}};
    ASSERT_TRUE(writer.write(note{"abc"}));
    ASSERT_TRUE(writer.write(package{empty{}}));
    ASSERT_TRUE(writer.write(package{note{""}}));
    EXPECT_EQ(writer.sink().bytes, two_messages() + note_message(""));
    message_reader reader{source_of(writer.sink().bytes)};
    expect_note(reader, "abc");
    EXPECT_EQ(**reader.next<package>(), package{empty{}});
    expect_note(reader, "");
    expect_end(reader);
}

// [WIRE-11.7] to [WIRE-11.9]
TEST(message_writer, preambles_stand_in_front_of_messages) {
    message_writer writer{keeping{}};
    ASSERT_TRUE(writer.write_preamble<note>());
    ASSERT_TRUE(writer.write(note{"abc"}));
    const std::string text = "0 struct a.Note\n text str4<=2000\n";
    std::string preamble = message(7, text);
    preamble[3] = 'S';
    EXPECT_EQ(writer.sink().bytes, preamble + note_message("abc"));
    message_reader reader{source_of(writer.sink().bytes)};
    expect_note(reader, "abc");
    expect_end(reader);

    message_reader of_one_type{source_of(preamble + note_message("abc"))};
    EXPECT_EQ((*of_one_type.next<note>())->text, "abc");
    message_reader of_another{source_of(preamble)};
    EXPECT_EQ(of_another.next<empty>().error(), (error{kind::type_id_mismatch, 4, ""}));

    preamble.replace(preamble.find("text"), 4, "note");
    preamble.replace(preamble.find("str4"), 4, "str2");
    message_reader differs{source_of(preamble + note_message("abc"))};
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(differs.next<package>().error(),
                  (error{kind::layout_mismatch, 10, "a.Note.text"}));
    }
    message_reader raw{source_of(preamble + note_message("abc"))};
    EXPECT_EQ(**raw.next(), sdp::bytes_view{note_message("abc")});
}

TEST(message_writer, refused_messages_write_nothing) {
    message_writer writer{keeping{}};
    EXPECT_EQ(writer.write(package{note{std::string(2001, 'x')}}).error(),
              (error{kind::limit_max, {}, "text"}));
    ASSERT_TRUE(writer.write(empty{}));
    EXPECT_EQ(writer.sink().bytes, message(8, ""));
}

TEST(message_writer, failing_sinks_are_reported) {
    message_writer writer{failing{16}};
    EXPECT_EQ(writer.write(note{"abc"}).error(), error{kind::io_failed});
    EXPECT_TRUE(writer.write(note{"ab"}));
}
