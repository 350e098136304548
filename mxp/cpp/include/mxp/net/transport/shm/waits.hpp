/// How a side that is to wait says so, and when the other is to wake it [MXP-18.9].
///
/// Each side writes one thing and then looks at another: a waiter announces its wait and looks for
/// bytes, a writer of bytes looks for a waiter. Between the two is a fence on both sides, or each
/// could look before the other's writing is to be seen, and one would sleep for ever.
#ifndef MXP_NET_TRANSPORT_SHM_WAITS_HPP
#define MXP_NET_TRANSPORT_SHM_WAITS_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory.hpp"

namespace mxp::net::detail::shm {

/// By what a side that waits is woken.
enum class wakes : std::uint32_t {
    nothing = 0,
    /// The bell of the other side's memory, on which a thread sleeps.
    bell = 1,
    /// A byte on the socket, which a reactor looks after.
    byte = 2,
};

/// The bits that say by what.
inline constexpr std::uint32_t wakes_bits = 3;

/// The place in memory of a side's word on a wait.
[[nodiscard]] constexpr std::size_t place_of(wait_reason what) noexcept {
    return what == wait_reason::bytes ? at::awaits_bytes : at::awaits_room;
}

/// The word of a side on itself, at one of the two places in its memory: whether it waits.
class waits {
   public:
    explicit waits(wait_reason what) noexcept : place_(place_of(what)) {}

    /// Says that the side is to wait. The caller looks again before it waits.
    void announce(own_memory& memory, wakes wakeup) noexcept {
        number_ = ((number_ & ~wakes_bits) + wakes_bits + 1) | static_cast<std::uint32_t>(wakeup);
        memory.set_awaits(place_, number_);
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    /// Whether it has said so.
    [[nodiscard]] bool is_announced() const noexcept { return (number_ & wakes_bits) != 0; }
    /// Says that it goes on.
    void go_on(own_memory& memory) noexcept {
        if (is_announced()) {
            number_ &= ~wakes_bits;
            memory.set_awaits(place_, number_);
        }
    }

   private:
    std::size_t place_;
    std::uint32_t number_ = 0;
};

/// The knowledge of a side of the other: for which of its numbers it was woken.
class wake_record {
   public:
    explicit wake_record(wait_reason what) noexcept : what_(what) {}

    /// The wait of the other side.
    [[nodiscard]] wait_reason what() const noexcept { return what_; }

    /// The means to wake the other side for the bytes written before this, if it waits.
    [[nodiscard]] wakes due(const peer_memory& memory) noexcept {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        const std::uint32_t number = memory.awaits(place_of(what_));
        const auto by = static_cast<wakes>(number & wakes_bits);
        if ((by != wakes::bell && by != wakes::byte) || number == number_) {
            return wakes::nothing;
        }
        number_ = number;
        return by;
    }

   private:
    wait_reason what_;
    std::uint32_t number_ = 0;
};

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_WAITS_HPP
