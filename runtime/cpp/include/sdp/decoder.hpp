/// The budgets of one decode.
#ifndef SDP_DECODER_HPP
#define SDP_DECODER_HPP

#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "cursor.hpp"
#include "limits.hpp"

namespace sdp::wire {

/// Says what a decoder makes of bytes behind a value.
enum class mode : std::uint8_t {
    /// The value takes all of its input.
    whole,
    /// Bytes may follow a struct or union [WIRE-2.4].
    prefix,
};

/// The memory that one decode may take beyond its share of the bytes.
inline constexpr std::size_t memory_constant = std::size_t{32} << 10;

/// The budgets of one decode, and how it is done. Decoders only say whether bytes are a value;
/// which rule was broken where, a second walk over the bytes tells.
class decoder {
   public:
    /// Whether the bytes are known to be valid.
    static constexpr bool trusts = false;

    /// Budgets for so many bytes of a type whose values take at most `factor` times their bytes; 0
    /// is for what allocates nothing. The bytes of strings and blobs are paid for at once, with
    /// all others: together they are at most as many.
    decoder(std::size_t bytes, std::size_t factor, const decode_options& options) noexcept
        : depth_(options.limits.depth),
          elements_(options.limits.elements),
          exact_(options.exact),
          resource_(options.resource) {
        const std::size_t share = times(bytes, factor);
        const std::size_t most = share > any - memory_constant ? any : share + memory_constant;
        const std::size_t paid = factor == 0 ? 0 : bytes;
        const std::size_t memory =
            options.limits.memory_bytes < most ? options.limits.memory_bytes : most;
        is_share_ = most < options.limits.memory_bytes;
        is_poor_ = memory < paid;
        memory_ = is_poor_ ? 0 : memory - paid;
    }

    /// Enters an aggregate.
    [[nodiscard]] bool enter(std::size_t depth) const noexcept { return depth <= depth_; }

    /// Takes elements from their budget.
    [[nodiscard]] bool elements(std::size_t n) noexcept {
        if (n > elements_) {
            return false;
        }
        elements_ -= n;
        return true;
    }

    /// Takes memory from its budget; `next` is the first byte behind the item that asks.
    [[nodiscard]] bool memory(std::size_t n, const std::byte* next) noexcept {
        if (n > memory_) {
            starved_ = next;
            return false;
        }
        memory_ -= n;
        return true;
    }

    /// Takes a count of elements that have at least `min` bytes each, and charges for them.
    template <std::size_t Width>
    [[nodiscard]] bool count(cursor& s, std::size_t& n, std::size_t max, std::size_t min) noexcept {
        return s.length<Width>(n, max) && times(n, min) <= s.left() && elements(n);
    }

    /// Whether messages must have all known segments, and no others.
    [[nodiscard]] bool exact() const noexcept { return exact_; }

    /// Where values of the forms that take memory from a resource take theirs.
    [[nodiscard]] std::pmr::memory_resource* resource() const noexcept { return resource_; }

    /// Whether the budget of memory does not even pay for the bytes.
    [[nodiscard]] bool is_poor() const noexcept { return is_poor_; }

    /// Whether the memory is bounded by the type's share of the bytes, and not by the caller's
    /// limit. No value needs more than this share, so that an input that asks for more is refused
    /// for another fault.
    [[nodiscard]] bool is_share() const noexcept { return is_share_; }

    /// The bytes behind the item that asked for too much memory; null if none did.
    [[nodiscard]] const std::byte* starved() const noexcept { return starved_; }

   private:
    std::size_t depth_;
    std::size_t elements_;
    std::size_t memory_ = 0;
    bool exact_;
    bool is_share_ = false;
    bool is_poor_ = false;
    const std::byte* starved_ = nullptr;
    std::pmr::memory_resource* resource_;
};

}  // namespace sdp::wire

#endif  // SDP_DECODER_HPP
