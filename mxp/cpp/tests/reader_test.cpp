#include "mxp/reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sample.hpp"

using mxp::bytes_view;
using mxp::checksum;
using mxp::frame_reader;
using mxp::kind;
using sample::bytes;
using sample::said;
using sample::told;

namespace {

/// The output of a reader for a stream: the frames as bytes, and the refusal or "fine".
struct heard {
    std::vector<bytes> frames;
    std::string last;

    friend bool operator==(const heard& a, const heard& b) {
        return a.frames == b.frames && a.last == b.last;
    }
};

bytes encoded(const mxp::frame& of) {
    bytes made;
    EXPECT_EQ(said(mxp::append(of, checksum::on, made)), "fine");
    return made;
}

/// Gives a reader the pieces between the cuts, each in memory of its own.
heard read(const bytes& stream, const std::vector<std::size_t>& cuts,
           std::size_t limit = mxp::payload_bytes) {
    frame_reader reader{checksum::on, limit};
    heard made;
    std::size_t from = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
        const std::size_t to = i < cuts.size() ? cuts[i] : stream.size();
        const bytes piece(stream.begin() + static_cast<std::ptrdiff_t>(from),
                          stream.begin() + static_cast<std::ptrdiff_t>(to));
        from = to;
        bytes_view input = piece;
        for (;;) {
            const auto next = reader.next(input);
            if (!next) {
                made.last = said(next);
                // It stays, with any later bytes [MXP-4.4].
                bytes_view more = stream;
                EXPECT_EQ(said(reader.next(more)), made.last);
                EXPECT_EQ(said(reader.end()), made.last);
                return made;
            }
            if (!*next) {
                EXPECT_TRUE(input.empty());
                break;
            }
            made.frames.push_back(encoded(**next));
        }
    }
    made.last = said(reader.end());
    EXPECT_EQ(said(reader.end()), made.last);
    return made;
}

/// The output of decoding one frame of a stream behind the other.
heard decoded_in_a_row(const bytes& stream, std::size_t limit = mxp::payload_bytes) {
    heard made;
    bytes_view rest = stream;
    while (!rest.empty()) {
        const auto one = mxp::decode_prefix(rest, checksum::on, limit);
        if (!one) {
            made.last = said(one);
            return made;
        }
        made.frames.push_back(encoded(*one));
        rest = {rest.data() + one->size(), rest.size() - one->size()};
    }
    made.last = "fine";
    return made;
}

bytes several() {
    return sample::joined({sample::frame(0), sample::frame(5, 0x21), sample::frame(0, 0x84),
                           sample::frame(100, 0x22, 8), sample::frame(1)});
}

/// Streams that end well, that are cut, and that are damaged in different places.
std::vector<bytes> streams() {
    const bytes good = several();
    std::vector<bytes> made{{}, good, sample::frame(0)};
    for (const std::size_t n : {1U, 31U, 32U, 39U, 60U, 90U, 250U}) {
        made.emplace_back(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
    }
    for (const std::size_t at : {0U, 44U, 45U, 46U, 64U + 7, 72U, 77U, 80U, 165U, 200U}) {
        made.push_back(good);
        made.back()[at] ^= std::byte{0x40};
    }
    return made;
}

}  // namespace

TEST(frame_reader, returns_frames_one_at_a_time) {
    const bytes stream = several();
    const heard want{{sample::frame(0), sample::frame(5, 0x21), sample::frame(0, 0x84),
                      sample::frame(100, 0x22, 8), sample::frame(1)},
                     "fine"};
    EXPECT_EQ(read(stream, {}), want);
    EXPECT_EQ(decoded_in_a_row(stream), want);
}

// [MXP-4.1]
TEST(frame_reader, cutting_anywhere_changes_nothing) {
    for (const bytes& stream : streams()) {
        const heard want = decoded_in_a_row(stream);
        for (std::size_t one = 0; one <= stream.size(); ++one) {
            EXPECT_EQ(read(stream, {one}), want) << one;
            for (std::size_t other = one; other <= stream.size(); other += 7) {
                EXPECT_EQ(read(stream, {one, other}), want) << one << " " << other;
            }
        }
    }
}

// [MXP-4.1]
TEST(frame_reader, takes_single_bytes) {
    for (const bytes& stream : streams()) {
        std::vector<std::size_t> cuts;
        for (std::size_t at = 0; at < stream.size(); ++at) {
            cuts.push_back(at);
        }
        EXPECT_EQ(read(stream, cuts), decoded_in_a_row(stream));
    }
}

