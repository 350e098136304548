/// Streams of messages that arrive in pieces.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <variant>

#include "fuzz.hpp"
#include "sample.hpp"
#include "sdp/sdp.hpp"
#include "sdp/stream.hpp"
#include "shapes.hpp"

namespace fuzz {

namespace {

/// Yields some bytes at a time, and by itself as many as there is room for.
class source {
   public:
    explicit source(sdp::bytes_view data, std::optional<std::uint8_t> piece = {})
        : data_(data), piece_(piece) {}

    sdp::result<std::size_t> read(sdp::span<std::byte> to) {
        std::size_t n = std::min(to.size(), data_.size());
        if (piece_) {
            piece_ = static_cast<std::uint8_t>(*piece_ * 5 + 3);
            n = std::min(n, *piece_ % std::size_t{32} + 1);
        }
        if (n > 0) {
            std::memcpy(to.data(), data_.data(), n);
            data_ = data_.subspan(n);
        }
        return n;
    }

    [[nodiscard]] std::size_t left() const noexcept { return data_.size(); }

   private:
    sdp::bytes_view data_;
    std::optional<std::uint8_t> piece_;
};

/// Takes what is written to it.
struct sink {
    sample::bytes taken;

    sdp::result<void> write(sdp::bytes_view from) {
        taken.insert(taken.end(), from.begin(), from.end());
        return {};
    }
};

using reader = sdp::message_reader<source>;

/// The refusal of the next message: empty of the end, and of one that is fine.
template <class Result>
std::string said(const Result& result) {
    return result ? std::string() : result.error().message();
}

/// Reads a message and returns it as it is written again, or nothing at the end.
sdp::result<std::optional<sample::bytes>> read_and_write(reader& from) {
    const auto read = from.next<shapes::Message>();
    if (!read) {
        return sdp::unexpected(read.error());
    }
    if (!*read) {
        return std::optional<sample::bytes>();
    }
    sdp::message_writer<sink> to{sink{}};
    EXPECT_EQ(said(to.write(**read)), "");
    return std::optional(to.sink().taken);
}

/// Compares a reader's verdict on a message that is whole, or not, with the dispatcher's verdict on
/// its bytes, and returns how many these are, or nothing if no message can follow.
std::optional<std::size_t> dispatched(sdp::bytes_view rest,
                                      const sdp::result<std::optional<sample::bytes>>& read) {
    sdp::wire::header header{};
    if (!sdp::wire::load_header(rest, header)) {
        const std::string cut = rest.empty() ? "" : said(sdp::decode_message<shapes::Absent>(rest));
        EXPECT_EQ(said(read), cut);
        EXPECT_TRUE(!read || !*read) << "a message without a header";
        return std::nullopt;
    }
    const std::size_t end = header.length + sdp::header_bytes;
    const bool is_short = end > rest.size();
    const sdp::bytes_view bytes = rest.first(std::min(end, rest.size()));
    const auto message = shapes::decode_message(bytes);
    EXPECT_EQ(said(shapes::decode_message<shapes::MessageRef>(bytes)), said(message));
    EXPECT_EQ(said(shapes::decode_message<shapes::pmr::Message>(bytes)), said(message));
    EXPECT_EQ(said(shapes::decode_message<shapes::MessageView>(bytes)), said(message));
    if (message) {
        EXPECT_TRUE(read && *read) << said(read);
        sdp::message_writer<sink> to{sink{}};
        EXPECT_EQ(said(to.write(*message)), "");
        EXPECT_TRUE(to.sink().taken == **read) << "the reader's message is another";
        return end;
    }
    const bool is_unknown = message.error().kind == sdp::kind::type_id_unknown;
    // Bytes that end too early have a wrong length, and a stream of them is cut.
    if (message.error().kind == sdp::kind::payload_length || (is_short && is_unknown)) {
        EXPECT_EQ(said(read), (sdp::error{sdp::kind::truncated, 6, {}}).message());
        return std::nullopt;
    }
    EXPECT_EQ(said(read), said(message));
    return is_unknown ? std::optional(end) : std::nullopt;
}

/// Reads the bytes of all messages. Memory grows with the received bytes, not with the declared
/// lengths.
void read_bytes(sdp::bytes_view data, std::uint8_t piece) {
    reader from{source(data, piece)};
    bool goes_on = true;
    while (goes_on) {
        const sdp::bytes_view before = data;
        goes_on = false;
        const auto read = from.next();
        if (read && *read) {
            const std::size_t n = (*read)->size();
            ASSERT_LE(n, data.size());
            EXPECT_TRUE(sdp::bytes_view(before.first(n)) == **read);
            data = data.subspan(n);
            EXPECT_EQ(from.source().left(), data.size()) << "bytes behind the message were read";
            goes_on = true;
        }
    }
}

}  // namespace

void stream(sdp::bytes_view input) {
    if (input.empty()) {
        return;
    }
    const auto piece = std::to_integer<std::uint8_t>(input[0]);
    const sdp::bytes_view data = input.subspan(1);
    EXPECT_LE(spent_by([&] { read_bytes(data, piece); }),
              4 * data.size() + (std::size_t{16} << 10));
    reader whole{source(data)};
    reader pieces{source(data, piece)};
    reader borrowed{source(data, piece)};
    reader pooled{source(data, piece)};
    reader viewed{source(data, piece)};
    const auto others_say = [&](const std::string& text, bool is_message) {
        const auto same = [&](const auto& read) {
            return said(read) == text && (read && *read) == is_message;
        };
        return same(borrowed.next<shapes::MessageRef>()) &&
               same(pooled.next<shapes::pmr::Message>()) &&
               same(viewed.next<shapes::MessageView>());
    };
    std::optional<std::size_t> n = 0;
    for (sdp::bytes_view rest = data; n; rest = rest.subspan(n.value_or(0))) {
        const auto read = read_and_write(whole);
        const auto other = read_and_write(pieces);
        EXPECT_EQ(said(other), said(read));
        EXPECT_TRUE(!read || *other == *read) << "pieces make another message";
        EXPECT_TRUE(others_say(said(read), read && *read)) << said(read);
        n = dispatched(rest, read);
        if (n) {
            EXPECT_EQ(whole.source().left(), rest.size() - *n);
            EXPECT_EQ(pieces.source().left(), rest.size() - *n);
        } else {
            EXPECT_EQ(said(read_and_write(whole)), said(read)) << "the end stays the end";
            EXPECT_TRUE(others_say(said(read), false)) << "the end stays the end";
        }
    }
}

}  // namespace fuzz
