/// The two directions of a channel: values in slots of rings, and the numbers of them, of which
/// this side's are kept here and the peer's are believed only as far as they can be [MXP-18.14].
#ifndef MXP_NET_TRANSPORT_SHM_SLOTS_HPP
#define MXP_NET_TRANSPORT_SHM_SLOTS_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory.hpp"
#include "offer.hpp"
#include "record.hpp"

namespace mxp::net::detail::shm {

/// How many slots a ring has at least.
inline constexpr std::size_t slots_least = 4;

/// The bytes that a stride is a multiple of: no two values have a line of the processor's cache in
/// common.
inline constexpr std::size_t line_bytes = 64;

/// How many bytes are between two values; nothing where these have none, or no ring has room.
[[nodiscard]] constexpr std::optional<std::size_t> stride_of(const form& form) noexcept {
    if (form.bytes == 0 || form.bytes > ring_most) {
        return std::nullopt;
    }
    return (std::size_t{form.bytes} + line_bytes - 1) / line_bytes * line_bytes;
}

/// How many bytes a ring has for so many values at least, if there is such a ring.
[[nodiscard]] constexpr std::optional<std::size_t> ring_for(const form& form,
                                                            std::size_t capacity) noexcept {
    const auto stride = stride_of(form);
    const std::size_t values = std::max(capacity, slots_least);
    if (!stride || values > ring_most / *stride) {
        return std::nullopt;
    }
    std::size_t ring = ring_least;
    while (ring < *stride * values) {
        ring *= 2;
    }
    return ring;
}

/// Where values lie in a ring.
struct slots {
    std::size_t stride = 0;
    std::size_t count = 0;

    /// The slots of a ring for values of a form, unless they are fewer than there have to be.
    [[nodiscard]] static constexpr std::optional<slots> of(const form& values,
                                                           std::size_t ring) noexcept {
        const auto stride = stride_of(values);
        if (!stride || ring / *stride < slots_least) {
            return std::nullopt;
        }
        return slots{*stride, ring / *stride};
    }
    /// Where a value's slot begins.
    [[nodiscard]] std::size_t place(std::uint64_t n) const noexcept {
        return static_cast<std::size_t>(n % count) * stride;
    }
    /// Where the slot behind another begins, found in the same time at the ring's end.
    [[nodiscard]] std::size_t behind(std::size_t position) const noexcept {
        const std::size_t next = position + stride;
        return next * static_cast<std::size_t>(next != stride * count);
    }
};

/// The outcome of a look for room, or for a value.
enum class look_outcome : std::uint8_t {
    there,
    none,
    /// The peer's number can't be.
    wrong,
};

/// The direction that this side writes.
class outbox {
   public:
    outbox(own_memory& own, const peer_memory& peer, delivery delivery, slots slots) noexcept
        : own_(&own), peer_(&peer), slots_(slots), by_(delivery) {
        own.touch();
    }

    /// Whether there is room for a value. The peer's number is read where this side knows of none.
    [[nodiscard]] look_outcome room() noexcept {
        if (by_ == delivery::latest || sent_ - taken_ < slots_.count) {
            return look_outcome::there;
        }
        const std::uint64_t taken = peer_->taken();
        if (taken < taken_ || taken > sent_) {
            return look_outcome::wrong;
        }
        taken_ = taken;
        return sent_ - taken < slots_.count ? look_outcome::there : look_outcome::none;
    }
    /// The memory of the next value, for which there is room.
    [[nodiscard]] std::byte* next() noexcept {
        // Nothing of this value may be seen before the number of the last one [MXP-18.16].
        std::atomic_thread_fence(std::memory_order_release);
        return own_->slot(at_);
    }
    /// Says that the value is there.
    void publish() noexcept {
        own_->set_written(++sent_);
        at_ = slots_.behind(at_);
    }

