/// The connection below a WebSocket, as Boost.Beast reads and writes it.
#ifndef MXP_NET_TRANSPORT_WEBSOCKET_LOWER_STREAM_HPP
#define MXP_NET_TRANSPORT_WEBSOCKET_LOWER_STREAM_HPP

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/websocket/teardown.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "../../byte_stream.hpp"
#include "protocol.hpp"
#include "run_queue.hpp"

namespace mxp::net::detail::ws {

/// The connection below, of which one read and one write of Beast's are under way at a time.
/// Received bytes are copied into Beast's memory once, and written bytes lie where they are. It is
/// used in turns of the queue.
class lower_stream final : public byte_stream::handler {
   public:
    /// How something ended that Beast has begun.
    using transfer_handler = once<boost::system::error_code, std::size_t>;
    /// Gives the handler of an operation below, which keeps all objects alive until the operation
    /// has ended.
    using keep_alive = std::function<std::shared_ptr<byte_stream::handler>()>;

    lower_stream(std::unique_ptr<byte_stream> lower, run_queue& queue, keep_alive keep)
        : below_(std::move(lower)), queue_(queue), keep_(std::move(keep)) {}

    [[nodiscard]] run_queue& on() noexcept { return queue_; }
    [[nodiscard]] byte_stream& below() noexcept { return *below_; }
    /// Why nothing more comes, if nothing does.
    [[nodiscard]] const std::optional<std::error_code>& lost() const noexcept { return lost_; }
    /// Why nothing more is written, if nothing is.
    [[nodiscard]] const std::optional<std::error_code>& broken() const noexcept { return broken_; }
    /// Whether a write had to wait since this was asked.
    [[nodiscard]] bool take_waited() noexcept { return std::exchange(has_waited_, false); }

    void read(boost::asio::mutable_buffer buffer, transfer_handler then) {
        to_ = buffer;
        reader_ = std::move(then);
        serve();
    }
    /// Gives back so many of the bytes that were read last.
    void unread(std::size_t n) { there_ = {there_.data() - n, there_.size() + n}; }

    template <class Buffers>
    void write(const Buffers& buffers, transfer_handler then) {
        outgoing_.clear();
        std::size_t size = 0;
        for (auto one = boost::asio::buffer_sequence_begin(buffers);
             one != boost::asio::buffer_sequence_end(buffers); ++one) {
            const boost::asio::const_buffer piece{*one};
            if (piece.size() > 0) {
                outgoing_.emplace_back(piece.data(), piece.size());
                size += piece.size();
            }
        }
        outgoing_bytes_ = size;
        writer_ = std::move(then);
        if (is_closed_) {
            wrote(boost::asio::error::operation_aborted, 0);
        } else if (broken_ || size == 0) {
            wrote({}, size);
        } else if (const std::size_t n =
                       below_->write({outgoing_.data(), outgoing_.size()}, keep_())) {
            wrote({}, n);
        }
    }

    void watch(std::weak_ptr<byte_stream::handler> owner,
               std::weak_ptr<byte_stream::handler> self) {
        watcher_ = std::move(owner);
        below_->watch(std::move(self));
    }
    void look(std::weak_ptr<byte_stream::handler> owner, std::weak_ptr<byte_stream::handler> self) {
        watcher_ = std::move(owner);
        below_->look(std::move(self));
    }
    /// Says that nothing more is written.
    void finish() {
        if (!is_closed_) {
            below_->finish(keep_());
        }
    }
    void close() {
        if (!std::exchange(is_closed_, true)) {
            below_->close();
            lost_ = lost_.value_or(asio::error::operation_aborted);
            there_ = {};
            serve();
            wrote(boost::asio::error::operation_aborted, 0);
        }
    }

    /// The handshake is over: bytes are read as they come, and not kept.
    void shaken() { head_.reset(); }
    /// The bytes that have been read of the handshake.
    [[nodiscard]] const std::string& head() const noexcept { return *head_; }

