/// This side's ends of a channel, as bytes: what may be done in a thread that must not wait, and
/// apart from that waiting, waking and the socket.
#ifndef MXP_NET_TRANSPORT_SHM_ENDS_HPP
#define MXP_NET_TRANSPORT_SHM_ENDS_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "../../channel_options.hpp"
#include "bell.hpp"
#include "handover.hpp"
#include "slots.hpp"
#include "spin.hpp"
#include "waits.hpp"

namespace mxp::net::detail::shm {

/// The part of a channel that both ends have.
class link {
   public:
    link(local_socket socket, memory_pair transfer, std::shared_ptr<void> counts) noexcept
        : counts_(std::move(counts)),
          memory(std::move(transfer)),
          socket_(std::move(socket)),
          bell_(memory.own, memory.peer, socket_.get()) {}

   private:
    /// Counts as a connection until all else is gone.
    std::shared_ptr<void> counts_;

   public:
    memory_pair memory;

    /// Why nothing more is sent or taken, since this side has found it out.
    [[nodiscard]] channel_end closed() const noexcept {
        return closed_.load(std::memory_order_relaxed);
    }
    /// Whether the socket has ended: the peer is gone.
    [[nodiscard]] bool is_alone() const noexcept {
        return is_alone_.load(std::memory_order_relaxed);
    }
    /// Closes both directions, and says so in memory alone. The first reason counts.
    channel_end close(channel_end why) noexcept {
        channel_end first = channel_end::none;
        closed_.compare_exchange_strong(first, why, std::memory_order_relaxed);
        memory.own.set_ended();
        memory.own.set_left();
        return first == channel_end::none ? why : first;
    }
    void wake(wake_record& waiter) noexcept { bell_.wake(waiter); }
    /// Wakes the peer, however it waits.
    void wake_all() noexcept {
        bell_.ring(wait_reason::bytes);
        bell_.ring(wait_reason::room);
        bell_.tell();
    }
    /// Looks after the socket, where the end may lie behind bytes. It tells whether the peer is
    /// still there: one that floods the socket is.
    [[nodiscard]] bool is_connected() noexcept {
        socket_news what = socket_news::bytes;
        for (int i = 0; !is_alone() && what == socket_news::bytes && i < looks; ++i) {
            what = hear(socket_.get());
        }
        if (what == socket_news::end) {
            is_alone_.store(true, std::memory_order_relaxed);
        }
        return !is_alone();
    }

   private:
    /// The most reads of the socket in one look for its end.
    static constexpr int looks = 16;

    local_socket socket_;
    bell bell_;
    std::atomic<channel_end> closed_{channel_end::none};
    std::atomic<bool> is_alone_{false};
};

/// Looks after a channel's socket, from any thread that may ask the system.
class watch {
   public:
    watch() = default;
    explicit watch(const std::shared_ptr<link>& link) noexcept : link_(link) {}

    [[nodiscard]] bool is_connected() const noexcept {
        const auto of = link_.lock();
        return of != nullptr && of->closed() == channel_end::none && of->is_connected();
    }
    void close() const noexcept {
        if (const auto of = link_.lock()) {
            of->close(channel_end::here);
            of->wake_all();
        }
    }

   private:
    std::weak_ptr<link> link_{};
};

/// Waiting of one end, and waking of the peer's other.
class side {
   public:
    side(wait_reason own, wait_reason peers, std::chrono::microseconds spin) noexcept
        : what_(own), waits_(own), woken_(peers), spin_(spin) {}

    /// Wakes the peer, if it waits.
    void wake(link& link) noexcept { link.wake(woken_); }

    /// Waits until an end has news, or the peer is found to be gone. It tells whether there is
    /// either. The socket is looked at where nothing has come for long enough, and at the end.
    template <class News>
    [[nodiscard]] bool wait(link& link, std::chrono::microseconds most, News has_news) noexcept {
        const auto late = clock::now() + std::min(most, longest);
        spin_.renew();
        for (;;) {
            if (has_news()) {
                spin_.came();
                return true;
            }
            const bool is_late = most <= most.zero() || sleeps_until(link, late, has_news);
            if (has_news() || !link.is_connected()) {
                continue;
            }
            if (is_late) {
                return false;
            }
        }
    }

