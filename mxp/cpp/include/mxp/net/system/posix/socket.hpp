/// Sockets of POSIX, with the flags that not every system has.
#ifndef MXP_NET_SYSTEM_POSIX_SOCKET_HPP
#define MXP_NET_SYSTEM_POSIX_SOCKET_HPP

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <string>
#include <system_error>

#include "../readiness.hpp"

namespace mxp::net {

/// A socket of the system.
using socket_handle = int;
/// A piece of bytes.
using ::iovec;

namespace detail {

/// The flag that keeps a write from ending the program where the peer is gone.
#if defined(MSG_NOSIGNAL)
inline constexpr int no_signal = MSG_NOSIGNAL;
#else
inline constexpr int no_signal = 0;
#endif

/// An error as the rest of this library knows it.
[[nodiscard]] inline const std::error_code& known(const std::error_code& why) { return why; }

/// The error of the system's last call.
[[nodiscard]] inline std::error_code last_error() { return {errno, std::system_category()}; }

/// Whether the system refuses this user.
[[nodiscard]] inline bool is_forbidden(const std::error_code& why) {
    return why == std::errc::permission_denied || why == std::errc::operation_not_permitted;
}

[[nodiscard]] inline bool is_socket(socket_handle socket) noexcept { return socket >= 0; }

inline void close_socket(socket_handle socket) { ::close(socket); }

/// Sets an option that is a number; a system that does without is no worse off than before.
inline void set_option(socket_handle socket, int level, int name, int value) {
    static_cast<void>(::setsockopt(socket, level, name, &value, sizeof value));
}

/// Has the system keep no more bytes of a connection unsent than help.
inline void limit_unsent([[maybe_unused]] socket_handle socket, [[maybe_unused]] int bytes) {
#if defined(TCP_NOTSENT_LOWAT)
    set_option(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, bytes);
#endif
}

/// Has a server come back to a port whose last connections have not ended.
inline void set_listening(socket_handle socket) { set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1); }

/// Sets a descriptor so that no call waits for it, and no program gets it that this one starts.
inline void keep_to_itself(int descriptor) {
    if (descriptor >= 0) {
        ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
        ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
    }
}

/// A socket that no call waits for and no other program gets, if there is one.
[[nodiscard]] inline socket_handle open_socket(int family, int protocol) {
#if defined(SOCK_CLOEXEC) && defined(SOCK_NONBLOCK)
    const int made = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
#else
    const int made = ::socket(family, SOCK_STREAM, protocol);
    keep_to_itself(made);
#endif
#if defined(SO_NOSIGPIPE)
    set_option(made, SOL_SOCKET, SO_NOSIGPIPE, 1);
#endif
    return made;
}

/// A socket that has connected to one that listens, if there is one.
[[nodiscard]] inline socket_handle accept_socket(socket_handle listener) {
#if defined(SOCK_CLOEXEC) && defined(SOCK_NONBLOCK) && !defined(__APPLE__)
    return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
    const int made = ::accept(listener, nullptr, nullptr);
    keep_to_itself(made);
#if defined(SO_NOSIGPIPE)
    set_option(made, SOL_SOCKET, SO_NOSIGPIPE, 1);
#endif
    return made;
#endif
}

/// Begins to connect a socket; `operation_in_progress` says that it has yet to end.
[[nodiscard]] inline std::error_code begin_connect(socket_handle socket, const addrinfo& address) {
    return ::connect(socket, address.ai_addr, address.ai_addrlen) == 0 ? std::error_code{}
                                                                       : last_error();
}

/// The error that a socket has, if it has one.
[[nodiscard]] inline std::error_code error_of(socket_handle socket) {
    int why = 0;
    socklen_t n = sizeof why;
    return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &why, &n) == 0
               ? std::error_code{why, std::system_category()}
               : last_error();
}

/// Why a name has no address, by the number that `getaddrinfo` returns.
[[nodiscard]] inline std::string text_of_lookup(int failed) { return ::gai_strerror(failed); }

/// How many bytes were read or written, by the result of the system's call.
[[nodiscard]] inline std::size_t transferred(ssize_t n, std::error_code& why) {
    if (n >= 0) {
        why.clear();
        return static_cast<std::size_t>(n);
    }
    const bool is_blocked = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    why = is_blocked ? std::make_error_code(std::errc::operation_would_block) : last_error();
    return 0;
}

/// Reads what is there; `operation_would_block` says that there are no bytes yet.
[[nodiscard]] inline std::size_t read_socket(socket_handle socket, std::byte* output,
                                             std::size_t most, std::error_code& why) {
    return transferred(::recv(socket, output, most, MSG_DONTWAIT), why);
}

/// Writes some of the pieces; `operation_would_block` says that there is no room.
[[nodiscard]] inline std::size_t write_socket(socket_handle socket, const iovec* pieces,
                                              std::size_t n, std::error_code& why) {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces);
    message.msg_iovlen =
        static_cast<decltype(message.msg_iovlen)>(std::min<std::size_t>(n, IOV_MAX));
    return transferred(::sendmsg(socket, &message, no_signal | MSG_DONTWAIT), why);
}

/// Waits until a socket has bytes, or room, as asked for, or its connection has ended, but no
/// longer than a time: it may return sooner.
[[nodiscard]] inline readiness wait_for(socket_handle socket, bool for_bytes, bool for_room,
                                        std::chrono::microseconds most) {
    pollfd what{socket, 0, 0};
    what.events = static_cast<short>((for_bytes ? POLLIN : 0) | (for_room ? POLLOUT : 0));
    // Rounded up, so as not to come too early again and again.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(most);
    const std::chrono::milliseconds::rep longest = 60'000;
    const int n = ::poll(
        &what, 1, static_cast<int>(std::clamp<decltype(left.count())>(left.count(), 0, longest)));
    return {n > 0, n > 0 && (what.revents & (POLLIN | POLLHUP | POLLERR)) != 0};
}

/// Whether the peer of a socket is gone, or has ended its direction.
[[nodiscard]] inline bool is_hung_up(socket_handle socket) {
#if defined(POLLRDHUP)
    pollfd one{socket, POLLRDHUP, 0};
#else
    pollfd one{socket, 0, 0};
#endif
    return ::poll(&one, 1, 0) == 1;
}

/// Whether a reactor tells that the peer of a socket is gone, while nothing is read.
inline constexpr bool tells_hang_up = true;

}  // namespace detail

}  // namespace mxp::net

#endif  // MXP_NET_SYSTEM_POSIX_SOCKET_HPP
