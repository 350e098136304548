/// What carries the bytes of a connection.
#ifndef MXP_NET_TRANSPORT_HPP
#define MXP_NET_TRANSPORT_HPP

#if !defined(ASIO_STANDALONE)
#define ASIO_STANDALONE
#endif

#include <asio/buffer.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>

#include "../frame.hpp"

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

/// What carries the bytes of a connection, which it tells what happens.
class transport {
   public:
    /// Who is told. It is kept until it was.
    class listener {
       public:
        virtual ~listener() = default;
        /// Bytes have come; the view holds until this returns.
        virtual void on_bytes(bytes_view come) = 0;
        /// So many bytes of the pieces were written.
        virtual void on_written(std::size_t n) = 0;
        /// No more is read, or was written.
        virtual void on_lost(const std::error_code& why) = 0;
    };

    transport() = default;
    transport(const transport&) = delete;
    transport& operator=(const transport&) = delete;
    virtual ~transport() = default;

    /// Waits for bytes.
    virtual void read(std::shared_ptr<listener> by) = 0;
    /// Writes some of the pieces, which stay until that was told.
    virtual void write(const pieces& of, std::shared_ptr<listener> by) = 0;
    /// Says that no more will be written.
    virtual void finish() = 0;
    virtual void close() = 0;
    /// Whether it protects the bytes, so that no checksum is needed.
    [[nodiscard]] virtual bool is_protected() const = 0;
};

/// How much is read at once.
inline constexpr std::size_t read_bytes = 65536;

/// A unix socket or a TCP connection. It has no memory to read into: that is each thread's.
class socket_transport final : public transport {
   public:
    using socket = asio::generic::stream_protocol::socket;

    socket_transport(socket of, bool is_protected)
        : socket_(std::move(of)), is_protected_(is_protected) {
        std::error_code ignored;
        socket_.non_blocking(true, ignored);
    }

    void read(std::shared_ptr<listener> by) override {
        socket_.async_wait(socket::wait_read,
                           [this, by = std::move(by)](const std::error_code& failed) mutable {
                               if (failed) {
                                   by->on_lost(failed);
                               } else {
                                   take(std::move(by));
                               }
                           });
    }

    void write(const pieces& of, std::shared_ptr<listener> by) override {
        socket_.async_write_some(
            of, [by = std::move(by)](const std::error_code& failed, std::size_t n) {
                if (failed) {
                    by->on_lost(failed);
                } else {
                    by->on_written(n);
                }
            });
    }

    void finish() override {
        std::error_code ignored;
        socket_.shutdown(socket::shutdown_send, ignored);
    }

    void close() override {
        std::error_code ignored;
        socket_.close(ignored);
    }

    [[nodiscard]] bool is_protected() const override { return is_protected_; }

   private:
    /// Reads what is there.
    void take(std::shared_ptr<listener> by) {
        static thread_local const std::unique_ptr<std::byte[]> room{new std::byte[read_bytes]};
        std::error_code failed;
        const std::size_t n = socket_.read_some(asio::buffer(room.get(), read_bytes), failed);
        if (failed == asio::error::would_block || failed == asio::error::try_again) {
            read(std::move(by));
        } else if (failed) {
            by->on_lost(failed);
        } else {
            by->on_bytes({room.get(), n});
        }
    }

    socket socket_;
    bool is_protected_;
};

}  // namespace mxp::net

#endif  // MXP_NET_TRANSPORT_HPP