// [MXP-4.1]
TEST(frame_reader, random_streams_cut_at_random) {
    sample::numbers random{3};
    for (int i = 0; i < 2000; ++i) {
        bytes stream;
        for (std::size_t frames = random.below(6); frames > 0; --frames) {
            const std::size_t n = random.below(4) == 0 ? random.below(9000) : random.below(300);
            const auto one = sample::frame(n, sample::types[random.below(std::size(sample::types))],
                                           static_cast<unsigned>(random.below(16)));
            stream.insert(stream.end(), one.begin(), one.end());
        }
        if (!stream.empty() && random.below(3) == 0) {
            stream[random.below(stream.size())] ^= std::byte{8};
        }
        if (random.below(3) == 0) {
            stream.resize(random.below(stream.size() + 1));
        }
        std::vector<std::size_t> cuts(random.below(12));
        for (std::size_t& cut : cuts) {
            cut = random.below(stream.size() + 1);
        }
        std::sort(cuts.begin(), cuts.end());
        const std::size_t limit = random.below(4) == 0 ? random.below(300) : mxp::payload_bytes;
        EXPECT_EQ(read(stream, cuts, limit), decoded_in_a_row(stream, limit)) << i;
    }
}

// [MXP-4.3]
TEST(frame_reader, frames_whole_in_a_piece_stay_there) {
    const bytes stream = several();
    frame_reader reader{checksum::on};
    bytes_view input = stream;
    std::size_t at = 0;
    for (int i = 0; i < 5; ++i) {
        const auto next = reader.next(input);
        ASSERT_TRUE(next && *next);
        EXPECT_EQ((*next)->payload.data(), stream.data() + at + 32);
        at += (*next)->size();
        EXPECT_EQ(input.data(), stream.data() + at);
    }
    EXPECT_EQ(reader.capacity(), 0U);
}

TEST(frame_reader, frames_whole_in_a_piece_stay_there_behind_one_that_was_cut) {
    const bytes stream = sample::joined({sample::frame(10), sample::frame(20)});
    frame_reader reader{checksum::on};
    bytes_view input{stream.data(), 20};
    ASSERT_FALSE(*reader.next(input));
    input = {stream.data() + 20, stream.size() - 20};
    ASSERT_TRUE(*reader.next(input));
    const auto second = reader.next(input);
    ASSERT_TRUE(*second);
    EXPECT_EQ((*second)->payload.data(), stream.data() + 82);
}

// [MXP-4.2]
TEST(frame_reader, headers_are_refused_when_they_are_there) {
    struct row {
        sample::parts of;
        std::string want;
    };
    std::vector<row> rows(5);
    rows[0].of.magic = 0;
    rows[0].want = told(kind::magic, 0);
    rows[1].of.type = 0;
    rows[1].want = told(kind::type, 4);
    rows[2].of.flags = 0x10;
    rows[2].want = told(kind::flags, 5);
    rows[3].of.reserved = 0x100;
    rows[3].want = told(kind::reserved, 6);
    rows[4].of.length = 1001;
    rows[4].want = told(kind::too_large, 24);
    for (const row& one : rows) {
        const bytes header = sample::header_of(one.of);
        for (std::size_t cut = 0; cut < 32; ++cut) {
            frame_reader reader{checksum::off, 1000};
            bytes_view first{header.data(), cut};
            const auto waits = reader.next(first);
            if (one.of.magic == 0 && cut > 0) {  // which is looked at with each byte
                EXPECT_EQ(said(waits), one.want);
                continue;
            }
            ASSERT_TRUE(waits && !*waits);
            bytes_view second{header.data() + cut, 32 - cut};
            EXPECT_EQ(said(reader.next(second)), one.want);
            EXPECT_EQ(reader.capacity(), 0U);
        }
    }
}

// [MXP-4.5]
TEST(frame_reader, ends_where_a_frame_ends) {
    const bytes stream = sample::joined({sample::frame(10), sample::frame(20)});
    for (std::size_t n = 0; n <= stream.size(); ++n) {
        frame_reader reader{checksum::on};
        bytes_view input{stream.data(), n};
        for (;;) {
            const auto next = reader.next(input);
            ASSERT_TRUE(next);
            if (!*next) {
                break;
            }
        }
        const std::string want =
            n == 0 || n == 50 || n == 110 ? "fine" : told(kind::truncated, n < 50 ? n : n - 50);
        EXPECT_EQ(said(reader.end()), want);
        // Nothing comes after an end that was refused.
        bytes_view more{stream.data() + n, stream.size() - n};
        EXPECT_EQ(said(reader.next(more)), want);
    }
}

TEST(frame_reader, ends_behind_a_frame_that_it_holds) {
    const bytes stream = sample::frame(10);
    frame_reader reader{checksum::on};
    bytes_view first{stream.data(), 40};
    ASSERT_FALSE(*reader.next(first));
    bytes_view second{stream.data() + 40, 10};
    ASSERT_TRUE(*reader.next(second));
    EXPECT_EQ(said(reader.end()), "fine");
}

// [MXP-1.7]
TEST(frame_reader, looks_at_trailers_only_if_it_is_told_to) {
    bytes stream = sample::frame(10);
    stream.back() ^= std::byte{1};
    for (const std::size_t cut : {0U, 20U, 40U, 49U}) {
        for (const checksum mode : {checksum::on, checksum::off}) {
            frame_reader reader{mode};
            bytes_view first{stream.data(), cut};
            ASSERT_FALSE(*reader.next(first));
            bytes_view second{stream.data() + cut, stream.size() - cut};
            EXPECT_EQ(said(reader.next(second)),
                      mode == checksum::on ? told(kind::checksum, 42) : "fine");
        }
    }
}
