/// Where a value lies in bytes that were validated.
#ifndef SDP_PLACE_HPP
#define SDP_PLACE_HPP

#include <cstddef>

#include "cursor.hpp"

namespace sdp::wire {

/// Where a field lies: from its first byte to the end of the window it is in. A field of a segment
/// that the bytes lack lies nowhere.
struct place {
    const std::byte* at = nullptr;
    const std::byte* end = nullptr;

    [[nodiscard]] bool exists() const noexcept { return at != nullptr; }
    [[nodiscard]] cursor open() const noexcept { return {at, end}; }
};

/// Where a union's payload lies, and which alternative it is: 0 is an unknown one.
struct choice {
    std::size_t index = 0;
    unsigned tag = 0;
    place payload;
};

/// Reaches into views, for code that makes them.
struct access {
    template <class View>
    static auto& places(View& view) noexcept {
        return view.where_;
    }
};

/// Reads bytes that were validated: it checks nothing but that it stays inside of them.
class reader {
   public:
    static constexpr bool trusts = true;

    [[nodiscard]] static bool enter(std::size_t) noexcept { return true; }
    [[nodiscard]] static bool elements(std::size_t) noexcept { return true; }
    [[nodiscard]] static bool memory(std::size_t, const std::byte*) noexcept { return true; }
    [[nodiscard]] static bool exact() noexcept { return false; }
    [[nodiscard]] static std::nullptr_t resource() noexcept { return nullptr; }

    template <std::size_t Width>
    [[nodiscard]] static bool count(cursor& s, std::size_t& n, std::size_t max,
                                    std::size_t) noexcept {
        return s.length<Width>(n, max);
    }
};

}  // namespace sdp::wire

#endif  // SDP_PLACE_HPP