   private:
    using clock = std::chrono::steady_clock;

    static constexpr std::chrono::microseconds longest = std::chrono::hours{10'000};
    /// Looks of a thread between two looks at the time.
    static constexpr int looks = 16;
    /// The time that it sleeps before it looks whether the peer is still there [MXP-18.10].
    static constexpr std::chrono::milliseconds slice{100};

    /// Waits, but not for ever: returns when it is worth to look whether the peer is still there,
    /// and whether it was too long.
    template <class News>
    [[nodiscard]] bool sleeps_until(link& link, clock::time_point late, News has_news) noexcept {
        while (!spin_.is_over()) {
            for (int i = 0; i < looks; ++i) {
                if (has_news()) {
                    return false;
                }
                relax();
            }
        }
        const auto until = std::min(late, clock::now() + slice);
        for (;;) {
            const std::uint32_t rung = link.memory.peer.rung();
            waits_.announce(link.memory.own, wakes::bell);
            const auto now = clock::now();
            const bool is_there = has_news();
            if (is_there || now >= until) {
                waits_.go_on(link.memory.own);
                return !is_there && now >= late;
            }
            sleep(link.memory.own, link.memory.peer, rung, what_ == wait_reason::bytes,
                  what_ == wait_reason::room, until - now);
        }
    }

    wait_reason what_;
    waits waits_;
    wake_record woken_;
    spin spin_;
};

/// The end that sends. A sending end that was moved from can only be replaced.
class sending_end {
   public:
    sending_end(std::shared_ptr<link> link, delivery delivery, slots slots,
                std::chrono::microseconds spin) noexcept
        : link_(std::move(link)),
          out_(link_->memory.own, link_->memory.peer, delivery, slots),
          side_(wait_reason::room, wait_reason::bytes, spin) {}
    sending_end(sending_end&&) noexcept = default;
    sending_end& operator=(sending_end&& source) noexcept {
        std::swap(link_, source.link_);
        std::swap(out_, source.out_);
        std::swap(side_, source.side_);
        return *this;
    }
    ~sending_end() {
        if (link_ != nullptr) {
            link_->memory.own.set_ended();
            wake();
        }
    }

    /// Has a function write a value where the peer takes it, which tells whether there is one.
    template <class Put>
    [[nodiscard]] send_status send(Put writer) noexcept {
        if (closed() != channel_end::none) {
            return send_status::closed;
        }
        const look_outcome room = out_.room();
        if (room == look_outcome::none) {
            return send_status::full;
        }
        if (room == look_outcome::wrong) {
            link_->close(channel_end::index);
            return send_status::closed;
        }
        if (!writer(out_.next())) {
            return send_status::invalid;
        }
        out_.publish();
        return send_status::sent;
    }
    /// Why nothing more is sent, as far as memory tells.
    [[nodiscard]] channel_end closed() const noexcept {
        const channel_end known = link_->closed();
        return known != channel_end::none      ? known
               : link_->memory.peer.has_left() ? channel_end::ended
               : link_->is_alone()             ? channel_end::lost
                                               : channel_end::none;
    }
    void wake() noexcept { side_.wake(*link_); }
    /// Waits for room, or the end.
    [[nodiscard]] bool wait(std::chrono::microseconds most) noexcept {
        return side_.wait(*link_, most, [this] {
            return closed() != channel_end::none || out_.room() != look_outcome::none;
        });
    }
    [[nodiscard]] watch watcher() const noexcept { return watch{link_}; }

