/// A WebSocket as bytes: the bytes of its binary messages, one behind another [MXP-19.3].
#ifndef MXP_NET_TRANSPORT_WEBSOCKET_MESSAGES_HPP
#define MXP_NET_TRANSPORT_WEBSOCKET_MESSAGES_HPP

#include <array>
#include <asio/error.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "../../byte_stream.hpp"
#include "lower_stream.hpp"
#include "protocol.hpp"
#include "run_queue.hpp"

namespace mxp::net::detail::ws {

namespace websocket = boost::beast::websocket;

/// Pieces of a message, which lie elsewhere.
class message {
   public:
    using value_type = boost::asio::const_buffer;
    using const_iterator = const boost::asio::const_buffer*;

    explicit message(const std::vector<value_type>& values) noexcept
        : begin_(values.data()), end_(values.data() + values.size()) {}

    [[nodiscard]] const_iterator begin() const noexcept { return begin_; }
    [[nodiscard]] const_iterator end() const noexcept { return end_; }

   private:
    const_iterator begin_;
    const_iterator end_;
};

/// A WebSocket, whose handshake is that of either side. Beast's functions refer to it and don't
/// keep it: what is under way below does, and the connection that has it.
class messages : public std::enable_shared_from_this<messages> {
   public:
    using handler = byte_stream::handler;
    using open_handler = byte_stream::open_handler;

    messages(asio::io_context& io, std::unique_ptr<byte_stream> lower)
        : queue_(io),
          lower_(std::move(lower), queue_, [this] { return keep(); }),
          stream_(beast_stream{lower_}),
          late_(io) {
        stream_.auto_fragment(false);
        stream_.binary(true);
        stream_.read_message_max(0);  // a message is read in pieces
        stream_.write_buffer_bytes(message_bytes);
    }
    messages(const messages&) = delete;
    messages& operator=(const messages&) = delete;
    virtual ~messages() = default;

    void open(open_handler then) {
        queue_.run(shared_from_this(), [this, then = std::move(then)]() mutable {
            const auto keeper = keep();
            kept_.lock()->then = std::move(then);
            lower_.below().open([this, keeper](std::optional<failure> why) {
                queue_.run(keeper, [this, why = std::move(why)]() mutable {
                    if (why) {
                        tell_opened(std::move(why));
                    } else {
                        handshake();
                    }
                });
            });
        });
    }
    [[nodiscard]] net::peer peer() { return lower_.below().peer(); }

    void read(const std::shared_ptr<handler>& owner) {
        const owner_call now{*this};
        queue_.run(shared_from_this(), [this, owner] {
            own(owner);
            read_some();
        });
    }
    void watch(std::weak_ptr<handler> owner) {
        queue_.run(shared_from_this(), [this, owner = std::move(owner)]() mutable {
            lower_.watch(std::move(owner), std::shared_ptr<handler>{shared_from_this(), &lower_});
        });
    }
    void look(std::weak_ptr<handler> owner) {
        queue_.run(shared_from_this(), [this, owner = std::move(owner)]() mutable {
            lower_.look(std::move(owner), std::shared_ptr<handler>{shared_from_this(), &lower_});
        });
    }
    std::size_t write(const pieces& pieces, const std::shared_ptr<handler>& owner) {
        const owner_call now{*this};
        queue_.run(shared_from_this(), [this, pieces, owner] {
            own(owner);
            write_some(pieces);
        });
        return std::exchange(written_at_once_, 0);
    }
    void finish(const std::shared_ptr<handler>& owner) {
        const owner_call now{*this};
        queue_.run(shared_from_this(), [this, owner] {
            own(owner);
            say_end(websocket::close_code::normal);
        });
    }
    void close() {
        queue_.run(shared_from_this(), [this] {
            late_.cancel();
            lower_.close();
            leave();
        });
    }

   protected:
    using stream = websocket::stream<beast_stream, false>;

    /// Shakes hands, and says by `tell_opened` how that went.
    virtual void handshake() = 0;
    /// The connection is closed.
    virtual void leave() {}

    void tell_opened(std::optional<failure> why) {
        if (!why) {
            lower_.shaken();
        }
        if (const auto now = kept_.lock()) {
            if (const open_handler then = std::exchange(now->then, nullptr)) {
                then(std::move(why));
            }
        }
    }
    [[nodiscard]] stream& socket() noexcept { return stream_; }
    [[nodiscard]] lower_stream& below() noexcept { return lower_; }

   private:
    /// All objects that have to be there until the operations below have ended.
    struct lifetime_guard {
        std::shared_ptr<messages> all;
        std::shared_ptr<handler> owner;
        open_handler then;
    };

    /// While it is there, this thread runs a function that the owner has called. It is told of
    /// nothing from within.
    class owner_call {
       public:
        explicit owner_call(messages& messages)
            : of_(messages), before_(messages.asking_.exchange(std::this_thread::get_id())) {}
        owner_call(const owner_call&) = delete;
        owner_call& operator=(const owner_call&) = delete;
        ~owner_call() { of_.asking_ = before_; }

       private:
        messages& of_;
        std::thread::id before_;
    };
    [[nodiscard]] bool is_asked() const noexcept { return asking_ == std::this_thread::get_id(); }
    template <class Function>
    void tell(const std::shared_ptr<handler>& owner, Function function) {
        if (is_asked()) {
            owner->turns()->post(std::move(function));
        } else {
            owner->turns()->run(std::move(function));
        }
    }

