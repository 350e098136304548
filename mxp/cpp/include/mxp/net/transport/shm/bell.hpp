/// How each side of shared memory wakes the other, and what its socket tells.
#ifndef MXP_NET_TRANSPORT_SHM_BELL_HPP
#define MXP_NET_TRANSPORT_SHM_BELL_HPP

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "../../system/local_socket.hpp"
#include "memory.hpp"
#include "waits.hpp"

namespace mxp::net::detail::shm {

/// Wakes the peer, from any thread. An error here is not this side's: a full socket has already
/// woken the thread that reads it, and an ended socket is found out by any waiting thread.
class bell {
   public:
    bell(own_memory& own, const peer_memory& peer, local_handle socket) noexcept
        : own_(own), peer_(peer), socket_(socket) {}

    /// Wakes the peer for all bytes that were written before this, if it waits.
    void wake(wake_record& waiter) noexcept {
        const wakes means = waiter.due(peer_);
        if (means == wakes::bell) {
            ring(waiter.what());
        } else if (means == wakes::byte) {
            tell();
        }
    }
    /// Wakes the threads of the peer that sleep in a wait.
    void ring(wait_reason what) noexcept {
        // Two threads may store theirs in either order. Each number is stored once, so that who
        // has seen one sees another.
        const std::uint32_t rung = rung_.fetch_add(1, std::memory_order_relaxed) + 1;
        __atomic_store_n(own_.bell(), rung, __ATOMIC_RELEASE);
        wake_threads(own_.bell(), peer_.handles(), what);
    }
    /// Wakes the reader of the socket.
    void tell() noexcept {
        const unsigned char none = 0;
        std::error_code ignored;
        write_local(socket_, &none, 1, ignored);
    }

   private:
    own_memory& own_;
    const peer_memory& peer_;
    local_handle socket_;
    std::atomic<std::uint32_t> rung_{0};
};

/// Sleeps until the peer has woken threads once more than it had, but not for longer than a time.
/// Whyever it ends, what there is to do is looked at again.
inline void sleep(own_memory& own, const peer_memory& peer, std::uint32_t rung, bool for_bytes,
                  bool for_room, std::chrono::nanoseconds most) noexcept {
    sleep_until_woken(peer.bell(), rung, own.handles(), for_bytes, for_room, most);
}

/// A look at the socket, where bytes mean nothing but that somebody was woken.
enum class socket_news : std::uint8_t { bytes, nothing, end };

/// Passes over what has come on the socket, without waiting for it. At its end the peer is gone.
[[nodiscard]] inline socket_news hear(local_handle socket) noexcept {
    std::array<std::byte, 4096> passed;
    std::error_code why;
    const std::size_t n = read_local(socket, passed.data(), passed.size(), why);
    return n > 0                                     ? socket_news::bytes
           : why == std::errc::operation_would_block ? socket_news::nothing
                                                     : socket_news::end;
}

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_BELL_HPP
