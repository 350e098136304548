/// Unions and kept tails: what a decoder doesn't know and an encoder writes back.
#ifndef SDP_UNIONS_HPP
#define SDP_UNIONS_HPP

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <type_traits>
#include <vector>

#include "shapes.hpp"

namespace sdp {

/// An alternative of a union that has no name here, as it was decoded.
struct unknown {
    /// Says which alternative it is.
    std::uint8_t tag = 0;
    /// The encoding of the alternative's payload.
    std::vector<std::byte> payload{};

    friend bool operator==(const unknown& a, const unknown& b) {
        return a.tag == b.tag && a.payload == b.payload;
    }
    friend bool operator!=(const unknown& a, const unknown& b) { return !(a == b); }
};

/// `unknown`, borrowed from the bytes that it was decoded from.
struct unknown_ref {
    /// Says which alternative it is.
    std::uint8_t tag = 0;
    /// The encoding of the alternative's payload.
    bytes_view payload{};

    friend bool operator==(const unknown_ref& a, const unknown_ref& b) noexcept {
        return a.tag == b.tag && a.payload == b.payload;
    }
    friend bool operator!=(const unknown_ref& a, const unknown_ref& b) noexcept {
        return !(a == b);
    }
};

namespace pmr {

/// `unknown`, which takes its memory from a resource.
struct unknown {
    /// Says which alternative it is.
    std::uint8_t tag = 0;
    /// The encoding of the alternative's payload.
    std::pmr::vector<std::byte> payload{};

    friend bool operator==(const unknown& a, const unknown& b) {
        return a.tag == b.tag && a.payload == b.payload;
    }
    friend bool operator!=(const unknown& a, const unknown& b) { return !(a == b); }
};

}  // namespace pmr

namespace wire {

/// Notes which alternative a view is of, and where its payload lies.
inline void choose_place(choice& value, std::size_t index, const cursor& payload,
                         unsigned tag) noexcept {
    value = {index, tag, {payload.at, payload.end}};
}

/// Makes the alternative without contents at an index the current one.
template <std::size_t Index, class Decoder, class T>
void choose(Decoder& d, const cursor& payload, unsigned tag, T& value) {
    if constexpr (std::is_same_v<T, choice>) {
        static_cast<void>(d);
        choose_place(value, Index, payload, tag);
    } else {
        static_cast<void>(tag);
        static_cast<void>(payload);
        alternative<Index>(value.value, d.resource());
    }
}

/// Reads the contents of the alternative at an index.
template <std::size_t Index, class Shape, class Decoder, class T>
[[nodiscard]] bool read_alternative(Decoder& d, cursor& payload, unsigned tag, T& value,
                                    std::size_t depth) {
    if constexpr (std::is_same_v<T, choice>) {
        choose_place(value, Index, payload, tag);
        return pass<Shape>(d, payload, depth);
    } else {
        static_cast<void>(tag);
        auto& held = alternative<Index>(value.value, d.resource());
        return read<Shape>(d, payload, payload_of(held), depth);
    }
}

/// Keeps an alternative that has no name here.
template <class Decoder, class T>
void keep_unknown(Decoder& d, cursor& payload, unsigned tag, T& value) {
    if constexpr (std::is_same_v<T, choice>) {
        static_cast<void>(d);
        choose_place(value, 0, payload, tag);
    } else {
        using variant_type = decltype(value.value);
        constexpr std::size_t last = std::variant_size_v<variant_type> - 1;
        auto& there = alternative<last>(value.value, d.resource());
        there.tag = static_cast<std::uint8_t>(tag);
        assign(there.payload, payload.at, payload.left());
    }
    payload.at = payload.end;
}

/// Keeps what a message doesn't know.
template <class Decoder, class T>
void keep_tail(Decoder&, cursor& s, T& value) {
    if constexpr (std::is_same_v<T, place>) {
        value = {s.at, s.end};
    } else {
        assign(value, s.at, s.left());
    }
}

/// Writes the contents of an alternative.
template <class Shape, class Alternative>
[[nodiscard]] std::byte* write_contents(writer& w, std::byte* output, const Alternative& value,
                                        std::size_t depth) {
    return write<Shape>(w, output, payload_of(value), depth);
}

/// Writes the contents of an alternative behind their length.
template <class Shape, class Alternative>
[[nodiscard]] std::byte* write_payload(writer& w, std::byte* output, const Alternative& value,
                                       std::size_t depth) {
    std::byte* payload = w.open(output);
    output = write_contents<Shape>(w, payload, value, depth);
    w.close(payload, output);
    return output;
}

/// Writes back an alternative that has no name here.
template <class Codec, class Unknown>
[[nodiscard]] std::byte* write_unknown(writer& w, std::byte* output, const Unknown& value) {
    if (value.tag == 0 || Codec::is_known(value.tag)) {
        w.refuse();
        return output;
    }
    output = w.octet(output, value.tag);
    return w.template bytes<4>(output, data_of(value.payload), value.payload.size(), any);
}

}  // namespace wire
}  // namespace sdp

#endif  // SDP_UNIONS_HPP
