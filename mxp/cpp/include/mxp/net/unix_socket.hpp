/// Unix sockets: who may connect to them, and whose file may be replaced.
#ifndef MXP_NET_UNIX_SOCKET_HPP
#define MXP_NET_UNIX_SOCKET_HPP

#include <sys/stat.h>
#include <unistd.h>

#include <asio/local/stream_protocol.hpp>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "peer_user.hpp"
#include "plain_socket.hpp"
#include "request.hpp"

namespace mxp::net {

namespace detail {

[[nodiscard]] inline trouble system_trouble(int number, std::string text) {
    return {std::error_code{number, std::generic_category()}, std::move(text)};
}

/// Whether somebody listens on a socket.
[[nodiscard]] inline bool is_listened_on(const std::string& path) {
    const sockaddr_un at = address_of(path);
    const int socket = open_socket(AF_UNIX, 0);
    const int done = ::connect(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at);
    // A socket whose queue is full is listened on, too.
    const bool is_there = done == 0 || errno == EAGAIN;
    ::close(socket);
    return is_there;
}

/// Makes way for a socket at a path, or says why that can't be.
[[nodiscard]] inline attempt<void> clear_path(const std::string& path) {
    struct stat there {};
    if (::lstat(path.c_str(), &there) != 0) {
        return {};
    }
    if (!S_ISSOCK(there.st_mode)) {
        return failed_attempt{system_trouble(EEXIST, path + " is there, and no socket")};
    }
    if (is_listened_on(path)) {
        return failed_attempt{system_trouble(EADDRINUSE, "somebody listens on " + path)};
    }
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
        return failed_attempt{system_trouble(errno, path)};
    }
    return {};
}

}  // namespace detail

/// Listens on a path, for the user alone: the file has the mode 0600 before anybody can connect.
/// That of a socket on which nobody listens any more is replaced. A path that is too long for a
/// socket is refused as `address_invalid` before anything is done.
[[nodiscard]] inline attempt<void> listen_on(asio::local::stream_protocol::acceptor& acceptor,
                                             const std::string& path) {
    using protocol = asio::local::stream_protocol;
    if (path.size() > detail::path_max) {
        return failed_attempt{detail::system_trouble(
            ENAMETOOLONG, "address_invalid: the path has " + std::to_string(path.size()) +
                              " bytes, and a socket's can have " +
                              std::to_string(detail::path_max))};
    }
    if (auto cleared = detail::clear_path(path); !cleared) {
        return cleared;
    }
    std::error_code failed;
    acceptor.open(protocol{}, failed);
    if (!failed) {
        // Linux gives the file the socket's mode, so that it never has another.
        static_cast<void>(::fchmod(acceptor.native_handle(), S_IRUSR | S_IWUSR));
        acceptor.bind(protocol::endpoint{path}, failed);
    }
    if (failed) {
        return failed_attempt{trouble{failed, path}};
    }
    // Where the system doesn't, nobody can connect before this either, since nobody listens.
    if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) == 0) {
        acceptor.listen(asio::socket_base::max_listen_connections, failed);
    } else {
        failed = {errno, std::generic_category()};
    }
    if (failed) {
        ::unlink(path.c_str());
        return failed_attempt{trouble{failed, path}};
    }
    return {};
}

}  // namespace mxp::net

#endif  // MXP_NET_UNIX_SOCKET_HPP
