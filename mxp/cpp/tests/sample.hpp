/// Frames for tests, made without the code that is tested, but for the hash.
#ifndef MXP_SAMPLE_HPP
#define MXP_SAMPLE_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "mxp/mxp.hpp"

namespace sample {

using bytes = std::vector<std::byte>;

/// The numbers of all types, written down again.
inline constexpr std::uint8_t types[] = {0x01, 0x02, 0x03, 0x10, 0x11, 0x12, 0x20, 0x21, 0x22, 0x80,
                                         0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0xf0, 0xf1};

[[nodiscard]] inline bool is_type(unsigned number) {
    for (const unsigned one : types) {
        if (one == number) {
            return true;
        }
    }
    return false;
}

/// Bytes that are not all alike.
[[nodiscard]] inline bytes ramp(std::size_t n) {
    bytes made(n);
    for (std::size_t i = 0; i < n; ++i) {
        made[i] = static_cast<std::byte>((i * 131 + 7) & 0xff);
    }
    return made;
}

inline void put(bytes& to, std::uint64_t number, int count) {
    for (int i = 0; i < count; ++i) {
        to.push_back(static_cast<std::byte>(number >> 8 * i & 0xff));
    }
}

/// The fields of a header, lies included.
struct parts {
    std::uint32_t magic = 0x4d585031;
    unsigned type = 0x10;
    unsigned flags = 0;
    unsigned reserved = 0;
    std::uint64_t message_id = 0x0102030405060708;
    std::uint64_t trace_id = 0x1112131415161718;
    std::uint64_t length = 0;
};

[[nodiscard]] inline bytes header_of(const parts& from) {
    bytes made;
    put(made, from.magic, 4);
    put(made, from.type, 1);
    put(made, from.flags, 1);
    put(made, from.reserved, 2);
    put(made, from.message_id, 8);
    put(made, from.trace_id, 8);
    put(made, from.length, 8);
    return made;
}

/// A header and a payload, and the hash of both.
[[nodiscard]] inline bytes sealed(const parts& from, const bytes& payload) {
    bytes made = header_of(from);
    made.insert(made.end(), payload.begin(), payload.end());
    put(made, mxp::wire::hash(made.data(), made.size()), 8);
    return made;
}

/// A frame with a payload of so many bytes.
[[nodiscard]] inline bytes frame(std::size_t n, unsigned type = 0x10, unsigned flags = 0) {
    parts of;
    of.type = type;
    of.flags = flags;
    of.length = n;
    return sealed(of, ramp(n));
}

/// Frames one behind the other.
[[nodiscard]] inline bytes joined(std::initializer_list<bytes> frames) {
    bytes made;
    for (const bytes& one : frames) {
        made.insert(made.end(), one.begin(), one.end());
    }
    return made;
}

/// The refusal of a function, as text: "fine" if there is none.
template <class T>
[[nodiscard]] std::string said(const mxp::result<T>& result) {
    return result ? std::string("fine") : result.error().message();
}

[[nodiscard]] inline std::string told(mxp::kind kind) { return mxp::error{kind, {}}.message(); }
[[nodiscard]] inline std::string told(mxp::kind kind, std::size_t at) {
    return mxp::error{kind, at}.message();
}

/// Numbers that look random, the same on every machine.
class numbers {
   public:
    explicit numbers(std::uint64_t seed) : state_(seed) {}

    [[nodiscard]] std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        return mixed ^ mixed >> 31;
    }
    /// A number below `n`.
    [[nodiscard]] std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

   private:
    std::uint64_t state_;
};

}  // namespace sample

#endif  // MXP_SAMPLE_HPP
