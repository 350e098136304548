/// The transports that carry the bytes of a connection.
#ifndef MXP_NET_TRANSPORT_HPP
#define MXP_NET_TRANSPORT_HPP

#if !defined(ASIO_STANDALONE)
#define ASIO_STANDALONE
#endif

#include <poll.h>

#include <asio/buffer.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/post.hpp>
#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>

#include "../frame.hpp"
#include "strand.hpp"

namespace mxp::net {

/// Pieces that are written one behind the other, and lie elsewhere.
class pieces {
   public:
    using value_type = asio::const_buffer;
    using const_iterator = const asio::const_buffer*;

    pieces(const_iterator first, std::size_t n) noexcept : begin_(first), end_(first + n) {}

    [[nodiscard]] const_iterator begin() const noexcept { return begin_; }
    [[nodiscard]] const_iterator end() const noexcept { return end_; }

   private:
    const_iterator begin_;
    const_iterator end_;
};

/// The transport of the bytes of a connection, which it tells what happens.
class transport {
   public:
    /// The listener that is told. It is kept until it was.
    class listener {
       public:
        virtual ~listener() = default;
        /// The strand in whose turns it is told, one thing at a time, by whichever threads.
        [[nodiscard]] virtual std::shared_ptr<detail::strand> turns() const = 0;
        /// Bytes have come; the view holds until this returns.
        virtual void on_bytes(bytes_view come) = 0;
        /// So many bytes of the pieces were written; `has_waited` if they could not be at once.
        virtual void on_written(std::size_t n, bool has_waited) = 0;
        /// No more can be written. What the peer has sent before is still read.
        virtual void on_unwritten(const std::error_code& why) = 0;
        /// No more is read.
        virtual void on_lost(const std::error_code& why) = 0;
        /// The peer has gone, and what it has sent can still be read.
        virtual void on_hang_up() = 0;
    };

    transport() = default;
    transport(const transport&) = delete;
    transport& operator=(const transport&) = delete;
    virtual ~transport() = default;

    /// Waits for bytes.
    virtual void read(std::shared_ptr<listener> owner) = 0;
    /// Waits until the peer is gone, as far as that shows while nothing is read.
    virtual void watch(std::weak_ptr<listener> owner) = 0;
    /// Writes some of the pieces, and returns how many bytes of them; or 0, and the listener is
    /// told later, until when the pieces stay.
    virtual std::size_t write(const pieces& of, std::shared_ptr<listener> owner) = 0;
    /// Says that no more will be written.
    virtual void finish(std::shared_ptr<listener> owner) = 0;
    virtual void close() = 0;
    /// Whether it protects the bytes, so that no checksum is needed.
    [[nodiscard]] virtual bool is_protected() const = 0;
};

namespace detail {

/// Whether the peer of a socket is gone. A wait for errors ends for urgent data, too.
template <class Socket>
[[nodiscard]] bool is_hung_up(Socket& of) {
    ::pollfd one{of.native_handle(), 0, 0};
    return ::poll(&one, 1, 0) == 1;
}

}  // namespace detail

/// How much is read at once.
inline constexpr std::size_t read_bytes = 65536;
/// A read of so much leaves the next one to others that wait.
inline constexpr std::size_t bulky_bytes = 16384;

/// A unix socket or a TCP connection. It has no memory to read into: that is each thread's.
class socket_transport final : public transport {
   public:
    using socket = asio::generic::stream_protocol::socket;

    socket_transport(socket of, bool is_protected)
        : socket_(std::move(of)), is_protected_(is_protected) {
        std::error_code ignored;
        socket_.non_blocking(true, ignored);
    }

    void read(std::shared_ptr<listener> owner) override {
        socket_.async_wait(socket::wait_read,
                           [this, owner = std::move(owner)](const std::error_code& failed) mutable {
                               const auto turns = owner->turns();
                               turns->run([this, owner = std::move(owner), failed]() mutable {
                                   if (failed) {
                                       owner->on_lost(failed);
                                   } else {
                                       take(std::move(owner));
                                   }
                               });
                           });
    }

    void watch(std::weak_ptr<listener> owner) override {
        socket_.async_wait(socket::wait_error,
                           [this, owner = std::move(owner)](const std::error_code& failed) {
                               const auto kept = owner.lock();
                               if (kept && !failed) {
                                   kept->turns()->run([this, kept] {
                                       if (detail::is_hung_up(socket_)) {
                                           kept->on_hang_up();
                                       }
                                   });
                               }
                           });
    }

    std::size_t write(const pieces& of, std::shared_ptr<listener> owner) override {
        std::error_code failed;
        const std::size_t n = socket_.write_some(of, failed);
        if (!failed) {
            return n;
        }
        if (is_blocked(failed)) {
            write_later(of, std::move(owner));
        } else {
            asio::post(socket_.get_executor(), [owner = std::move(owner), failed] {
                owner->turns()->run([owner, failed] { owner->on_unwritten(failed); });
            });
        }
        return 0;
    }

    void finish(std::shared_ptr<listener> /*owner*/) override {
        std::error_code ignored;
        socket_.shutdown(socket::shutdown_send, ignored);
    }

    void close() override {
        std::error_code ignored;
        socket_.close(ignored);
    }

    [[nodiscard]] bool is_protected() const override { return is_protected_; }

   private:
    [[nodiscard]] static bool is_blocked(const std::error_code& why) {
        return why == asio::error::would_block || why == asio::error::try_again;
    }

    /// Writes when the socket takes something again.
    void write_later(const pieces& of, std::shared_ptr<listener> owner) {
        socket_.async_wait(socket::wait_write, [this, of, owner = std::move(owner)](
                                                   const std::error_code& failed) mutable {
            const auto turns = owner->turns();
            turns->run([this, of, owner = std::move(owner), failed]() mutable {
                write_again(of, std::move(owner), failed);
            });
        });
    }
    void write_again(const pieces& of, std::shared_ptr<listener> owner, std::error_code failed) {
        const std::size_t n = failed ? 0 : socket_.write_some(of, failed);
        if (!failed) {
            owner->on_written(n, true);
        } else if (is_blocked(failed)) {
            write_later(of, std::move(owner));
        } else {
            owner->on_unwritten(failed);
        }
    }

    /// Reads what is there.
    void take(std::shared_ptr<listener> owner) {
        static thread_local const std::unique_ptr<std::byte[]> room{new std::byte[read_bytes]};
        std::error_code failed;
        const std::size_t n = socket_.read_some(asio::buffer(room.get(), read_bytes), failed);
        if (is_blocked(failed)) {
            read(std::move(owner));
        } else if (failed) {
            owner->on_lost(failed);
        } else {
            owner->on_bytes({room.get(), n});
        }
    }

    socket socket_;
    bool is_protected_;
};

}  // namespace mxp::net

#endif  // MXP_NET_TRANSPORT_HPP
