/// How connections by shared memory begin, on Asio.
#ifndef MXP_NET_TRANSPORT_SHM_DIALER_HPP
#define MXP_NET_TRANSPORT_SHM_DIALER_HPP

#include <asio/error.hpp>
#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/post.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "../unix.hpp"
#include "handover.hpp"
#include "proposal.hpp"
#include "stream.hpp"

namespace mxp::net::detail {

/// A connection at an address whose handover is done, by memory or over its socket.
[[nodiscard]] inline std::unique_ptr<byte_stream>
shared_stream(asio::local::stream_protocol::socket connection, shm::memory_pair handover,
              const std::string& text, const std::shared_ptr<shm_account>& account) {
    net::peer who{text, "shm", peer_process(connection.native_handle()), {}};
    return std::make_unique<shm_stream>(std::move(connection), std::move(handover), account,
                                        std::move(who));
}

/// An attempt of a client's: it connects, offers memory and takes the peer's.
class shm_dialer : public std::enable_shared_from_this<shm_dialer> {
   public:
    using protocol = asio::local::stream_protocol;
    using dial_handler = std::function<void(outcome<std::unique_ptr<byte_stream>>)>;

    shm_dialer(asio::io_context& io, const address& address, std::shared_ptr<shm_account> account,
               dial_handler then)
        : io_(io),
          at_(address),
          text_(to_string(address)),
          account_(std::move(account)),
          then_(std::move(then)),
          socket_(io) {}

    void start() {
        if (at_.path.size() > path_max) {
            asio::post(
                io_, [self = shared_from_this()] { self->tell(failed_outcome{path_too_long()}); });
            return;
        }
        const std::lock_guard<std::mutex> lock{mutex_};
        connect(true);
    }
    /// Gives up, on any thread.
    void close() {
        const std::lock_guard<std::mutex> lock{mutex_};
        is_given_up_ = true;
        std::error_code ignored;
        socket_.close(ignored);
    }

   private:
    using end = std::optional<outcome<std::unique_ptr<byte_stream>>>;

    /// Goes on with a step when it can be done, unless the attempt was given up, and tells the
    /// result, if there is one.
    template <class Step>
    [[nodiscard]] auto next(Step step) {
        return [self = shared_from_this(), step](std::error_code failed) {
            end ending;
            std::string why;
            {
                const std::lock_guard<std::mutex> lock{self->mutex_};
                if (self->is_given_up_) {
                    failed = asio::error::operation_aborted;
                }
                ending = failed ? end{failed_outcome{unix_failure(failed, self->at_.path)}}
                                : step(*self);
                why.swap(self->why_);
            }
            if (!why.empty()) {
                self->account_->goes_over_socket(self->text_, why);
            }
            if (ending) {
                self->tell(std::move(*ending));
            }
        };
    }
    void tell(outcome<std::unique_ptr<byte_stream>> outcome) {
        std::exchange(then_, nullptr)(std::move(outcome));
    }

    // With the lock held.
    void connect(bool is_first) {
        auto then = next([is_first](shm_dialer& dialing) {
            return is_first ? dialing.propose() : dialing.fallback();
        });
        socket_ = protocol::socket{io_};
        if (const auto failed = open_socket_of(socket_, protocol{})) {
            asio::post(io_, [then = std::move(then), failed] { then(failed); });
        } else {
            socket_.async_connect(protocol::endpoint{at_.path}, std::move(then));
        }
    }
    [[nodiscard]] end fallback() { return unix_stream(std::move(socket_), text_); }
    [[nodiscard]] end propose() {
        opener_.emplace(account_);
        if (const auto lacks = opener_->lacks()) {
            why_ = *lacks;
            return fallback();
        }
        if (const auto sent = opener_->propose(socket_.native_handle()); !sent) {
            return failed_outcome{sent.error()};
        }
        listen();
        return std::nullopt;
    }
    void listen() {
        socket_.async_wait(protocol::socket::wait_read,
                           next([](shm_dialer& dialing) { return dialing.hear(); }));
    }
    [[nodiscard]] end hear() {
        const auto is_whole = arriving_.read(socket_.native_handle());
        if (!is_whole) {
            return failed_outcome{is_whole.error()};
        }
        if (!*is_whole) {
            listen();
            return std::nullopt;
        }
        auto done = opener_->answered(arriving_);
        opener_.reset();
        if (!done) {
            return failed_outcome{done.error()};
        }
        if (auto* const memory = std::get_if<shm::memory_pair>(&*done)) {
            return shared_stream(std::move(socket_), std::move(*memory), text_, account_);
        }
        const auto& over = std::get<shm::fallback>(*done);
        why_ = over.why;
        if (!over.is_anew) {
            return fallback();
        }
        connect(false);
        return std::nullopt;
    }

    asio::io_context& io_;
    const address at_;
    const std::string text_;
    const std::shared_ptr<shm_account> account_;
    dial_handler then_;
    std::mutex mutex_{};
    protocol::socket socket_;
    std::optional<shm::opener> opener_{};
    shm::incoming_offer arriving_{false};
    bool is_given_up_ = false;
    /// Why it goes over the socket, until that was told without the lock.
    std::string why_{};
};

/// A connection that a server has taken, which begins with an offer of memory or as one over a unix
/// socket.
class shm_arrival final : public byte_stream {
   public:
    using socket = asio::local::stream_protocol::socket;

