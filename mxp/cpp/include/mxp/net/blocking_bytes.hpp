/// The bytes of a connection of a blocking client.
#ifndef MXP_NET_BLOCKING_BYTES_HPP
#define MXP_NET_BLOCKING_BYTES_HPP

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <system_error>

#include "plain_socket.hpp"

namespace mxp::net {

/// The bytes of a connection of a blocking client to a peer and from it, in order and without loss.
/// One thread uses it, and nothing but `wait` waits. It is closed with its object.
class blocking_bytes {
   public:
    blocking_bytes() = default;
    blocking_bytes(const blocking_bytes&) = delete;
    blocking_bytes& operator=(const blocking_bytes&) = delete;
    virtual ~blocking_bytes() = default;

    /// Reads what is there, and returns how many bytes. 0 without an error is the end of the peer's
    /// writing; `operation_would_block` says that there are no bytes yet.
    [[nodiscard]] virtual std::size_t read(std::byte* output, std::size_t most,
                                           std::error_code& why) = 0;
    /// Writes some of the pieces, and returns how many bytes of them; `operation_would_block` says
    /// that there is no room.
    [[nodiscard]] virtual std::size_t write(const iovec* pieces, std::size_t n,
                                            std::error_code& why) = 0;
    /// Waits until there are bytes to read, or room to write, as asked for, or the connection has
    /// ended, but no longer than a time: it may return sooner. Tells whether to read.
    [[nodiscard]] virtual bool wait(bool for_bytes, bool for_room,
                                    std::chrono::microseconds most) = 0;
};

/// The bytes of a system's socket that no call waits for.
class socket_bytes final : public blocking_bytes {
   public:
    explicit socket_bytes(int socket) noexcept : socket_(socket) {}
    ~socket_bytes() override { ::close(socket_); }

    [[nodiscard]] std::size_t read(std::byte* output, std::size_t most,
                                   std::error_code& why) override {
        return done(::recv(socket_, output, most, MSG_DONTWAIT), why);
    }
    [[nodiscard]] std::size_t write(const iovec* pieces, std::size_t n,
                                    std::error_code& why) override {
        msghdr message{};
        message.msg_iov = const_cast<iovec*>(pieces);
        message.msg_iovlen =
            static_cast<decltype(message.msg_iovlen)>(std::min<std::size_t>(n, IOV_MAX));
        return done(::sendmsg(socket_, &message, detail::no_signal | MSG_DONTWAIT), why);
    }
    [[nodiscard]] bool wait(bool for_bytes, bool for_room,
                            std::chrono::microseconds most) override {
        pollfd what{socket_, 0, 0};
        what.events = static_cast<short>((for_bytes ? POLLIN : 0) | (for_room ? POLLOUT : 0));
        // Rounded up, so as not to come too early again and again.
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(most);
        const std::chrono::milliseconds::rep longest = 60'000;
        const int n = ::poll(&what, 1, static_cast<int>(std::min(left.count(), longest)));
        return n > 0 && (what.revents & (POLLIN | POLLHUP | POLLERR)) != 0;
    }

   private:
    [[nodiscard]] static std::size_t done(ssize_t n, std::error_code& why) {
        if (n >= 0) {
            why.clear();
            return static_cast<std::size_t>(n);
        }
        const bool is_blocked = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        why = is_blocked ? std::make_error_code(std::errc::operation_would_block)
                         : std::error_code{errno, std::system_category()};
        return 0;
    }

    int socket_;
};

}  // namespace mxp::net

#endif  // MXP_NET_BLOCKING_BYTES_HPP
