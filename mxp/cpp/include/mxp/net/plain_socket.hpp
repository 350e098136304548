/// Sockets of the system, with the flags that not every system has.
#ifndef MXP_NET_PLAIN_SOCKET_HPP
#define MXP_NET_PLAIN_SOCKET_HPP

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

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

/// Sets a descriptor so that no call waits for it, and no program gets it that this one starts.
inline void keep_to_itself(int descriptor) {
    if (descriptor >= 0) {
        ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
        ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
    }
}

/// A socket that no call waits for and no other program gets; -1 if there is none.
[[nodiscard]] inline int open_socket(int family, int protocol) {
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

/// A socket that has connected to one that listens; -1 if there is none.
[[nodiscard]] inline int accept_socket(int listener) {
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

/// Gives a socket of the system to Asio's socket, or returns its failure; a socket that Asio made
/// by itself would be inherited by child programs.
template <class Socket, class Protocol>
[[nodiscard]] std::error_code adopt_socket(Socket& socket, const Protocol& protocol,
                                           int descriptor) {
    if (descriptor < 0) {
        return {errno, std::generic_category()};
    }
    std::error_code failed;
    socket.assign(protocol, descriptor, failed);
    if (failed) {
        ::close(descriptor);
    }
    return failed;
}

/// Opens a socket of Asio's, to connect or to listen.
template <class Socket, class Protocol>
[[nodiscard]] std::error_code open_socket_of(Socket& socket, const Protocol& protocol) {
    return adopt_socket(socket, protocol, open_socket(protocol.family(), protocol.protocol()));
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_PLAIN_SOCKET_HPP
