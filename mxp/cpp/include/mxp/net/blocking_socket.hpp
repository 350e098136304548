/// How a blocking client connects, reads and writes.
#ifndef MXP_NET_BLOCKING_SOCKET_HPP
#define MXP_NET_BLOCKING_SOCKET_HPP

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "blocking.hpp"

namespace mxp::net {

inline bool blocking_client::open() {
    const bool is_unix = at_.carrier == carrier::unix_socket;
    if (!(is_unix ? open_unix() : at_.carrier == carrier::tcp && open_tcp())) {
        trouble_ = std::string{"not connected: "} + std::strerror(errno);
        return false;
    }
    session::config with;
    with.types = how_.types;
    with.payload_bytes = how_.payload_bytes;
    with.limits = how_.limits;
    with.observer = how_.observer;
    with.offers_checksum_off = is_unix;
    born_ = clock::now();
    is_draining_ = false;
    session_ = std::make_unique<session::session>(std::move(with), session::role::opener, 0);
    return true;
}

inline bool blocking_client::open_unix() {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    if (at_.path.size() >= sizeof to.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    std::memcpy(to.sun_path, at_.path.data(), at_.path.size());
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ >= 0 && ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) {
        return true;
    }
    drop();
    return false;
}

inline bool blocking_client::open_tcp() {
    addrinfo want{};
    want.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(at_.host.c_str(), at_.port.c_str(), &want, &found) != 0) {
        errno = EHOSTUNREACH;
        return false;
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all{found, ::freeaddrinfo};
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        socket_ = ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
        if (socket_ >= 0 && ::connect(socket_, one->ai_addr, one->ai_addrlen) == 0) {
            const int on = 1;
            ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            return true;
        }
        drop();
    }
    return false;
}

/// Writes what can be written without waiting; false if the connection was lost.
inline bool blocking_client::write() {
    for (;;) {
        if (pieces_.empty()) {
            session_->poll_batch(batch_, now());
            batch_.each([this](bytes_view piece) {
                pieces_.push_back({const_cast<std::byte*>(piece.data()), piece.size()});
            });
            if (pieces_.empty()) {
                if (session_->finished()) {
                    lose();
                    return false;
                }
                return true;
            }
        }
        msghdr message{};
        message.msg_iov = pieces_.data();
        message.msg_iovlen = std::min<std::size_t>(pieces_.size(), IOV_MAX);
        const ssize_t done = ::sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done < 0) {
            if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
                return true;
            }
            lose();
            return false;
        }
        auto n = static_cast<std::size_t>(done);
        std::size_t gone = 0;
        while (gone < pieces_.size() && n >= pieces_[gone].iov_len) {
            n -= pieces_[gone++].iov_len;
        }
        pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(gone));
        if (pieces_.empty()) {
            batch_.clear();
        } else {
            pieces_.front().iov_base = static_cast<std::byte*>(pieces_.front().iov_base) + n;
            pieces_.front().iov_len -= n;
        }
    }
}

/// Reads what is there, unless the session takes no more for now [MXP-9.4].
inline void blocking_client::read() {
    if (!unread_.empty()) {
        const std::vector<std::byte> again = std::exchange(unread_, {});
        tell(again);
        return;
    }
    const std::unique_ptr<std::byte[]> room{new std::byte[read_bytes]};
    const ssize_t n = ::recv(socket_, room.get(), read_bytes, MSG_DONTWAIT);
    if (n > 0) {
        tell({room.get(), static_cast<std::size_t>(n)});
    } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        if (n < 0) {
            trouble_ = std::strerror(errno);
        }
        lose();
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_BLOCKING_SOCKET_HPP
