/// A peer that does what it likes.
#ifndef MXP_TESTS_NET_INTRUDER_HPP
#define MXP_TESTS_NET_INTRUDER_HPP

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mxp/mxp.hpp"
#include "mxp/session.hpp"
#include "running.hpp"

namespace running {

namespace ms = mxp::session;

/// The address of a unix socket.
[[nodiscard]] inline sockaddr_un socket_at(const std::string& path) {
    sockaddr_un made{};
    made.sun_family = AF_UNIX;
    std::memcpy(made.sun_path, path.data(), path.size());
    return made;
}

/// A socket that listens at a path.
[[nodiscard]] inline int listens(const std::string& path) {
    const sockaddr_un at = socket_at(path);
    const int made = ::socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(::bind(made, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    EXPECT_EQ(::listen(made, 16), 0);
    return made;
}

/// A peer that sends any bytes.
class intruder {
   public:
    explicit intruder(const std::string& address, std::vector<std::string> services = {},
                      bool batches = false)
        : session_(limitless(std::move(services), batches), ms::role::opener, 0) {
        const auto at = net::parse_address(address);
        const sockaddr_un to = socket_at(at->path);
        socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
        EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    }
    /// Serves on a socket that was accepted.
    intruder(int accepted, std::vector<std::string> services, bool batches)
        : socket_(accepted),
          session_(limitless(std::move(services), batches), ms::role::acceptor, 0) {}
    intruder(const intruder&) = delete;
    intruder& operator=(const intruder&) = delete;
    ~intruder() { ::close(socket_); }

    /// Behaves until requests can be made.
    intruder& greeted() {
        flush();
        while (!session_.ready() && read()) {
        }
        return *this;
    }

    /// Sends bytes; false if they can't be written for a while, or ever.
    bool send(const bytes& all) {
        for (std::size_t at = 0; at < all.size();) {
            pollfd what{socket_, POLLOUT, 0};
            if (::poll(&what, 1, 3'000) <= 0) {
                return false;
            }
            const ssize_t n =
                ::send(socket_, all.data() + at, all.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n <= 0) {
                return false;
            }
            at += static_cast<std::size_t>(n);
        }
        return true;
    }

    /// Sends what the session has made.
    bool flush() {
        ms::batch all;
        session_.poll_batch(all, 0);
        bytes joined;
        all.each([&](mxp::bytes_view piece) {
            joined.insert(joined.end(), piece.begin(), piece.end());
        });
        return send(joined);
    }

    /// Takes what the session has made, to be sent by `send_some`.
    void queue_all() {
        ms::batch all;
        session_.poll_batch(all, 0);
        all.each([&](mxp::bytes_view piece) {
            waiting_->insert(waiting_->end(), piece.begin(), piece.end());
        });
    }
    /// Leaves so many bytes of it out.
    void cut(std::size_t n) { waiting_->resize(waiting_->size() - std::min(n, waiting_->size())); }
    /// Takes what another has made, who has asked for the same in the same order.
    void queue_as(const intruder& other) { waiting_ = other.waiting_; }
    /// Sends what can be sent at once; false if the connection is gone.
    bool send_some() {
        while (sent_ < waiting_->size()) {
            const ssize_t n = ::send(socket_, waiting_->data() + sent_, waiting_->size() - sent_,
                                     MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n <= 0) {
                return errno == EAGAIN;
            }
            sent_ += static_cast<std::size_t>(n);
        }
        return true;
    }

    /// Sends no more.
    void end() { ::shutdown(socket_, SHUT_WR); }

    /// Reads once; false if no more comes.
    bool read(int most_ms = 10'000) {
        pollfd what{socket_, POLLIN, 0};
        bytes room(65536);
        const ssize_t n =
            ::poll(&what, 1, most_ms) > 0 ? ::recv(socket_, room.data(), room.size(), 0) : -1;
        if (n <= 0) {
            return false;
        }
        mxp::bytes_view come{room.data(), static_cast<std::size_t>(n)};
        while (const auto one = session_.receive(come, 0)) {
            if (const auto* ended = std::get_if<ms::in::ended>(&*one)) {
                ++ends[std::string{ended->why.name}];
            }
            if (const auto* taken = std::get_if<ms::in::acked>(&*one)) {
                acked[taken->id] = taken->chunk;
            }
            if (const auto* open = std::get_if<ms::in::open>(&*one)) {
                opened = open->id;
            }
            if (const auto* end = std::get_if<ms::in::end>(&*one)) {
                why = end->why.name;
            }
        }
        return true;
    }

    /// Reads until the server has said why it ends the session.
    std::string reason() {
        while (why.empty() && read()) {
        }
        return why;
    }

    ms::session& session() { return session_; }

    std::map<std::string, std::size_t> ends;
    /// The last chunks of streams that were acknowledged.
    std::map<std::uint64_t, std::uint64_t> acked;
    /// The stream that the peer has opened last.
    std::uint64_t opened = 0;
    std::string why;

   private:
    static ms::config limitless(std::vector<std::string> services, bool batches) {
        ms::config made;
        made.offers_batches = batches;
        made.services = std::move(services);
        made.limits.in_flight = 1U << 30;
        made.limits.in_flight_bytes = 1U << 30;
        made.limits.queue_bytes = 1U << 30;
        made.limits.bulk_bytes = 1U << 30;
        made.limits.ping_us = 0;
        return made;
    }

    int socket_ = -1;
    ms::session session_;
    std::shared_ptr<bytes> waiting_ = std::make_shared<bytes>();
    std::size_t sent_ = 0;
};

}  // namespace running

#endif  // MXP_TESTS_NET_INTRUDER_HPP
