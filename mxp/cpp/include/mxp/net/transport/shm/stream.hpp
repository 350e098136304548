/// The bytes of a connection by shared memory, on Asio.
#ifndef MXP_NET_TRANSPORT_SHM_STREAM_HPP
#define MXP_NET_TRANSPORT_SHM_STREAM_HPP

#include <asio/error.hpp>
#include <asio/post.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "../../byte_stream.hpp"
#include "../socket_stream.hpp"
#include "account.hpp"
#include "error.hpp"
#include "handover.hpp"
#include "local_stream.hpp"
#include "spin.hpp"

namespace mxp::net {

/// A connection by shared memory, whose socket tells that it is woken, and that the peer is gone.
/// Where it waits for bytes, or for room, it looks for them for a while, and lets others have a
/// turn between two looks; then it waits at the socket.
class shm_stream final : public byte_stream {
   public:
    shm_stream(detail::local_stream connection, detail::shm::memory_pair handover,
               std::shared_ptr<detail::shm_account> account, net::peer peer)
        : socket_(std::move(connection)),
          to_(std::move(handover), socket_.native_handle()),
          spin_(account->spin()),
          account_(std::move(account)),
          peer_(std::move(peer)) {}
    ~shm_stream() override { close(); }

    [[nodiscard]] net::peer peer() const override { return peer_; }

    void read(std::shared_ptr<handler> owner) override {
        is_reading_ = true;
        later(std::move(owner));
    }

    void watch(std::weak_ptr<handler> owner) override {
        detail::watch_stream(socket_, std::move(owner));
    }
    void look(std::weak_ptr<handler> owner) override { detail::look_at_stream(socket_, owner); }

    std::size_t write(const pieces& pieces, std::shared_ptr<handler> owner) override {
        const std::size_t n = put(pieces).value_or(0);
        if (n > 0) {
            // Mostly an answer comes.
            if (spin_.renew() && is_reading_) {
                to_.in.go_on();
                later(std::move(owner));
            }
            return n;
        }
        unwritten_ = pieces;
        later(std::move(owner));
        return 0;
    }

    void finish(std::shared_ptr<handler> /*owner*/) override {
        if (!is_closed_) {
            to_.out.end(to_.wakes);
        }
    }

    /// As of a socket that is closed, all that was written is read, and then the end.
    void close() override {
        if (std::exchange(is_closed_, true)) {
            return;
        }
        is_reading_ = false;
        unwritten_.reset();
        to_.out.end(to_.wakes);
        std::error_code ignored;
        socket_.close(ignored);
        if (to_.in.is_awaited_by_bell()) {
            // So that the peer looks after its socket.
            to_.wakes.ring(detail::shm::wait_reason::room);
        }
    }

   private:
    using read_outcome = detail::shm::read_outcome;

    /// Looks before others have a turn.
    static constexpr int looks = 32;

    /// Has `step` run in a turn, behind all else that there is to do.
    void later(std::shared_ptr<handler> owner) {
        if (std::exchange(is_posted_, true)) {
            return;
        }
        asio::post(socket_.get_executor(), [this, owner = std::move(owner)]() mutable {
            const auto turns = owner->turns();
            turns->run([this, owner = std::move(owner)]() mutable {
                is_posted_ = false;
                step(std::move(owner));
            });
        });
    }

    /// Does what can be done, or waits for it.
    void step(std::shared_ptr<handler> owner) {
        if (!is_waiting()) {
            return;
        }
        do {
            bool is_done = is_reading_ && take(*owner);
            is_done = (unwritten_ && put_unwritten(*owner)) || is_done;
            if (!is_waiting()) {
                return;
            }
            if (is_done) {
                later(std::move(owner));
                return;
            }
        } while (finds_news(owner));
    }

    [[nodiscard]] bool is_waiting() const noexcept {
        return !is_closed_ && (is_reading_ || unwritten_);
    }
    [[nodiscard]] bool has_news() const noexcept {
        return (is_reading_ && to_.in.has_news()) || (unwritten_ && to_.out.has_news());
    }

