// Reads any bytes as frames, in every way that there is, and ends the program where two ways
// differ.
//
// The first byte says how: bit 0 that checksums are checked, bit 1 that each frame gets the hash
// that it should have first, since no mutation finds one; the rest how the stream is cut. The
// second byte is the limit, in units of 64 bytes, or for 255 none.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "mxp/mxp.hpp"

namespace {

using bytes = std::vector<std::byte>;
using mxp::bytes_view;
using mxp::checksum;

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "%s\n", what);
        std::abort();
    }
}

/// The options that one input asks for.
struct asked {
    checksum mode;
    std::size_t limit;
    std::uint32_t cuts;
};

template <class T>
std::optional<mxp::error> refusal(const mxp::result<T>& of) {
    return of ? std::nullopt : std::optional{of.error()};
}

/// Writes the right hash behind every frame that could be one.
void seal(bytes& stream, std::size_t limit) {
    for (std::size_t at = 0; at < stream.size();) {
        const auto head = mxp::peek({stream.data() + at, stream.size() - at}, limit);
        if (!head || head->size() > stream.size() - at) {
            return;
        }
        const std::size_t n = mxp::header_bytes + head->payload_size;
        mxp::wire::store_number(stream.data() + at + n, mxp::wire::hash(stream.data() + at, n));
        at += head->size();
    }
}

/// A frame that was read is written as the same bytes, in every way.
void writes_again(const mxp::frame& read, bytes_view from, checksum mode) {
    bytes want(from.begin(), from.end());
    if (mode == checksum::off) {
        std::memset(want.data() + want.size() - mxp::trailer_bytes, 0, mxp::trailer_bytes);
    }
    bytes made(read.size());
    const auto size = mxp::encode(read, mode, made);
    require(size && *size == want.size() && made == want, "encode");
    bytes appended;
    require(mxp::append(read, mode, appended) && appended == want, "append");
    const std::size_t half = read.payload.size() / 2;
    const bytes_view pieces[] = {{read.payload.data(), half},
                                 {read.payload.data() + half, read.payload.size() - half}};
    for (const auto& around :
         {mxp::wrap(read, mode, read.payload), mxp::wrap(read, mode, pieces)}) {
        require(
            around && bytes_view(around->header) == bytes_view(want.data(), 32) &&
                bytes_view(around->trailer) ==
                    bytes_view(want.data() + want.size() - mxp::trailer_bytes, mxp::trailer_bytes),
            "wrap");
    }
}

/// The frames that decoding finds in a stream, and the error that ends it.
struct found {
    std::vector<mxp::frame> frames;
    std::optional<mxp::error> last;
};

found decode_in_a_row(const bytes& stream, const asked& how) {
    found made;
    std::size_t at = 0;
    while (at < stream.size()) {
        const bytes_view rest{stream.data() + at, stream.size() - at};
        const auto read = mxp::decode_prefix(rest, how.mode, how.limit);
        const auto alone = mxp::decode(rest, how.mode, how.limit);
        const auto head = mxp::peek(rest, how.limit);
        if (!read) {
            require(refusal(alone) == refusal(read), "decode and decode_prefix differ");
            const bool is_of_header =
                rest.size() < mxp::header_bytes || (read.error().kind != mxp::kind::truncated &&
                                                    read.error().kind != mxp::kind::checksum);
            require(refusal(head) == (is_of_header ? refusal(read) : std::nullopt), "peek");
            // A reader looks at the magic before a header is there [MXP-4.2].
            made.last =
                mxp::wire::begins(rest.data(), rest.size()) ? read.error() : mxp::wire::no_magic();
            return made;
        }
        require(head && head->size() == read->size() && read->size() <= rest.size(), "size");
        require(refusal(alone) ==
                    (read->size() == rest.size()
                         ? std::nullopt
                         : std::optional{mxp::error{mxp::kind::trailing, read->size()}}),
                "decode");
        writes_again(*read, {rest.data(), read->size()}, how.mode);
        made.frames.push_back(*read);
        at += read->size();
    }
    return made;
}

/// A reader that gets the stream in pieces finds what decoding finds.
void reader_agrees(const bytes& stream, const asked& how, const found& want) {
    mxp::frame_reader reader{how.mode, how.limit};
    std::uint32_t random = how.cuts;
    std::size_t frames = 0;
    for (std::size_t at = 0; at < stream.size();) {
        random = random * 1664525 + 1013904223;
        const std::size_t most = (random >> 8 & 3) == 0 ? 400 : 48;
        const std::size_t n = std::min<std::size_t>(1 + (random >> 16) % most, stream.size() - at);
        // Memory of its own, so that a sanitizer sees what is read behind it.
        const bytes piece(stream.begin() + static_cast<std::ptrdiff_t>(at),
                          stream.begin() + static_cast<std::ptrdiff_t>(at + n));
        at += n;
        bytes_view input = piece;
        for (;;) {
            const auto next = reader.next(input);
            require(reader.capacity() <= at + at / 8 + 65536, "the buffer is too large");
            if (!next) {
                require(want.last == next.error() && frames == want.frames.size(), "refusal");
                require(refusal(reader.next(input)) == want.last, "the refusal doesn't stay");
                return;
            }
            if (!*next) {
                break;
            }
            require(frames < want.frames.size() && **next == want.frames[frames], "frame");
            ++frames;
        }
        require(input.empty(), "not all was read");
    }
    require(frames == want.frames.size() && refusal(reader.end()) == want.last, "end");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    const auto* first = reinterpret_cast<const std::byte*>(data);
    bytes stream(first + 2, first + size);
    const asked how{(data[0] & 1) != 0 ? checksum::on : checksum::off,
                    data[1] == 255 ? mxp::payload_bytes : data[1] * std::size_t{64}, data[0]};
    if ((data[0] & 2) != 0) {
        seal(stream, how.limit);
    }
    reader_agrees(stream, how, decode_in_a_row(stream, how));
    return 0;
}
