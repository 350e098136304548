/// How sockets are listened on.
#ifndef MXP_NET_TRANSPORT_ACCEPT_LOOP_HPP
#define MXP_NET_TRANSPORT_ACCEPT_LOOP_HPP

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "../system/arrival.hpp"

namespace mxp::net::detail {

/// Accepts the connections of a socket, until it is closed.
template <class Protocol>
class accept_loop : public std::enable_shared_from_this<accept_loop<Protocol>> {
   public:
    using socket = typename Protocol::socket;
    using acceptor = typename Protocol::acceptor;

    accept_loop(asio::io_context& io, acceptor listener, std::function<void(socket)> then)
        : acceptor_(std::move(listener)),
          protocol_(acceptor_.local_endpoint().protocol()),
          pause_(io),
          then_(std::move(then)) {}

    void start() {
        const std::lock_guard<std::mutex> lock{mutex_};
        next();
    }
    void close() {
        const std::lock_guard<std::mutex> lock{mutex_};
        std::error_code ignored;
        acceptor_.close(ignored);
        pause_.cancel();
    }

   private:
    /// With the lock held.
    void next() {
        arrival_.await(acceptor_, [self = this->shared_from_this()](const std::error_code& failed) {
            socket came{self->acceptor_.get_executor()};
            if (self->take(came, failed)) {
                self->then_(std::move(came));
            }
        });
    }
    /// Takes who has connected, and goes on to accept, unless it is closed; false if nobody has.
    [[nodiscard]] bool take(socket& connection, const std::error_code& why) {
        const std::lock_guard<std::mutex> lock{mutex_};
        if (!acceptor_.is_open()) {
            return false;
        }
        const std::error_code failed = arrival_.take(acceptor_, protocol_, connection, why);
        // A client that has connected may have left again.
        if (failed && !arrival<Protocol>::has_left(failed)) {
            later();
            return false;
        }
        next();
        return !failed;
    }
    /// Tries anew after a while, when for instance there are too many open files.
    void later() {
        pause_.expires_after(std::chrono::milliseconds{10});
        pause_.async_wait([self = this->shared_from_this()](const std::error_code& failed) {
            const std::lock_guard<std::mutex> lock{self->mutex_};
            if (!failed && self->acceptor_.is_open()) {
                self->next();
            }
        });
    }

    std::mutex mutex_{};
    acceptor acceptor_;
    Protocol protocol_;
    arrival<Protocol> arrival_{};
    asio::steady_timer pause_;
    std::function<void(socket)> then_;
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_TRANSPORT_ACCEPT_LOOP_HPP
