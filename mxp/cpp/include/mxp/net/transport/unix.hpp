/// Unix sockets: who may connect to them, and whose file may be replaced.
#ifndef MXP_NET_TRANSPORT_UNIX_HPP
#define MXP_NET_TRANSPORT_UNIX_HPP

#include "../system/features.hpp"
#if MXP_HAS_UNIX_SOCKETS

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <asio/bind_executor.hpp>
#include <asio/dispatch.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/post.hpp>
#include <asio/strand.hpp>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "../../engine/failure_text.hpp"
#include "../peer_user.hpp"
#include "../plain_socket.hpp"
#include "../server_options.hpp"
#include "../transport.hpp"
#include "accept_loop.hpp"
#include "schemes.hpp"
#include "socket_stream.hpp"

namespace mxp::net {

namespace detail {

/// The longest path of a unix socket, in bytes.
inline constexpr std::size_t path_max = sizeof(sockaddr_un::sun_path) - 1;

/// The address of a path that is not too long.
[[nodiscard]] inline sockaddr_un address_of(const std::string& path) {
    sockaddr_un made{};
    made.sun_family = AF_UNIX;
    std::memcpy(made.sun_path, path.data(), path.size());
    return made;
}

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

/// A file, as its system tells it from all others.
class file_identity {
   public:
    /// That of a path; none if there is nothing.
    explicit file_identity(const std::string& path) : is_there_(::lstat(path.c_str(), &of_) == 0) {}

    [[nodiscard]] bool is_there() const noexcept { return is_there_; }
    [[nodiscard]] bool is_socket() const noexcept { return S_ISSOCK(of_.st_mode); }
    [[nodiscard]] bool is(const file_identity& right) const noexcept {
        return is_there_ && right.is_there_ && of_.st_dev == right.of_.st_dev &&
               of_.st_ino == right.of_.st_ino;
    }
    /// Takes the file away from a path, unless another has taken its place.
    [[nodiscard]] bool remove(const std::string& path) const {
        return !is(file_identity{path}) || ::unlink(path.c_str()) == 0 || errno == ENOENT;
    }