    [[nodiscard]] std::shared_ptr<strand> turns() const override { return queue_.turns(); }
    void on_bytes(bytes_view come) override {
        is_reading_ = false;
        there_ = is_closed_ ? bytes_view{} : come;
        queue_.go_on([this] { serve(); });
        if (!there_.empty()) {
            kept_.assign(there_.begin(), there_.end());
            there_ = kept_;
        }
    }
    void on_written(std::size_t n, bool has_waited) override {
        has_waited_ = has_waited_ || has_waited;
        queue_.go_on([this, n] { wrote({}, n); });
    }
    /// Beast would read nothing either where it can't write: it is not told.
    void on_unwritten(const std::error_code& why) override {
        broken_ = why;
        queue_.go_on([this] { wrote({}, outgoing_bytes_); });
    }
    void on_lost(const std::error_code& why) override {
        is_reading_ = false;
        lost_ = lost_.value_or(why);
        queue_.go_on([this] { serve(); });
    }
    void on_hang_up() override {
        if (const auto kept = watcher_.lock()) {
            kept->turns()->run([kept] { kept->on_hang_up(); });
        }
    }

   private:
    /// Gives who reads what is there, or asks for it.
    void serve() {
        if (!reader_) {
            return;
        }
        std::size_t n = std::min(to_.size(), there_.size());
        boost::system::error_code failed;
        if (to_.size() == 0) {
            n = 0;
        } else if (n > 0) {
            n = take(n);
            if (n == 0) {
                failed = boost::asio::error::message_size;
            }
        } else if (lost_) {
            failed = *lost_ == asio::error::eof
                         ? boost::asio::error::make_error_code(boost::asio::error::eof)
                         : boost::asio::error::connection_reset;
        } else {
            if (!std::exchange(is_reading_, true)) {
                below_->read(keep_());
            }
            return;
        }
        queue_.add([then = std::move(reader_), failed, n]() mutable { then(failed, n); });
    }
    /// Copies what has come, and says how much: no more than is good for a handshake.
    [[nodiscard]] std::size_t take(std::size_t n) {
        if (head_) {
            n = std::min({n, head_at_once, head_bytes - head_->size()});
            head_->append(reinterpret_cast<const char*>(there_.data()), n);
        }
        std::memcpy(to_.data(), there_.data(), n);
        there_ = {there_.data() + n, there_.size() - n};
        if (there_.empty() && !head_) {
            std::vector<std::byte>{}.swap(kept_);
        }
        return n;
    }
    void wrote(boost::system::error_code failed, std::size_t n) {
        if (writer_) {
            queue_.add([then = std::move(writer_), failed, n]() mutable { then(failed, n); });
        }
    }

    std::unique_ptr<byte_stream> below_;
    run_queue& queue_;
    keep_alive keep_;
    std::weak_ptr<byte_stream::handler> watcher_{};

    transfer_handler reader_{};
    boost::asio::mutable_buffer to_{};
    /// Bytes that have come and were not read, which lie below, or here.
    bytes_view there_{};
    std::vector<std::byte> kept_{};
    bool is_reading_ = false;
    std::optional<std::error_code> lost_{};

    transfer_handler writer_{};
    std::vector<asio::const_buffer> outgoing_{};
    std::size_t outgoing_bytes_ = 0;
    bool has_waited_ = false;
    std::optional<std::error_code> broken_{};

    bool is_closed_ = false;
    std::optional<std::string> head_{std::string{}};
};

/// A lower stream, as Beast has its streams.
class beast_stream {
   public:
    using executor_type = executor;

    explicit beast_stream(lower_stream& stream) noexcept : lower_(&stream) {}

    [[nodiscard]] executor_type get_executor() const noexcept { return executor{lower_->on()}; }

    template <class Buffers, class Handler>
    void async_read_some(const Buffers& buffers, Handler&& then) {
        boost::asio::mutable_buffer first;
        for (auto one = boost::asio::buffer_sequence_begin(buffers);
             first.size() == 0 && one != boost::asio::buffer_sequence_end(buffers); ++one) {
            first = *one;
        }
        lower_->read(first, lower_stream::transfer_handler{std::forward<Handler>(then)});
    }
    template <class Buffers, class Handler>
    void async_write_some(const Buffers& buffers, Handler&& then) {
        lower_->write(buffers, lower_stream::transfer_handler{std::forward<Handler>(then)});
    }

    /// Ends the connection, once both sides have said so.
    template <class Handler>
    friend void async_teardown(boost::beast::role_type /*as*/, beast_stream& stream,
                               Handler&& then) {
        stream.lower_->finish();
        stream.lower_->on().add(
            [then = std::forward<Handler>(then)]() mutable { then(boost::system::error_code{}); });
    }
    /// Beast's timers would call it, and are not set.
    friend void beast_close_socket(beast_stream& stream) { stream.lower_->close(); }

   private:
    lower_stream* lower_;
};

}  // namespace mxp::net::detail::ws

#endif  // MXP_NET_TRANSPORT_WEBSOCKET_LOWER_STREAM_HPP
