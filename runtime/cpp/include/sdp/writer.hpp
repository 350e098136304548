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
/// the next, since it then stays in a register. A value that can't be encoded, or has no room, is
/// noted here and left out; a second look at the value names the fault.
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
    [[nodiscard]] bool room(const std::byte* pos, std::size_t n) noexcept {
        return note(n <= static_cast<std::size_t>(end_ - pos));
    }

    /// Writes a length or count that is at most `max`.
    template <std::size_t Width>
    [[nodiscard]] std::byte* length(std::byte* pos, std::size_t n, std::size_t max) noexcept {
        if (!note(n <= max && n <= widest<Width>) || !room(pos, Width)) {
            return pos;
        }
        store_number(pos, static_cast<unsigned_of<Width>>(n));
        return pos + Width;
    }

    /// Writes a length that is at most `max`, and so many bytes.
    template <std::size_t Width>
    [[nodiscard, gnu::always_inline]] std::byte* bytes(std::byte* pos, const std::byte* data,
                                                       std::size_t n, std::size_t max) noexcept {
        // The sum of two lengths that fit 32 bits needs one comparison with the room.
        static_assert(Width <= 4);
        const auto left = static_cast<std::uint64_t>(end_ - pos);
        if (n > max || n > widest<Width> || Width + std::uint64_t{n} > left) {
            refuse();
            return pos;
        }
        store_number(pos, static_cast<unsigned_of<Width>>(n));
        copy_short(pos + Width, data, n);
        return pos + Width + n;
    }

    /// Writes bytes as they are.
    [[nodiscard]] std::byte* raw(std::byte* pos, const std::byte* data, std::size_t n) noexcept {
        if (!room(pos, n)) {
            return pos;
        }
        copy_short(pos, data, n);
        return pos + n;
    }

    /// Writes one byte.
    [[nodiscard]] std::byte* octet(std::byte* pos, unsigned value) noexcept {
        if (!room(pos, 1)) {
            return pos;
        }
        *pos = static_cast<std::byte>(value);
        return pos + 1;
    }

    /// Leaves room for the length of a window.
    [[nodiscard]] std::byte* open(std::byte* pos) noexcept { return room(pos, 4) ? pos + 4 : pos; }

    /// Writes the length of the window that began at `start`, unless something was left out: then
    /// there may be no place for it.
    void close(std::byte* start, const std::byte* pos) noexcept {
        const auto n = static_cast<std::size_t>(pos - start);
        if (note(n <= widest<4>) && !refused_) {
            store_number(start - 4, static_cast<std::uint32_t>(n));
        }
    }

   private:
    bool note(bool success) noexcept {
        if (!success) {
            refused_ = true;
        }
        return success;
    }

    std::byte* end_;
    bool refused_ = false;
};

}  // namespace sdp::wire

#endif  // SDP_WRITER_HPP
