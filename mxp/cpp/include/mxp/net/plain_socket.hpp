/// Sockets of the system, with the flags that not every system has.
#ifndef MXP_NET_PLAIN_SOCKET_HPP
#define MXP_NET_PLAIN_SOCKET_HPP

#include <fcntl.h>
#include <sys/socket.h>

namespace mxp::net::detail {

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

}  // namespace mxp::net::detail

#endif  // MXP_NET_PLAIN_SOCKET_HPP