    shm_arrival(socket connection, std::string text, std::shared_ptr<shm_account> account)
        : socket_(std::move(connection)), text_(std::move(text)), account_(std::move(account)) {}

    /// `then` keeps this until it is told.
    void open(open_handler then) override {
        const std::lock_guard<std::mutex> lock{mutex_};
        await(std::move(then));
    }
    [[nodiscard]] std::shared_ptr<shm::proposal> proposal() override {
        return std::exchange(proposal_, nullptr);
    }
    [[nodiscard]] net::peer peer() const override { return bytes_->peer(); }
    void read(std::shared_ptr<handler> owner) override { bytes_->read(std::move(owner)); }
    void watch(std::weak_ptr<handler> owner) override { bytes_->watch(std::move(owner)); }
    void look(std::weak_ptr<handler> owner) override { bytes_->look(std::move(owner)); }
    std::size_t write(const pieces& pieces, std::shared_ptr<handler> owner) override {
        return bytes_->write(pieces, std::move(owner));
    }
    void finish(std::shared_ptr<handler> owner) override { bytes_->finish(std::move(owner)); }
    void close() override {
        std::unique_lock<std::mutex> lock{mutex_};
        is_closed_ = true;
        std::error_code ignored;
        socket_.close(ignored);
        lock.unlock();
        if (bytes_ != nullptr) {
            bytes_->close();
        }
    }

   private:
    /// Waits for bytes of the offer. The lock is held.
    void await(open_handler then) {
        socket_.async_wait(socket::wait_read,
                           [this, then = std::move(then)](const std::error_code& failed) mutable {
                               std::optional<failure> why;
                               std::string over;
                               {
                                   const std::lock_guard<std::mutex> lock{mutex_};
                                   const auto done =
                                       failed || is_closed_
                                           ? failed_outcome{unavailable("nothing has come in time")}
                                           : hear();
                                   if (done && !*done) {
                                       await(std::move(then));
                                       return;
                                   }
                                   why = done ? std::nullopt : std::optional{done.error()};
                                   over.swap(why_);
                               }
                               if (!over.empty()) {
                                   account_->goes_over_socket(text_, over);
                               }
                               if (why && why->name != to_string(session::kind::not_connected)) {
                                   account_->tell(text_, why->name + ": " + why->text);
                               }
                               then(std::move(why));
                           });
    }

    /// Reads what has come, and tells whether the connection can go on.
    [[nodiscard]] outcome<bool> hear() {
        const int at = socket_.native_handle();
        if (!has_begun_) {
            unsigned char first = 0;
            const ssize_t n = ::recv(at, &first, 1, MSG_PEEK | MSG_DONTWAIT);
            if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
                return false;
            }
            has_begun_ = n > 0 && shm::is_offer(first);
            if (!has_begun_) {
                bytes_ = unix_stream(std::move(socket_), text_);
                return true;
            }
        }
        const auto is_whole = arriving_.read(at);
        if (is_whole && !*is_whole) {
            return false;
        }
        const auto done = is_whole ? take() : outcome<void>{failed_outcome{is_whole.error()}};
        if (!done) {
            shm::refuse(at, arriving_, done.error());
            return failed_outcome{done.error()};
        }
        arriving_ = shm::incoming_offer{true};
        return true;
    }

    /// Makes of an offer that has come the bytes of a session, or a channel to be opened.
    [[nodiscard]] outcome<void> take() {
        const int at = socket_.native_handle();
        const auto said = shm::offer::decode(arriving_.bytes(), true);
        if (!said) {
            return shm::no_offer(said.error());
        }
        std::optional<shm::open_request> wish;
        if (said->of == shm::use::channel) {
            auto read = shm::decode_opening(arriving_.behind());
            if (!read) {
                return shm::no_offer(read.error());
            }
            wish = std::move(*read);
        }
        auto with = shm::map_offered(arriving_, said->ring);
        if (!with) {
            return failed_outcome{with.error()};
        }
        if (wish) {
            net::peer who{text_, "shm", peer_process(at), {}};
            std::error_code failed;
            shm::descriptor released{socket_.release(failed)};
            if (failed) {
                return failed_outcome{unavailable(failed.message())};
            }
            proposal_ = std::make_shared<shm::proposal>(std::move(released), std::move(*with),
                                                        std::move(*wish), account_, std::move(who));
            return {};
        }
        auto done = shm::answer(at, std::move(*with), account_);
        if (!done) {
            return failed_outcome{done.error()};
        }
        if (auto* const memory = std::get_if<shm::memory_pair>(&*done)) {
            bytes_ = shared_stream(std::move(socket_), std::move(*memory), text_, account_);
        } else {
            why_ = std::get<shm::fallback>(*done).why;
            bytes_ = unix_stream(std::move(socket_), text_);
        }
        return {};
    }

    std::mutex mutex_{};
    socket socket_;
    const std::string text_;
    const std::shared_ptr<shm_account> account_;
    shm::incoming_offer arriving_{true};
    std::shared_ptr<shm::proposal> proposal_{};
    /// Whether an offer comes.
    bool has_begun_ = false;
    bool is_closed_ = false;
    /// Why it goes over the socket, until that was told without the lock.
    std::string why_{};
    /// The connection, once that is known. It is set before anybody uses it.
    std::unique_ptr<byte_stream> bytes_{};
};

}  // namespace mxp::net::detail

#endif  // MXP_NET_TRANSPORT_SHM_DIALER_HPP