    [[nodiscard]] std::shared_ptr<handler> keep() {
        auto made = kept_.lock();
        if (made == nullptr) {
            made = std::make_shared<lifetime_guard>(
                lifetime_guard{shared_from_this(), owner_.lock(), nullptr});
            kept_ = made;
        }
        return {std::move(made), &lower_};
    }
    void own(const std::shared_ptr<handler>& owner) {
        owner_ = owner;
        if (const auto now = kept_.lock()) {
            now->owner = owner;
        }
    }

    void read_some() {
        stream_.async_read_some(
            boost::asio::buffer(room_),
            [this](boost::system::error_code failed, std::size_t n) { came(failed, n); });
    }
    void came(boost::system::error_code failed, std::size_t n) {
        if (failed) {
            tell_lost(failed);
        } else if (stream_.got_text()) {
            is_text_ = true;
            say_end(websocket::close_code::unknown_data);
            read_some();  // ends with the end
        } else if (n == 0) {
            read_some();
        } else if (const auto owner = owner_.lock()) {
            tell(owner, [this, owner, n] { owner->on_bytes({room_.data(), n}); });
        }
    }
    void tell_lost(boost::system::error_code failed) {
        const auto owner = owner_.lock();
        if (owner == nullptr) {
            return;
        }
        std::error_code why = failed;
        if (is_text_) {
            why = std::make_error_code(std::errc::protocol_error);
        } else if (failed == websocket::error::closed || is_ending_) {
            why = asio::error::eof;
        } else if (lower_.lost()) {
            why = *lower_.lost();
        }
        tell(owner, [owner, why] { owner->on_lost(why); });
    }

    /// Writes a message, of as many bytes as fit into one.
    void write_some(const pieces& pieces) {
        outgoing_.clear();
        std::size_t room = message_bytes;
        for (const asio::const_buffer& piece : pieces) {
            const std::size_t n = std::min(piece.size(), room);
            outgoing_.emplace_back(piece.data(), n);
            room -= n;
            if (room == 0) {
                break;
            }
        }
        const std::size_t n = message_bytes - room;
        stream_.async_write_some(
            true, message{outgoing_},
            [this, n](boost::system::error_code failed, std::size_t /*n*/) { wrote(failed, n); });
    }
    void wrote(boost::system::error_code failed, std::size_t n) {
        const auto owner = owner_.lock();
        if (owner == nullptr) {
            return;
        }
        if (failed || lower_.broken()) {
            const std::error_code why = failed ? std::error_code{failed} : *lower_.broken();
            tell(owner, [owner, why] { owner->on_unwritten(why); });
        } else if (is_asked()) {
            written_at_once_ = n;
        } else {
            const bool has_waited = lower_.take_waited();
            tell(owner, [owner, n, has_waited] { owner->on_written(n, has_waited); });
        }
    }

    /// Says that the connection ends, behind what was written [MXP-19.4].
    void say_end(websocket::close_code why) {
        if (is_ending_ || !stream_.is_open()) {
            return;
        }
        is_ending_ = true;
        late_.expires_after(close_time);
        late_.async_wait([weak = weak_from_this()](const std::error_code& failed) {
            const auto self = weak.lock();
            if (self && !failed) {
                self->close();
            }
        });
        stream_.async_close(why, [this](boost::system::error_code) { late_.cancel(); });
    }

    run_queue queue_;
    lower_stream lower_;
    stream stream_;
    asio::steady_timer late_;
    std::weak_ptr<handler> owner_{};
    std::weak_ptr<lifetime_guard> kept_{};
    bool is_ending_ = false;
    bool is_text_ = false;

    std::array<std::byte, room_bytes> room_{};
    std::vector<boost::asio::const_buffer> outgoing_{};
    /// The thread that is within a function of the owner's, and how much it has written there.
    std::atomic<std::thread::id> asking_{};
    std::size_t written_at_once_ = 0;
};

/// The bytes of a WebSocket.
class message_stream final : public byte_stream {
   public:
    message_stream(std::shared_ptr<messages> messages, net::peer peer)
        : of_(std::move(messages)), peer_(std::move(peer)) {}
    ~message_stream() override { of_->close(); }

    void open(open_handler then) override { of_->open(std::move(then)); }
    [[nodiscard]] net::peer peer() const override {
        net::peer made = of_->peer();
        made.transport = peer_.transport;
        made.address = peer_.address;
        return made;
    }
    void read(std::shared_ptr<handler> owner) override { of_->read(owner); }
    void watch(std::weak_ptr<handler> owner) override { of_->watch(std::move(owner)); }
    void look(std::weak_ptr<handler> owner) override { of_->look(std::move(owner)); }
    std::size_t write(const pieces& pieces, std::shared_ptr<handler> owner) override {
        return of_->write(pieces, owner);
    }
    void finish(std::shared_ptr<handler> owner) override { of_->finish(owner); }
    void close() override { of_->close(); }

   private:
    std::shared_ptr<messages> of_;
    net::peer peer_;
};

}  // namespace mxp::net::detail::ws

#endif  // MXP_NET_TRANSPORT_WEBSOCKET_MESSAGES_HPP
