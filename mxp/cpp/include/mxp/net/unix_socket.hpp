/// Unix sockets: who may connect to them, and whose file may be replaced.
#ifndef MXP_NET_UNIX_SOCKET_HPP
#define MXP_NET_UNIX_SOCKET_HPP

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <asio/local/stream_protocol.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "request.hpp"

namespace mxp::net {

namespace detail {

[[nodiscard]] inline trouble system_trouble(std::string text) {
    return {std::error_code{errno, std::generic_category()}, std::move(text)};
}

/// Whether somebody listens on a socket.
[[nodiscard]] inline bool is_listened_on(const std::string& path) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    if (path.size() >= sizeof at.sun_path) {
        return false;
    }
    std::memcpy(at.sun_path, path.data(), path.size());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int done = ::connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at);
    // A socket whose queue is full is listened on, too.
    const bool is_there = done == 0 || errno == EAGAIN;
    ::close(socket);
    return is_there;
}

}  // namespace detail

/// Whether the process at the other end runs as the same user as this one.
[[nodiscard]] inline bool is_same_user(int socket) {
    ucred peer{};
    socklen_t n = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 && peer.uid == ::geteuid();
}

/// Listens on a path, for the user alone: the file has the mode 0600 before anybody can connect.
/// That of a socket on which nobody listens any more is replaced.
[[nodiscard]] inline attempt<void> listen_on(asio::local::stream_protocol::acceptor& by,
                                             const std::string& path) {
    using protocol = asio::local::stream_protocol;
    struct stat there {};
    if (::lstat(path.c_str(), &there) == 0) {
        if (!S_ISSOCK(there.st_mode)) {
            errno = EEXIST;
            return failed_attempt{detail::system_trouble(path + " is there, and no socket")};
        }
        if (detail::is_listened_on(path)) {
            errno = EADDRINUSE;
            return failed_attempt{detail::system_trouble("somebody listens on " + path)};
        }
    }
    const std::string made = path + "." + std::to_string(::getpid());
    if (made.size() >= sizeof(sockaddr_un::sun_path)) {
        errno = ENAMETOOLONG;
        return failed_attempt{detail::system_trouble(path)};
    }
    ::unlink(made.c_str());
    std::error_code failed;
    by.open(protocol{}, failed);
    if (!failed) {
        by.bind(protocol::endpoint{made}, failed);
    }
    if (failed) {
        return failed_attempt{trouble{failed, path}};
    }
    if (::chmod(made.c_str(), S_IRUSR | S_IWUSR) == 0) {
        by.listen(asio::socket_base::max_listen_connections, failed);
        if (!failed && ::rename(made.c_str(), path.c_str()) == 0) {
            return {};
        }
    }
    auto why = failed ? trouble{failed, path} : detail::system_trouble(path);
    ::unlink(made.c_str());
    return failed_attempt{std::move(why)};
}

}  // namespace mxp::net

#endif  // MXP_NET_UNIX_SOCKET_HPP
