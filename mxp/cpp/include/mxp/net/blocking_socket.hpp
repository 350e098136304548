/// How a blocking client connects, reads and writes.
#ifndef MXP_NET_BLOCKING_SOCKET_HPP
#define MXP_NET_BLOCKING_SOCKET_HPP

#include <netdb.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "blocking.hpp"
#include "plain_socket.hpp"

namespace mxp::net {

/// Begins an attempt, and the session if that has come to a connection.
inline outcome<void> blocking_client::open(clock::time_point until) {
    const bool is_unix = at_->carrier == carrier::unix_socket;
    if (at_->carrier == carrier::tls) {
        return failed{detail::unusable("this client does not speak TLS", *place_)};
    }
    auto opened = is_unix ? open_unix() : open_tcp(until);
    if (!opened) {
        return opened;
    }
    session::config with;
    with.types = options_.types;
    with.payload_bytes = options_.payload_bytes;
    with.limits = options_.limits;
    with.observer = options_.observer;
    with.offers_checksum_off = is_unix;
    born_ = clock::now();
    number_ = ++links_;
    is_draining_ = false;
    was_ready_ = false;
    session_ = std::make_unique<session::session>(std::move(with), session::role::opener, 0);
    return opened;
}

inline outcome<void> blocking_client::open_unix() {
    if (at_->path.size() > detail::path_max) {
        return failed{detail::path_too_long(*place_)};
    }
    const sockaddr_un to = detail::address_of(at_->path);
    socket_ = detail::open_socket(AF_UNIX, 0);
    if (socket_ >= 0 &&
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
        return {};
    }
    const std::error_code why{errno, std::generic_category()};
    drop();
    return failed{detail::unix_failure(why, at_->path, *place_)};
}

namespace detail {

/// The addresses that a name stands for, or why they are not known.
struct lookup {
    int failed = 0;
    std::shared_ptr<addrinfo> found{};
};

[[nodiscard]] inline lookup look_up(const address& at, int flags) {
    addrinfo want{};
    want.ai_socktype = SOCK_STREAM;
    want.ai_flags = flags;
    addrinfo* found = nullptr;
    lookup made;
    made.failed = ::getaddrinfo(at.host.c_str(), at.port.c_str(), &want, &found);
    if (made.failed == 0) {
        made.found.reset(found, ::freeaddrinfo);
    }
    return made;
}

}  // namespace detail

inline outcome<void> blocking_client::open_tcp(clock::time_point until) {
    detail::lookup found = detail::look_up(*at_, AI_NUMERICHOST);
    if (found.failed != 0) {
        // On a thread of its own, since nothing else ends the wait for a name.
        std::packaged_task<detail::lookup()> task{[at = *at_] { return detail::look_up(at, 0); }};
        auto later = task.get_future();
        std::thread{std::move(task)}.detach();
        if (later.wait_until(until) != std::future_status::ready) {
            return failed{detail::unavailable("nobody says what the host's address is", *place_)};
        }
        found = later.get();
    }
    if (found.failed != 0) {
        const std::string why = ::gai_strerror(found.failed);
        return failed{found.failed == EAI_NONAME ? detail::unusable(why, *place_)
                                                 : detail::unavailable(why, *place_)};
    }
    failure why = detail::unavailable("the host has no address", *place_);
    for (const addrinfo* one = found.found.get(); one != nullptr; one = one->ai_next) {
        why = connect_socket(*one, until);
        if (socket_ >= 0) {
            return {};
        }
    }
    return failed{std::move(why)};
}

/// Connects to one of the addresses that a host has, or says why not.
inline failure blocking_client::connect_socket(const addrinfo& to, clock::time_point until) {
    socket_ = detail::open_socket(to.ai_family, to.ai_protocol);
    int why = 0;
    if (socket_ < 0 || ::connect(socket_, to.ai_addr, to.ai_addrlen) != 0) {
        why = errno;
    }
    if (why == EINPROGRESS) {
        why = ETIMEDOUT;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
        pollfd what{socket_, POLLOUT, 0};
        const auto most = static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
        socklen_t n = sizeof why;
        if (::poll(&what, 1, most) > 0) {
            ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &why, &n);
        }
    }
    if (why != 0) {
        drop();
        return detail::tcp_failure({why, std::generic_category()}, *place_);
    }
    detail::tune_tcp(socket_, detail::unsent_bytes);
    return {};
}

/// Writes what can be written without waiting; false if the connection was lost.
inline bool blocking_client::write() {
    for (;;) {
        if (pieces_.empty()) {
            has_waited_ = false;
            session_->poll_batch(batch_, now(), write_bytes);
            batch_.each([this](bytes_view piece) {
                pieces_.push_back({const_cast<std::byte*>(piece.data()), piece.size()});
            });
            if (pieces_.empty()) {
                if (session_->finished()) {
                    lose({});
                    return false;
                }
                return true;
            }
            has_made_room_ = true;
        }
        msghdr message{};
        message.msg_iov = pieces_.data();
        message.msg_iovlen = std::min<std::size_t>(pieces_.size(), IOV_MAX);
        const ssize_t done = ::sendmsg(socket_, &message, detail::no_signal | MSG_DONTWAIT);
        if (done < 0) {
            if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
                has_waited_ = true;
                return true;
            }
            lose({errno, std::system_category()});
            return false;
        }
        auto n = static_cast<std::size_t>(done);
        if (has_waited_) {
            session_->moved(now());
        }
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
        lose(n < 0 ? std::error_code{errno, std::system_category()} : std::error_code{});
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_BLOCKING_SOCKET_HPP
