/// The bytes of a connection, over any transport.
#ifndef MXP_NET_BYTE_STREAM_HPP
#define MXP_NET_BYTE_STREAM_HPP

#if !defined(ASIO_STANDALONE)
#define ASIO_STANDALONE
#endif

#include <asio/buffer.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>

#include "../frame.hpp"
#include "peer.hpp"
#include "strand.hpp"

namespace mxp::net {

namespace detail::shm {
class proposal;
}

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

/// The bytes of a connection to a peer and from it, in order and without loss. It tells its handler
/// what happens, and is used in that one's turns. One read, one wait for the peer to be gone and
/// one write are under way at a time, beside each other.
class byte_stream {
   public:
    /// The connection that is told. It is kept until it was.
    class handler {
       public:
        virtual ~handler() = default;
        /// The strand in whose turns it is told, one thing at a time, by any threads.
        [[nodiscard]] virtual std::shared_ptr<detail::strand> turns() const = 0;
        /// Bytes have come; the view holds until this returns.
        virtual void on_bytes(bytes_view come) = 0;
        /// So many bytes of the pieces were written; `has_waited` if they could not be at once.
        virtual void on_written(std::size_t n, bool has_waited) = 0;
        /// No more can be written. Bytes that the peer has sent before are still read.
        virtual void on_unwritten(const std::error_code& why) = 0;
        /// No more is read: the peer has ended its direction (`asio::error::eof`), or worse.
        virtual void on_lost(const std::error_code& why) = 0;
        /// The peer has gone, and the bytes that it has sent can still be read.
        virtual void on_hang_up() = 0;
    };
    /// Is told once why bytes can't pass; nothing if they can.
    using open_handler = std::function<void(std::optional<failure>)>;
    using opened [[deprecated("use open_handler")]] = open_handler;

    byte_stream() = default;
    byte_stream(const byte_stream&) = delete;
    byte_stream& operator=(const byte_stream&) = delete;
    virtual ~byte_stream() = default;

    /// Does what comes before the bytes of MXP, such as the handshake of TLS. `close` ends it.
    virtual void open(open_handler then) { then(std::nullopt); }
    /// The channel that the peer wants to open, if it does: then there is no session.
    [[nodiscard]] virtual std::shared_ptr<detail::shm::proposal> proposal() { return nullptr; }
    /// The other side, once that is done, as far as the transport tells.
    [[nodiscard]] virtual net::peer peer() const = 0;

    /// Waits for bytes.
    virtual void read(std::shared_ptr<handler> owner) = 0;
    /// Waits until the peer is gone, as far as that shows while nothing is read.
    virtual void watch(std::weak_ptr<handler> owner) = 0;
    /// Tells it if the peer is gone, or has ended its direction, which may not show by itself. It
    /// is asked each second while nothing is read.
    virtual void look(std::weak_ptr<handler> /*owner*/) {}
    /// Writes some of the pieces, and returns how many bytes of them; or 0, and the handler is
    /// told later, until when the pieces stay.
    virtual std::size_t write(const pieces& pieces, std::shared_ptr<handler> owner) = 0;
    /// Says that no more will be written; the peer's bytes are still read.
    virtual void finish(std::shared_ptr<handler> owner) = 0;
    /// Ends both directions and all operations, whose handlers may be told so.
    virtual void close() = 0;

    /// Why a client that was lost for a reason can't be served later either, if it can't.
    [[nodiscard]] virtual std::optional<failure> refusal(const std::error_code& /*why*/) const {
        return std::nullopt;
    }
};

}  // namespace mxp::net

#endif  // MXP_NET_BYTE_STREAM_HPP
