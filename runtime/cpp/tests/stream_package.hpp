/// A package as the compiler would generate it, of two types, and sources and sinks that do what
/// real ones may.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sdp/sdp.hpp"
#include "sdp/stream.hpp"

/// `@id(7) struct Note { text: @max(2000) str }`.
struct note_codec {
    static constexpr std::uint16_t type_id = 7;
    static constexpr bool fixed = false;
    static constexpr bool has_window = false;
    static constexpr std::size_t least = 4;
    static constexpr std::size_t memory_factor = 1;
    static constexpr std::string_view layout = "struct a.Note\n text str4<=2000\n";
    using layout_types = sdp::wire::codec_list<>;
    template <class T>
    static constexpr bool is_view = false;

    template <class T>
    static bool read(sdp::wire::decoder& d, sdp::wire::cursor& s, T& value, std::size_t depth) {
        const std::byte* from = nullptr;
        std::size_t n = 0;
        if (!d.enter(depth) || !s.bytes<4>(from, n, 2000) || !sdp::wire::is_utf8(from, n)) {
            return false;
        }
        value.text = {reinterpret_cast<const char*>(from), n};
        return true;
    }
    template <class T>
    static std::byte* write(sdp::wire::writer& w, std::byte* out, const T& value, std::size_t) {
        const auto* from = reinterpret_cast<const std::byte*>(value.text.data());
        return w.bytes<4>(out, from, value.text.size(), 2000);
    }
    template <class T>
    static std::size_t size(const T& value, std::size_t) {
        return 4 + value.text.size();
    }
    template <class V, class T>
    static bool fields(V& visit, T& value) {
        return visit.template field<sdp::wire::text<4, 2000>>("text", value.text);
    }
};

template <class Text>
struct note_of {
    using sdp_codec = note_codec;

    Text text;

    friend bool operator==(const note_of& a, const note_of& b) { return a.text == b.text; }
};

using note = note_of<std::string>;
using note_ref = note_of<std::string_view>;

/// `@id(8) struct Empty {}`.
struct empty_codec {
    static constexpr std::uint16_t type_id = 8;
    static constexpr bool fixed = false;
    static constexpr bool has_window = false;
    static constexpr std::size_t least = 0;
    static constexpr std::size_t memory_factor = 0;
    static constexpr std::string_view layout = "struct a.Empty\n";
    using layout_types = sdp::wire::codec_list<>;
    template <class T>
    static constexpr bool is_view = false;

    template <class T>
    static bool read(sdp::wire::decoder& d, sdp::wire::cursor&, T&, std::size_t depth) {
        return d.enter(depth);
    }
    template <class T>
    static std::byte* write(sdp::wire::writer&, std::byte* out, const T&, std::size_t) {
        return out;
    }
    template <class T>
    static std::size_t size(const T&, std::size_t) {
        return 0;
    }
    template <class V, class T>
    static bool fields(V&, T&) {
        return true;
    }
};

struct empty {
    using sdp_codec = empty_codec;

    friend bool operator==(const empty&, const empty&) { return true; }
};

using package = std::variant<note, empty>;

/// A header that declares a length.
inline std::string header(std::uint16_t type_id, std::uint32_t length) {
    std::string bytes(sdp::header_bytes, '\0');
    sdp::wire::store_header(reinterpret_cast<std::byte*>(bytes.data()), type_id, length);
    return bytes;
}

inline std::string message(std::uint16_t type_id, const std::string& payload) {
    return header(type_id, static_cast<std::uint32_t>(payload.size())) + payload;
}

/// The message of a note.
inline std::string note_message(const std::string& text) {
    std::string bytes;
    const bool done = sdp::append_message(note{text}, bytes).has_value();
    return done ? bytes : "";
}

/// Passes a few bytes at a time.
struct trickle {
    std::string bytes;
    std::size_t most = 1;
    std::size_t at = 0;

    sdp::result<std::size_t> read(sdp::span<std::byte> to) {
        const std::size_t n = std::min({most, to.size(), bytes.size() - at});
        std::memcpy(to.data(), bytes.data() + at, n);
        at += n;
        return n;
    }
};

/// Passes the bytes that are asked for.
inline trickle source_of(std::string bytes) {
    return {std::move(bytes), static_cast<std::size_t>(-1)};
}

/// Passes so many bytes of a note and then fails, for good.
struct failing {
    std::size_t left = 0;

    sdp::result<std::size_t> read(sdp::span<std::byte> to) {
        const std::size_t n = std::min(left, to.size());
        if (n == 0) {
            return sdp::unexpected{sdp::error{sdp::kind::io_failed}};
        }
        std::memcpy(to.data(), note_message(std::string(100, 'x')).data(), n);
        left -= n;
        return n;
    }
    sdp::result<void> write(sdp::bytes_view from) {
        if (from.size() > left) {
            return sdp::unexpected{sdp::error{sdp::kind::io_failed}};
        }
        left -= from.size();
        return {};
    }
};

/// Passes one byte over and over, and counts.
struct endless {
    std::uint64_t passed = 0;
    std::size_t largest = 0;

    sdp::result<std::size_t> read(sdp::span<std::byte> to) {
        largest = std::max(largest, to.size());
        std::memset(to.data(), 1, to.size());
        passed += to.size();
        return to.size();
    }
};

/// Says that it read more than there was room for.
struct boasting {
    sdp::result<std::size_t> read(sdp::span<std::byte> to) { return to.size() + 1; }
};

/// Keeps what is written.
struct keeping {
    std::string bytes;

    sdp::result<void> write(sdp::bytes_view from) {
        bytes.append(reinterpret_cast<const char*>(from.data()), from.size());
        return {};
    }
};