   private:
    own_memory* own_;
    const peer_memory* peer_;
    slots slots_;
    delivery by_;
    /// How many values were sent, and where the next lies.
    std::uint64_t sent_ = 0;
    std::size_t at_ = 0;
    /// How many the peer had taken when that was looked at last.
    std::uint64_t taken_ = 0;
};

/// The state of a direction that has no value.
enum class dry : std::uint8_t {
    /// One may come.
    yet,
    /// None comes any more, since the peer has said so.
    ended,
    /// None comes any more, since the peer is gone.
    lost,
    /// The peer's number can't be.
    wrong,
};

/// The direction that the peer writes.
class inbox {
   public:
    inbox(own_memory& own, const peer_memory& peer, const form& form, slots slots)
        : own_(&own),
          peer_(&peer),
          slots_(slots),
          by_(form.delivery),
          // Zeros may be pages that are not there yet.
          copied_(form.bytes, std::byte{1}) {
        peer.touch();
        own.set_taken(0);
    }

    /// Copies the next value out, or the newest, if there is one.
    [[nodiscard]] look_outcome take() noexcept {
        return by_ == delivery::queue ? next() : newest();
    }
    /// The value that was copied.
    [[nodiscard]] const std::byte* copied() const noexcept { return copied_.data(); }

    /// Whether something is there, or is to be found out.
    [[nodiscard]] bool has_news() noexcept {
        return look() != look_outcome::none || peer_->has_ended();
    }
    /// Why there is no value. The end is looked at before what was sent until then.
    [[nodiscard]] dry why_dry(bool is_alone) noexcept {
        const bool has_ended = peer_->has_ended();
        if (!has_ended && !is_alone) {
            return dry::yet;
        }
        const look_outcome there = look();
        is_last_ = is_last_ || is_alone;
        return there == look_outcome::wrong   ? dry::wrong
               : there == look_outcome::there ? dry::yet
               : has_ended                    ? dry::ended
                                              : dry::lost;
    }

   private:
    /// Attempts to take the newest value, where it was written over meanwhile.
    static constexpr int tries = 4;

    /// Reads how many values the peer has sent, and returns whether there are new ones.
    [[nodiscard]] look_outcome look() noexcept {
        if (!is_last_) {
            const std::uint64_t sent = peer_->written();
            const bool is_too_many = by_ == delivery::queue && sent - taken_ > slots_.count;
            if (sent < sent_ || is_too_many) {
                return look_outcome::wrong;
            }
            sent_ = sent;
        }
        return sent_ > taken_ ? look_outcome::there : look_outcome::none;
    }
    void copy(std::size_t place) noexcept {
        peer_->copy_slot(place, copied_.data(), copied_.size());
    }
    [[nodiscard]] look_outcome next() noexcept {
        if (sent_ == taken_) {
            const look_outcome there = look();
            if (there != look_outcome::there) {
                return there;
            }
        }
        copy(at_);
        own_->set_taken(++taken_);
        at_ = slots_.behind(at_);
        return look_outcome::there;
    }
    /// Copies the newest value, if it is new. There is none too where each was written over while
    /// it was copied.
    [[nodiscard]] look_outcome newest() noexcept {
        const look_outcome there = look();
        if (there != look_outcome::there) {
            return there;
        }
        for (int i = 0; i < tries; ++i) {
            const std::uint64_t newest = sent_ - 1;
            copy(slots_.place(newest));
            // The copy is of before the number that is read now [MXP-18.16].
            std::atomic_thread_fence(std::memory_order_acquire);
            const std::uint64_t sent = peer_->written();
            if (sent < sent_) {
                return look_outcome::wrong;
            }
            if (sent - newest < slots_.count) {
                taken_ = newest + 1;
                return look_outcome::there;
            }
            if (is_last_) {
                // A peer that is gone and writes all the same has no more values.
                taken_ = sent_;
                break;
            }
            sent_ = sent;
        }
        return look_outcome::none;
    }

    own_memory* own_;
    const peer_memory* peer_;
    slots slots_;
    delivery by_;
    /// How many values were taken or passed over, and where the next lies.
    std::uint64_t taken_ = 0;
    std::size_t at_ = 0;
    /// How many the peer had sent when that was looked at last.
    std::uint64_t sent_ = 0;
    /// Whether the peer can send no more: its socket has ended.
    bool is_last_ = false;
    std::vector<std::byte> copied_;
};

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_SLOTS_HPP