    /// Looks for news, now or again later, or tells the peer to wake this side. It is true if there
    /// is something to do at once.
    [[nodiscard]] bool finds_news(const std::shared_ptr<handler>& owner) {
        if (!spin_.is_over()) {
            for (int i = 0; i < looks; ++i) {
                if (has_news()) {
                    return true;
                }
                detail::shm::relax();
            }
            later(owner);
            return false;
        }
        if (is_reading_ && !to_.in.is_announced()) {
            to_.in.announce(detail::shm::wakes::byte);
        }
        if (unwritten_ && !to_.out.is_announced()) {
            to_.out.announce(detail::shm::wakes::byte);
        }
        if (has_news()) {
            return true;
        }
        listen(owner);
        return false;
    }

    /// Waits at the socket.
    void listen(const std::shared_ptr<handler>& owner) {
        if (std::exchange(is_listening_, true)) {
            return;
        }
        detail::await_stream(socket_, [this, owner](const std::error_code& failed) mutable {
            const auto turns = owner->turns();
            turns->run([this, owner = std::move(owner), failed]() mutable {
                is_listening_ = false;
                if (!is_closed_) {
                    heard(failed ? detail::shm::socket_news::end
                                 : detail::shm::hear(socket_.native_handle()));
                    step(std::move(owner));
                }
            });
        });
    }
    void heard(detail::shm::socket_news news) {
        if (news == detail::shm::socket_news::bytes) {
            // A byte tells neither its direction nor whether it is late.
            to_.in.go_on();
            to_.out.go_on();
        } else if (news == detail::shm::socket_news::end) {
            is_alone_ = true;
            to_.in.close();
        }
    }

    /// Reads what is there; false if there is nothing yet.
    [[nodiscard]] bool take(handler& owner) {
        std::byte* const room = detail::read_room();
        std::size_t n = 0;
        const read_outcome came = to_.in.read(room, detail::read_bytes, n, to_.wakes);
        if (came == read_outcome::nothing) {
            return false;
        }
        is_reading_ = false;
        spin_.came();
        if (came == read_outcome::bytes) {
            owner.on_bytes({room, n});
        } else {
            owner.on_lost(came == read_outcome::end ? asio::error::eof : lost(came));
        }
        return true;
    }

    /// Writes what there is room for: nothing if no more can be written.
    [[nodiscard]] std::optional<std::size_t> put(const pieces& pieces) {
        if (is_closed_ || is_alone_) {
            return std::nullopt;
        }
        return to_.out.write(
            pieces,
            [](const asio::const_buffer& buffer) {
                return std::pair{buffer.data(), buffer.size()};
            },
            to_.wakes);
    }
    [[nodiscard]] bool put_unwritten(handler& owner) {
        const auto n = put(*unwritten_);
        if (n == std::size_t{0}) {
            return false;
        }
        unwritten_.reset();
        spin_.came();
        if (n) {
            owner.on_written(*n, true);
        } else if (is_alone_) {
            owner.on_unwritten(lost(read_outcome::lost));
        } else if (std::exchange(is_reading_, false)) {
            owner.on_lost(lost(read_outcome::wrong));  // nothing more of such a peer is read
        } else {
            owner.on_unwritten(lost(read_outcome::wrong));
        }
        return true;
    }

    [[nodiscard]] std::error_code lost(read_outcome outcome) const {
        const std::error_code why = detail::shm::ending(outcome);
        if (outcome == read_outcome::wrong) {
            account_->tell(peer_.address, why.message());
        }
        return why;
    }

    detail::local_stream socket_;
    detail::shm::ring_connection to_;
    detail::shm::spin spin_;
    std::shared_ptr<detail::shm_account> account_;
    net::peer peer_;
    bool is_reading_ = false;
    /// The pieces that wait for room.
    std::optional<pieces> unwritten_{};
    /// Whether `step` follows, and whether the socket is waited at.
    bool is_posted_ = false;
    bool is_listening_ = false;
    /// The socket has ended: the peer is gone.
    bool is_alone_ = false;
    bool is_closed_ = false;
};

}  // namespace mxp::net

#endif  // MXP_NET_TRANSPORT_SHM_STREAM_HPP
