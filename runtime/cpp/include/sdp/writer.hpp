/// Where encoders write.
#ifndef SDP_WRITER_HPP
#define SDP_WRITER_HPP

#include <cstddef>
#include <cstdint>

#include "byte_order.hpp"
#include "cursor.hpp"
#include "spec_gen.hpp"
#include "text.hpp"

namespace sdp::wire {

/// The largest length that fits a width.
template <std::size_t Width>
inline constexpr std::size_t widest = static_cast<std::size_t>(static_cast<unsigned_of<Width>>(-1));

/// The end of the room that an encoder has. Encoders hand the place where they write from one to
/// the next, since it then stays in a register. What can't be encoded, or has no room, is noted
/// here and left out; what it was, a second look at the value tells.
class writer {
   public:
    explicit writer(std::byte* end) noexcept : end_(end) {}

    /// Whether something was left out.
    [[nodiscard]] bool refused() const noexcept { return refused_; }

    /// Notes that something can't be encoded.
    void refuse() noexcept { refused_ = true; }

    /// Enters an aggregate. It is false for one that is too deep to be encoded.
    [[nodiscard]] bool enter(std::size_t depth) noexcept { return note(depth <= limit_depth); }

    /// Whether there is room for so many bytes.
    [[nodiscard]] bool room(const std::byte* out, std::size_t n) noexcept {
        return note(n <= static_cast<std::size_t>(end_ - out));
    }

    /// Writes a length or count that is at most `max`.
    template <std::size_t Width>
    [[nodiscard]] std::byte* length(std::byte* out, std::size_t n, std::size_t max) noexcept {
        if (!note(n <= max && n <= widest<Width>) || !room(out, Width)) {
            return out;
        }
        store_number(out, static_cast<unsigned_of<Width>>(n));
        return out + Width;
    }

    /// Writes a length that is at most `max`, and so many bytes.
    template <std::size_t Width>
    [[nodiscard, gnu::always_inline]] std::byte* bytes(std::byte* out, const std::byte* from,
                                                       std::size_t n, std::size_t max) noexcept {
        // The sum of two lengths that fit 32 bits needs one comparison with the room.
        static_assert(Width <= 4);
        const auto left = static_cast<std::uint64_t>(end_ - out);
        if (n > max || n > widest<Width> || Width + std::uint64_t{n} > left) {
            refuse();
            return out;
        }
        store_number(out, static_cast<unsigned_of<Width>>(n));
        copy_short(out + Width, from, n);
        return out + Width + n;
    }

    /// Writes bytes as they are.
    [[nodiscard]] std::byte* raw(std::byte* out, const std::byte* from, std::size_t n) noexcept {
        if (!room(out, n)) {
            return out;
        }
        copy_short(out, from, n);
        return out + n;
    }

    /// Writes one byte.
    [[nodiscard]] std::byte* octet(std::byte* out, unsigned value) noexcept {
        if (!room(out, 1)) {
            return out;
        }
        *out = static_cast<std::byte>(value);
        return out + 1;
    }

    /// Leaves room for the length of a window.
    [[nodiscard]] std::byte* open(std::byte* out) noexcept { return room(out, 4) ? out + 4 : out; }

    /// Writes the length of the window that began at `start`, unless something was left out: then
    /// there may be no place for it.
    void close(std::byte* start, const std::byte* out) noexcept {
        const auto n = static_cast<std::size_t>(out - start);
        if (note(n <= widest<4>) && !refused_) {
            store_number(start - 4, static_cast<std::uint32_t>(n));
        }
    }

   private:
    bool note(bool done) noexcept {
        if (!done) {
            refused_ = true;
        }
        return done;
    }

    std::byte* end_;
    bool refused_ = false;
};

}  // namespace sdp::wire

#endif  // SDP_WRITER_HPP
