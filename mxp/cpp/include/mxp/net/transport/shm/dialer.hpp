/// How connections by shared memory begin, on Asio.
#ifndef MXP_NET_TRANSPORT_SHM_DIALER_HPP
#define MXP_NET_TRANSPORT_SHM_DIALER_HPP

#include <asio/error.hpp>
#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "handover.hpp"
#include "local_stream.hpp"
#include "proposal.hpp"
#include "stream.hpp"

namespace mxp::net::detail {

/// A connection at an address whose handover is done, by memory or over its socket.
[[nodiscard]] inline std::unique_ptr<byte_stream>
shared_stream(local_stream connection, shm::memory_pair handover, const std::string& text,
              const std::shared_ptr<shm_account>& account) {
    net::peer who{text, std::string{shm_scheme}, local_peer(connection), {}};
    return std::make_unique<shm_stream>(std::move(connection), std::move(handover), account,
                                        std::move(who));
}

/// An attempt of a client's: it connects, offers memory and takes the peer's.
class shm_dialer : public std::enable_shared_from_this<shm_dialer> {
   public:
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
        const std::lock_guard<std::mutex> lock{mutex_};
        connect(true);
    }
    /// Gives up, on any thread.
    void close() {
        std::function<void()> give_up;
        {
            const std::lock_guard<std::mutex> lock{mutex_};
            is_given_up_ = true;
            std::error_code ignored;
            socket_.close(ignored);
            give_up.swap(give_up_);
        }
        if (give_up) {
            give_up();
        }
    }

   private:
    using end = std::optional<outcome<std::unique_ptr<byte_stream>>>;

    /// Does a step, unless it has failed or the attempt was given up, and tells the result, if
    /// there is one.
    template <class Step>
    void next(std::optional<failure> failed, Step step) {
        end ending;
        std::string why;
        {
            const std::lock_guard<std::mutex> lock{mutex_};
            if (is_given_up_) {
                failed = unavailable("the attempt was given up");
            }
            ending = failed ? end{failed_outcome{std::move(*failed)}} : step();
            why.swap(why_);
        }
        if (!why.empty()) {
            account_->goes_over_socket(text_, why);
        }
        if (ending) {
            std::exchange(then_, nullptr)(std::move(*ending));
        }
    }

    // With the lock held.
    void connect(bool is_first) {
        give_up_ = dial_local(
            io_, at_, [self = shared_from_this(), is_first](outcome<local_stream> connected) {
                self->next(connected ? std::nullopt : std::optional{connected.error()}, [&] {
                    self->socket_ = std::move(*connected);
                    return is_first ? self->propose() : self->fallback();
                });
            });
    }
    [[nodiscard]] end fallback() { return plain_stream(std::move(socket_), text_); }
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
        await_stream(socket_, [self = shared_from_this()](const std::error_code& failed) {
            self->next(failed ? std::optional{unavailable(failed.message())} : std::nullopt,
                       [&] { return self->hear(); });
        });
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
        auto done = opener_->answered(socket_.native_handle(), arriving_);
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
    local_stream socket_;
    /// Ends the attempt to connect.
    std::function<void()> give_up_{};
    std::optional<shm::opener> opener_{};
    shm::incoming_offer arriving_{false};
    bool is_given_up_ = false;
    /// Why it goes over the socket, until that was told without the lock.
    std::string why_{};
};

/// A connection that a server has taken, which begins with an offer of memory or as one without
/// memory does.
class shm_arrival final : public byte_stream {
   public:
    shm_arrival(local_stream connection, std::string text, std::shared_ptr<shm_account> account)
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
        await_stream(
            socket_, [this, then = std::move(then)](const std::error_code& failed) mutable {
                std::optional<failure> why;
                std::string over;
                {
                    const std::lock_guard<std::mutex> lock{mutex_};
                    const auto done = failed || is_closed_
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
        const shm::local_handle at = socket_.native_handle();
        if (!has_begun_) {
            unsigned char first = 0;
            std::error_code why;
            const std::size_t n = shm::peek_local(at, first, why);
            if (why == std::errc::operation_would_block) {
                return false;
            }
            has_begun_ = n > 0 && shm::is_offer(first);
            if (!has_begun_) {
                bytes_ = plain_stream(std::move(socket_), text_);
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
        const shm::local_handle at = socket_.native_handle();
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
        auto with = shm::map_offered(at, arriving_, *said);
        if (!with) {
            return failed_outcome{with.error()};
        }
        if (wish) {
            net::peer who{text_, std::string{shm_scheme}, local_peer(socket_), {}};
            std::error_code failed;
            shm::local_socket released = release_stream(socket_, failed);
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
            bytes_ = plain_stream(std::move(socket_), text_);
        }
        return {};
    }

    std::mutex mutex_{};
    local_stream socket_;
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
