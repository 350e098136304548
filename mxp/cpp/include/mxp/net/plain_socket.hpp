/// Sockets of the system, with the flags that not every system has.
#ifndef MXP_NET_PLAIN_SOCKET_HPP
#define MXP_NET_PLAIN_SOCKET_HPP

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string>

namespace mxp::net::detail {

/// How long the path of a unix socket can be.
inline constexpr std::size_t path_max = sizeof(sockaddr_un::sun_path) - 1;

/// How many bytes that were written wait in the system.
inline constexpr int unsent_bytes = 65536;

/// The flag that keeps a write from ending the program where the peer is gone.
#if defined(MSG_NOSIGNAL)
inline constexpr int no_signal = MSG_NOSIGNAL;
#else
inline constexpr int no_signal = 0;
#endif

/// Sets an option that is a number; a system that does without is no worse off than before.
inline void set_option(int socket, int level, int name, int value) {
    static_cast<void>(::setsockopt(socket, level, name, &value, sizeof value));
}

/// A socket that no call waits for and no other program gets; -1 if there is none.
[[nodiscard]] inline int open_socket(int family, int protocol) {
#if defined(SOCK_CLOEXEC) && defined(SOCK_NONBLOCK)
    const int made = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
#else
    const int made = ::socket(family, SOCK_STREAM, protocol);
    if (made >= 0) {
        ::fcntl(made, F_SETFD, FD_CLOEXEC);
        ::fcntl(made, F_SETFL, O_NONBLOCK);
    }
#endif
#if defined(SO_NOSIGPIPE)
    set_option(made, SOL_SOCKET, SO_NOSIGPIPE, 1);
#endif
    return made;
}

/// Sets what TCP connections of both sides have: they send at once, a peer that is gone is found
/// while nothing is sent [MXP-10.5], and no more than `unsent` bytes wait in the system.
inline void tune_tcp(int socket, [[maybe_unused]] int unsent) {
    set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined(TCP_KEEPIDLE)
    set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 15);
#elif defined(TCP_KEEPALIVE)
    set_option(socket, IPPROTO_TCP, TCP_KEEPALIVE, 15);
#endif
#if defined(TCP_KEEPINTVL)
    set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
#endif
#if defined(TCP_KEEPCNT)
    set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 2);
#endif
#if defined(TCP_NOTSENT_LOWAT)
    set_option(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent);
#endif
}

/// The address of a path that is not too long.
[[nodiscard]] inline sockaddr_un address_of(const std::string& path) {
    sockaddr_un made{};
    made.sun_family = AF_UNIX;
    std::memcpy(made.sun_path, path.data(), path.size());
    return made;
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_PLAIN_SOCKET_HPP