   private:
    struct stat of_ {};
    bool is_there_;
};

/// Makes way for a socket at a path, or says why that can't be.
[[nodiscard]] inline attempt<void> clear_path(const std::string& path) {
    const file_identity there{path};
    if (!there.is_there()) {
        return {};
    }
    if (!there.is_socket()) {
        return failed_attempt{system_trouble(EEXIST, path + " is there, and no socket")};
    }
    if (is_listened_on(path)) {
        return failed_attempt{system_trouble(EADDRINUSE, "somebody listens on " + path)};
    }
    if (!there.remove(path)) {
        return failed_attempt{system_trouble(errno, path)};
    }
    return {};
}

/// Why the system has not connected a unix socket.
[[nodiscard]] inline failure unix_failure(const std::error_code& why, const std::string& path) {
    if (why.value() == EACCES || why.value() == EPERM) {
        return unusable(why.message());
    }
    struct stat there {};
    if (::stat(path.c_str(), &there) == 0) {
        return S_ISSOCK(there.st_mode) ? unavailable(why.message()) : unusable("this is no socket");
    }
    if (errno != ENOENT) {
        return unusable(std::error_code{errno, std::generic_category()}.message());
    }
    return unavailable(why.message());
}

[[nodiscard]] inline failure path_too_long() {
    return engine::no_address("the path is too long for a socket");
}

/// A socket that is connected to a path, and that no call waits for.
[[nodiscard]] inline outcome<int> connect_unix(const std::string& path) {
    if (path.size() > path_max) {
        return failed_outcome{path_too_long()};
    }
    const sockaddr_un to = address_of(path);
    const int socket = open_socket(AF_UNIX, 0);
    if (socket >= 0 && ::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
        return socket;
    }
    const std::error_code why{errno, std::generic_category()};
    if (socket >= 0) {
        ::close(socket);
    }
    return failed_outcome{unix_failure(why, path)};
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
    std::error_code failed = detail::open_socket_of(acceptor, protocol{});
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

namespace detail {

/// A connected unix socket, at an address.
[[nodiscard]] inline std::unique_ptr<byte_stream>
unix_stream(asio::local::stream_protocol::socket socket, std::string text) {
    net::peer who{std::move(text), "unix", peer_process(socket.native_handle()), {}};
    return std::make_unique<socket_stream>(std::move(socket), std::move(who));
}

/// Connects a socket to a path. The returned function gives that up.
[[nodiscard]] inline std::function<void()>
dial_unix(asio::io_context& io, const address& address,
          std::function<void(outcome<asio::local::stream_protocol::socket>)> then) {
    using protocol = asio::local::stream_protocol;
    if (address.path.size() > path_max) {
        asio::post(io, [then = std::move(then)] { then(failed_outcome{path_too_long()}); });
        return [] {};
    }
    const auto socket = std::make_shared<protocol::socket>(io);
    const auto strand = asio::make_strand(io);
    if (const auto failed = open_socket_of(*socket, protocol{})) {
        asio::post(io, [then = std::move(then), failed] {
            then(failed_outcome{unavailable(failed.message())});
        });
        return [] {};
    }
    socket->async_connect(
        protocol::endpoint{address.path},
        asio::bind_executor(strand, [socket, path = address.path,
                                     then = std::move(then)](const std::error_code& failed) {
            if (failed) {
                then(failed_outcome{unix_failure(failed, path)});
            } else {
                then(std::move(*socket));
            }
        }));
    return [socket, strand] {
        asio::dispatch(strand, [socket] {
            std::error_code ignored;
            socket->close(ignored);
        });
    };
}

/// Takes sockets that connect to a path.
[[nodiscard]] inline attempt<listener>
listen_unix(asio::io_context& io, const address& address, const server_options& options,
            std::function<void(asio::local::stream_protocol::socket)> then) {
    using protocol = asio::local::stream_protocol;
    if (!options.any_user && !options.admit && !tells_peer_user) {
        return failed_attempt{{std::make_error_code(std::errc::operation_not_supported),
                               "this system does not identify the peers of a unix socket; "
                               "any_user leaves the choice of users to the file's mode"}};
    }
    protocol::acceptor acceptor{io};
    if (const auto done = listen_on(acceptor, address.path); !done) {
        return failed_attempt{done.error()};
    }
    const auto on =
        std::make_shared<accept_loop<protocol>>(io, std::move(acceptor), std::move(then));
    on->start();
    return listener{to_string(address),
                    [on, path = address.path, file = file_identity{address.path}] {
                        // Once nobody listens on the file, it may be the next server's.
                        static_cast<void>(file.remove(path));
                        on->close();
                    }};
}

}  // namespace detail

/// Unix sockets, at paths of this machine.
class unix_transport final : public transport {
   public:
    [[nodiscard]] address_form form() const override { return address_form::path; }
    [[nodiscard]] protection protects() const override { return {true, false}; }

    [[nodiscard]] std::function<void()> dial(asio::io_context& io, const address& address,
                                             const client_options& /*options*/,
                                             dial_handler then) override {
        return detail::dial_unix(
            io, address, [text = to_string(address), then = std::move(then)](auto connected) {
                then(connected ? outcome<std::unique_ptr<byte_stream>>{detail::unix_stream(
                                     std::move(*connected), text)}
                               : failed_outcome{connected.error()});
            });
    }

    [[nodiscard]] attempt<listener> listen(asio::io_context& io, const address& address,
                                           const server_options& options,
                                           accept_handler then) override {
        return detail::listen_unix(
            io, address, options, [text = to_string(address), then = std::move(then)](auto answer) {
                then(detail::unix_stream(std::move(answer), text));
            });
    }

    [[nodiscard]] outcome<std::unique_ptr<blocking_bytes>>
    dial_blocking(const address& address, const blocking_options& /*options*/,
                  std::chrono::steady_clock::time_point /*until*/) override {
        const auto made = detail::connect_unix(address.path);
        if (!made) {
            return failed_outcome{made.error()};
        }
        return std::make_unique<socket_bytes>(*made);
    }
};

}  // namespace mxp::net

#endif

#endif  // MXP_NET_TRANSPORT_UNIX_HPP
