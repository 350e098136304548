/// The two directions of a connection: bytes in rings, and the numbers of them, of which this
/// side's are kept here and the peer's are believed only as far as they can be [MXP-18.7].
#ifndef MXP_NET_TRANSPORT_SHM_RING_HPP
#define MXP_NET_TRANSPORT_SHM_RING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "bell.hpp"
#include "memory.hpp"
#include "waits.hpp"

namespace mxp::net::detail::shm {

/// The direction that this side writes.
class send_ring {
   public:
    send_ring(own_memory& own, const peer_memory& peer) noexcept : own_(own), peer_(peer) {}

    /// How many bytes can be written now; nothing where the peer's number can't be.
    [[nodiscard]] std::optional<std::size_t> room() const noexcept {
        const std::uint64_t taken = peer_.taken();
        if (taken > written_ || written_ - taken > own_.ring()) {
            return std::nullopt;
        }
        return own_.ring() - static_cast<std::size_t>(written_ - taken);
    }
    /// Whether there is something to do, or to find out.
    [[nodiscard]] bool has_news() const noexcept { return room() != std::size_t{0}; }

    /// Writes what there is room for of pieces that follow each other, and wakes the peer where it
    /// waits for that; nothing where the peer's number can't be. A peer that looks can read the
    /// first of it while the rest is written.
    template <class Pieces, class View>
    [[nodiscard]] std::optional<std::size_t> write(const Pieces& pieces, View view,
                                                   bell& wakes) noexcept {
        const auto there = room();
        if (!there) {
            return std::nullopt;
        }
        std::size_t left = *there;
        std::size_t untold = 0;
        for (const auto& one : pieces) {
            const auto [data, size] = view(one);
            for (std::size_t at = 0; at < size && left > 0;) {
                const std::size_t n = std::min({size - at, left, part_bytes});
                own_.fill(written_, static_cast<const std::byte*>(data) + at, n);
                written_ += n;
                at += n;
                left -= n;
                untold += n;
                if (untold >= part_bytes) {
                    own_.set_written(written_);
                    untold = 0;
                }
            }
        }
        if (left < *there) {
            own_.set_written(written_);
            wakes.wake(woken_);
            waits_.go_on(own_);
        }
        return *there - left;
    }
    /// Writes nothing more.
    void end(bell& wakes) noexcept {
        own_.set_ended();
        wakes.wake(woken_);
    }

    [[nodiscard]] bool is_announced() const noexcept { return waits_.is_announced(); }
    /// Tells the peer that this side waits, and the means that wakes it.
    void announce(wakes wakeup) noexcept { waits_.announce(own_, wakeup); }
    /// Tells the peer that it need not wake this side.
    void go_on() noexcept { waits_.go_on(own_); }

   private:
    /// How much is written before the peer is told of it.
    static constexpr std::size_t part_bytes = 16384;

    own_memory& own_;
    const peer_memory& peer_;
    std::uint64_t written_ = 0;
    waits waits_{wait_reason::room};
    wake_record woken_{wait_reason::bytes};
};

/// The outcome of a look at what the peer has written.
enum class read_outcome : std::uint8_t {
    bytes,
    /// There are none yet.
    nothing,
    /// There are none, and none will come.
    end,
    /// There are none, and the peer is gone without having said so.
    lost,
    /// The peer's number can't be.
    wrong,
};

/// The direction that the peer writes.
class receive_ring {
   public:
    receive_ring(own_memory& own, const peer_memory& peer) noexcept : own_(own), peer_(peer) {}

    /// Whether there is something to read, or to find out.
    [[nodiscard]] bool has_news() const noexcept { return look().what != read_outcome::nothing; }

    /// Takes what is there, at least a byte and at most so many, and wakes the peer where it waits
    /// for the room and half of the ring is free.
    [[nodiscard]] read_outcome read(std::byte* output, std::size_t most, std::size_t& n,
                                    bell& wakes) noexcept {
        const auto there = look();
        if (there.what != read_outcome::bytes) {
            if (there.what != read_outcome::nothing) {
                waits_.go_on(own_);
            }
            return there.what;
        }
        n = std::min(there.n, most);
        peer_.copy(taken_, output, n);
        taken_ += n;
        own_.set_taken(taken_);
        if (there.n - n <= peer_.ring() / 2) {
            wakes.wake(woken_);
        }
        waits_.go_on(own_);
        return read_outcome::bytes;
    }
    /// The peer's socket has ended: what it has written by now is the last.
    void close() noexcept {
        if (!last_) {
            last_ = current();
        }
    }
    /// Whether the peer waits for room by the bell.
    [[nodiscard]] bool is_awaited_by_bell() const noexcept {
        return (peer_.awaits(at::awaits_room) & wakes_bits) ==
               static_cast<std::uint32_t>(wakes::bell);
    }

    [[nodiscard]] bool is_announced() const noexcept { return waits_.is_announced(); }
    void announce(wakes wakeup) noexcept { waits_.announce(own_, wakeup); }
    void go_on() noexcept { waits_.go_on(own_); }

   private:
    /// The peer's word about the bytes that it has written.
    struct position {
        std::uint64_t written = 0;
        bool has_ended = false;
    };
    struct look_result {
        read_outcome what;
        std::size_t n = 0;
    };

    /// The end is looked at first: all was written before it.
    [[nodiscard]] position current() const noexcept {
        const bool has_ended = peer_.has_ended();
        return {peer_.written(), has_ended};
    }
    [[nodiscard]] look_result look() const noexcept {
        const position said = last_ ? *last_ : current();
        if (said.written < taken_ || said.written - taken_ > peer_.ring()) {
            return {read_outcome::wrong};
        }
        if (said.written > taken_) {
            return {read_outcome::bytes, static_cast<std::size_t>(said.written - taken_)};
        }
        return {said.has_ended ? read_outcome::end
                : last_        ? read_outcome::lost
                               : read_outcome::nothing};
    }

    own_memory& own_;
    const peer_memory& peer_;
    std::uint64_t taken_ = 0;
    /// The word of the peer when its socket ended.
    std::optional<position> last_{};
    waits waits_{wait_reason::bytes};
    wake_record woken_{wait_reason::room};
};

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_RING_HPP
