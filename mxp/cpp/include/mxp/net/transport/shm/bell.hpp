/// How each side of shared memory wakes the other, and what its socket tells.
#ifndef MXP_NET_TRANSPORT_SHM_BELL_HPP
#define MXP_NET_TRANSPORT_SHM_BELL_HPP

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "../../plain_socket.hpp"
#include "file.hpp"
#include "memory.hpp"
#include "waits.hpp"
#if MXP_HAS_SHM
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace mxp::net::detail::shm {

/// Wakes the peer, from any thread. An error here is not this side's: a full socket has already
/// woken the thread that reads it, and an ended socket is found out by any waiting thread.
class bell {
   public:
    bell(own_memory& own, int socket) noexcept : own_(own), socket_(socket) {}

    void wake(wakes wakeup) noexcept {
        if (wakeup == wakes::bell) {
            ring();
        } else if (wakeup == wakes::byte) {
            const char none = 0;
            static_cast<void>(::send(socket_, &none, 1, MSG_DONTWAIT | no_signal));
        }
    }
    /// Wakes the threads of the peer that sleep.
    void ring() noexcept {
        // Two threads may store theirs in either order. Each number is stored once, so that who
        // has seen one sees another.
        const std::uint32_t rung = rung_.fetch_add(1, std::memory_order_relaxed) + 1;
        __atomic_store_n(own_.bell(), rung, __ATOMIC_RELEASE);
#if MXP_HAS_SHM
        ::syscall(SYS_futex, own_.bell(), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
#endif
    }

   private:
    own_memory& own_;
    int socket_;
    std::atomic<std::uint32_t> rung_{0};
};

/// Sleeps until the peer has woken threads once more than it had, but not for longer than a time.
/// Whyever it ends, what there is to do is looked at again.
inline void sleep([[maybe_unused]] const peer_memory& memory, [[maybe_unused]] std::uint32_t rung,
                  [[maybe_unused]] std::chrono::nanoseconds most) noexcept {
#if MXP_HAS_SHM
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(most);
    timespec time{};
    time.tv_sec = static_cast<decltype(time.tv_sec)>(seconds.count());
    time.tv_nsec = static_cast<decltype(time.tv_nsec)>((most - seconds).count());
    ::syscall(SYS_futex, memory.bell(), FUTEX_WAIT, rung, &time, nullptr, 0);
#endif
}

/// A look at the socket, where bytes mean nothing but that somebody was woken.
enum class socket_news : std::uint8_t { bytes, nothing, end };

/// Passes over what has come on the socket, without waiting for it. At its end the peer is gone.
[[nodiscard]] inline socket_news hear(int socket) noexcept {
    std::array<char, 4096> passed;
    const ssize_t n = ::recv(socket, passed.data(), passed.size(), MSG_DONTWAIT);
    if (n > 0) {
        return socket_news::bytes;
    }
    const bool is_blocked = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    return n < 0 && is_blocked ? socket_news::nothing : socket_news::end;
}

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_BELL_HPP