   private:
    std::shared_ptr<link> link_;
    outbox out_;
    side side_;
};

/// The end that receives. A receiving end that was moved from can only be replaced.
class receiving_end {
   public:
    receiving_end(std::shared_ptr<link> link, const form& values, slots slots,
                  std::chrono::microseconds spin)
        : link_(std::move(link)),
          in_(link_->memory.own, link_->memory.peer, values, slots),
          side_(wait_reason::bytes, wait_reason::room, spin) {}
    receiving_end(receiving_end&&) noexcept = default;
    receiving_end& operator=(receiving_end&& source) noexcept {
        std::swap(link_, source.link_);
        std::swap(in_, source.in_);
        std::swap(side_, source.side_);
        return *this;
    }
    ~receiving_end() {
        if (link_ != nullptr) {
            link_->memory.own.set_left();
            wake();
        }
    }

    /// Gives the next value's bytes, or the newest's, to a function, which tells whether they are a
    /// value.
    template <class Get>
    [[nodiscard]] receive_status receive(Get get) noexcept {
        if (link_->closed() != channel_end::none) {
            return receive_status::closed;
        }
        switch (in_.take()) {
        case look_outcome::there:
            if (get(in_.copied())) {
                return receive_status::received;
            }
            link_->close(channel_end::value);
            return receive_status::closed;
        case look_outcome::none:
            return dried() == channel_end::none ? receive_status::empty : receive_status::closed;
        case look_outcome::wrong:
            break;
        }
        link_->close(channel_end::index);
        return receive_status::closed;
    }
    /// Why nothing more is taken, as far as memory tells. Until then it is not known whether what
    /// is there was taken.
    [[nodiscard]] channel_end closed() noexcept {
        const channel_end known = link_->closed();
        return known != channel_end::none ? known : dried();
    }
    void wake() noexcept { side_.wake(*link_); }
    /// Waits for a value, or the end.
    [[nodiscard]] bool wait(std::chrono::microseconds most) noexcept {
        return side_.wait(*link_, most, [this] {
            return in_.has_news() || link_->is_alone() || link_->closed() != channel_end::none;
        });
    }
    [[nodiscard]] watch watcher() const noexcept { return watch{link_}; }

   private:
    [[nodiscard]] channel_end dried() noexcept {
        switch (in_.why_dry(link_->is_alone())) {
        case dry::yet:
            return channel_end::none;
        case dry::ended:
            return channel_end::ended;
        case dry::lost:
            return channel_end::lost;
        case dry::wrong:
            break;
        }
        return link_->close(channel_end::index);
    }

    std::shared_ptr<link> link_;
    inbox in_;
    side side_;
};

/// The ends of a channel.
struct ends {
    sending_end sending;
    receiving_end receiving;
};

/// The refusal of a side that has no memory to give.
[[nodiscard]] inline failed_outcome lacks_memory(std::string why) {
    return failed_outcome{failure_of(session::kind::channel_memory, std::move(why))};
}
/// The refusal of values that no ring has room for.
[[nodiscard]] inline failed_outcome too_large(const form& form) {
    return failed_outcome{
        failure_of(session::kind::channel_form,
                   "no ring has room for values of " + std::to_string(form.bytes) + " bytes")};
}
/// The refusal of a ring of the peer's.
[[nodiscard]] inline failed_outcome too_small(const form& form) {
    return failed_outcome{
        failure_of(session::kind::channel_form, "the peer's ring has no room for 4 values of " +
                                                    std::to_string(form.bytes) + " bytes")};
}

/// The forms of values of both directions, as a side sees them.
struct forms {
    form sent{};
    form received{};
};

/// Ends over memory of both sides, unless a ring has too few slots.
[[nodiscard]] inline outcome<ends> ends_of(local_socket socket, memory_pair transfer,
                                           const forms& forms, std::chrono::microseconds spin,
                                           std::shared_ptr<void> counts) {
    const auto out = slots::of(forms.sent, transfer.own.ring());
    const auto in = slots::of(forms.received, transfer.peer.ring());
    if (!out || !in) {
        return out ? too_small(forms.received) : too_large(forms.sent);
    }
    const auto made =
        std::make_shared<link>(std::move(socket), std::move(transfer), std::move(counts));
    return ends{sending_end{made, forms.sent.delivery, *out, spin},
                receiving_end{made, forms.received, *in, spin}};
}

}  // namespace mxp::net::detail::shm

#endif  // MXP_NET_TRANSPORT_SHM_ENDS_HPP
