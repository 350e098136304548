/// The bytes of a connected socket.
#ifndef MXP_NET_TRANSPORT_SOCKET_STREAM_HPP
#define MXP_NET_TRANSPORT_SOCKET_STREAM_HPP

#include <asio/buffer.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/post.hpp>
#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>

#include "../byte_stream.hpp"
#include "../system/socket.hpp"
#include "../system/thread_value.hpp"

namespace mxp::net {

namespace detail {

/// How much is read at once, and where to: memory of this thread's.
inline constexpr std::size_t read_bytes = 65536;
inline void* make_room() { return new std::byte[read_bytes]; }
inline void free_room(void* room) { delete[] static_cast<std::byte*>(room); }
[[nodiscard]] inline std::byte* read_room() {
    return static_cast<std::byte*>(thread_value<make_room, free_room>());
}

/// Tells the handler of a socket's connection if the peer of that is gone, in one of its turns.
template <class Socket>
void look_at_socket(Socket& source, const std::weak_ptr<byte_stream::handler>& owner) {
    if (const auto kept = owner.lock();
        kept != nullptr && source.is_open() && is_hung_up(source.native_handle())) {
        kept->on_hang_up();
    }
}

/// Tells the handler of a socket's connection when the peer of that is gone.
template <class Socket>
void watch_socket(Socket& source, std::weak_ptr<byte_stream::handler> owner) {
    if constexpr (!tells_hang_up) {
        return;
    }
    source.async_wait(Socket::wait_error,
                      [&source, owner = std::move(owner)](const std::error_code& failed) {
                          const auto kept = owner.lock();
                          if (kept && !failed) {
                              kept->turns()->run([&source, kept] {
                                  if (is_hung_up(source.native_handle())) {
                                      kept->on_hang_up();
                                  }
                              });
                          }
                      });
}

}  // namespace detail

/// A unix socket or a TCP connection. It has no memory to read into: that is each thread's.
class socket_stream final : public byte_stream {
   public:
    using socket = asio::generic::stream_protocol::socket;

    socket_stream(socket connection, net::peer peer)
        : socket_(std::move(connection)), peer_(std::move(peer)) {
        std::error_code ignored;
        socket_.non_blocking(true, ignored);
    }

    [[nodiscard]] net::peer peer() const override { return peer_; }

    void read(std::shared_ptr<handler> owner) override {
        socket_.async_wait(socket::wait_read,
                           [this, owner = std::move(owner)](const std::error_code& failed) mutable {
                               const auto turns = owner->turns();
                               turns->run([this, owner = std::move(owner), failed]() mutable {
                                   if (failed) {
                                       owner->on_lost(detail::known(failed));
                                   } else {
                                       take(std::move(owner));
                                   }
                               });
                           });
    }

    void watch(std::weak_ptr<handler> owner) override {
        detail::watch_socket(socket_, std::move(owner));
    }
    void look(std::weak_ptr<handler> owner) override { detail::look_at_socket(socket_, owner); }

    std::size_t write(const pieces& pieces, std::shared_ptr<handler> owner) override {
        std::error_code failed;
        const std::size_t n = socket_.write_some(pieces, failed);
        if (!failed) {
            return n;
        }
        if (is_blocked(failed)) {
            write_later(pieces, std::move(owner));
        } else {
            asio::post(socket_.get_executor(), [owner = std::move(owner), failed] {
                owner->turns()->run(
                    [owner, failed] { owner->on_unwritten(detail::known(failed)); });
            });
        }
        return 0;
    }

    void finish(std::shared_ptr<handler> /*owner*/) override {
        std::error_code ignored;
        socket_.shutdown(socket::shutdown_send, ignored);
    }

    void close() override {
        std::error_code ignored;
        socket_.close(ignored);
    }

   private:
    [[nodiscard]] static bool is_blocked(const std::error_code& why) {
        return why == asio::error::would_block || why == asio::error::try_again;
    }

    /// Writes when the socket takes something again.
    void write_later(const pieces& pieces, std::shared_ptr<handler> owner) {
        socket_.async_wait(socket::wait_write, [this, pieces, owner = std::move(owner)](
                                                   const std::error_code& failed) mutable {
            const auto turns = owner->turns();
            turns->run([this, pieces, owner = std::move(owner), failed]() mutable {
                write_again(pieces, std::move(owner), failed);
            });
        });
    }
    void write_again(const pieces& pieces, std::shared_ptr<handler> owner, std::error_code failed) {
        const std::size_t n = failed ? 0 : socket_.write_some(pieces, failed);
        if (!failed) {
            owner->on_written(n, true);
        } else if (is_blocked(failed)) {
            write_later(pieces, std::move(owner));
        } else {
            owner->on_unwritten(detail::known(failed));
        }
    }

    /// Reads what is there.
    void take(std::shared_ptr<handler> owner) {
        std::byte* const room = detail::read_room();
        std::error_code failed;
        const std::size_t n = socket_.read_some(asio::buffer(room, detail::read_bytes), failed);
        if (is_blocked(failed)) {
            read(std::move(owner));
        } else if (failed) {
            owner->on_lost(detail::known(failed));
        } else {
            owner->on_bytes({room, n});
        }
    }

    socket socket_;
    net::peer peer_;
};

}  // namespace mxp::net

#endif  // MXP_NET_BYTE_STREAM_HPP
