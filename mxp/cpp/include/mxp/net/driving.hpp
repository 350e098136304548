/// How a connection reads, writes and waits.
#ifndef MXP_NET_DRIVING_HPP
#define MXP_NET_DRIVING_HPP

#include "connection.hpp"

namespace mxp::net {

inline void connection::read() {
    if (!is_reading_ && !is_gone_ && unread_.empty()) {
        is_reading_ = true;
        transport_->read(shared_from_this());
    }
}

/// Calls functions of users; `settle` follows. If one throws, nobody knows how far it came: the
/// connection is lost, and whoever runs the context gets what was thrown.
template <class Tell>
void connection::telling(Tell tell) {
    struct busy {
        explicit busy(connection& one) : of(one) { of.is_busy_ = true; }
        busy(const busy&) = delete;
        busy& operator=(const busy&) = delete;
        ~busy() {
            of.is_busy_ = false;
            if (has_thrown) {
                of.trouble_ = "a function that was told of it threw";
                asio::post(of.context_, [kept = of.shared_from_this()] {
                    kept->lose(asio::error::operation_aborted);
                });
            }
        }
        connection& of;
        bool has_thrown = true;
    };
    busy now_busy{*this};
    tell();
    now_busy.has_thrown = false;
}

/// Hands bytes to the session, and what it tells to those whom it concerns.
inline void connection::take(bytes_view come) {
    const auto kept = shared_from_this();
    telling([this, &come] {
        while (!is_gone_) {
            const auto one = session_.receive(come, now());
            if (!one) {
                break;
            }
            std::visit([this](const auto& of) { handle(of); }, *one);
        }
    });
    if (!is_gone_) {
        unread_.assign(come.begin(), come.end());
        settle();
        read();
    }
}

/// Follows everything that is done with the session: sees to it that `settle` comes.
inline void connection::touch() {
    if (is_busy_ || is_posted_ || is_gone_) {
        return;
    }
    is_posted_ = true;
    asio::post(context_, [kept = shared_from_this()] {
        kept->is_posted_ = false;
        kept->settle();
    });
}

/// Tells what is to be told, writes what is to be written, and waits for what is to come.
inline void connection::settle() {
    if (is_gone_) {
        return;
    }
    const auto kept = shared_from_this();
    telling([this] {
        tell();
        make_room();
        flush();
        make_room();
        tell();
        flush();
    });
    if (!is_gone_) {
        if (!is_writing_) {
            session_.shrink();
            batch_.shrink();
        }
        arm();
    }
}

/// Tells what the session says without bytes.
inline void connection::tell() {
    while (const auto one = session_.next()) {
        std::visit([this](const auto& of) { handle(of); }, *one);
    }
}

/// Lets those go on who wait for room in the queue.
inline void connection::make_room() {
    if (is_gone_ || session_.is_full()) {
        return;
    }
    std::vector<late_answer> late = std::move(late_answers_);
    late_answers_.clear();
    for (late_answer& one : late) {
        respond(one.id, std::move(one.body), std::move(one.beside));
    }
    std::vector<std::uint64_t> called = std::move(called_);
    called_.clear();
    for (const std::uint64_t id : called) {
        if (const auto found = find_stream(id)) {
            found->is_called = false;
            proceed(found);
        }
    }
    if (owner_ != nullptr && !is_gone_) {
        owner_->on_room(*this);
    }
}

/// Begins to write all that waits, if nothing is being written.
inline void connection::flush() {
    if (is_writing_ || is_gone_) {
        return;
    }
    session_.poll_batch(batch_, now());
    if (batch_.empty()) {
        if (session_.finished() && !has_finished_) {
            has_finished_ = true;
            transport_->finish();
        }
        return;
    }
    pieces_.clear();
    first_piece_ = 0;
    batch_.each([this](bytes_view piece) { pieces_.emplace_back(piece.data(), piece.size()); });
    progress_ = now();
    write();
}

inline void connection::write() {
    is_writing_ = true;
    transport_->write({pieces_.data() + first_piece_, pieces_.size() - first_piece_},
                      shared_from_this());
}

inline void connection::on_written(std::size_t n) {
    is_writing_ = false;
    if (is_gone_) {
        return;
    }
    progress_ = now();
    while (n > 0 && n >= pieces_[first_piece_].size()) {
        n -= pieces_[first_piece_].size();
        ++first_piece_;
    }
    if (first_piece_ < pieces_.size()) {
        pieces_[first_piece_] += n;
        write();
        arm();
        return;
    }
    batch_.clear();
    settle();
    take_unread();
}

/// Hands what the session left to it again, if it takes more now.
inline void connection::take_unread() {
    if (!unread_.empty() && !is_gone_ && !session_.is_deaf()) {
        const std::vector<std::byte> unread = std::move(unread_);
        unread_.clear();
        take(unread);
    }
}

/// Sets the timer, if it would go off too late. One that goes off too early is set anew.
inline void connection::arm() {
    std::uint64_t at = session_.next_timeout().value_or(session::never);
    if (is_writing_ && !linger_until_) {
        at = std::min(at, session::sum(progress_, session_.bounds().stall_us));
    }
    if (session_.finished() || has_ended_) {
        if (!linger_until_) {
            linger_until_ = now() + std::min(linger_us, session_.bounds().stall_us);
        }
        at = std::min(at, *linger_until_);
    }
    if (at >= armed_at_) {
        return;
    }
    armed_at_ = at;
    constexpr std::uint64_t most = 3'600'000'000;
    const std::uint64_t passed = now();
    const std::uint64_t left = std::min(at > passed ? at - passed : 0, most);
    timer_.expires_after(std::chrono::microseconds{static_cast<std::int64_t>(left)});
    timer_.async_wait([weak = weak_from_this()](const std::error_code& failed) {
        const auto self = weak.lock();
        if (self && !failed) {
            self->on_timer();
        }
    });
}

inline void connection::on_timer() {
    armed_at_ = session::never;
    if (is_gone_) {
        return;
    }
    const std::uint64_t at = now();
    session_.tick(at);
    if (linger_until_) {
        if (at >= *linger_until_) {
            lose(asio::error::timed_out);
            return;
        }
    } else if (is_writing_ && at >= session::sum(progress_, session_.bounds().stall_us)) {
        session_.stalled(at);
    }
    settle();
    if (!linger_until_) {
        take_unread();
    }
}

/// Ends all that is left.
inline void connection::lose(const std::error_code& why) {
    if (is_gone_) {
        return;
    }
    const auto kept = shared_from_this();
    is_gone_ = true;
    transport_->close();
    timer_.cancel();
    lost_by_ = why;
    if (why != asio::error::operation_aborted) {
        trouble_ = detail::lost_text(why == asio::error::eof ? std::error_code{} : why);
    }
    session_.lost(now());
    tell();
    while (!streams_.empty()) {
        failure lost = failure_of(session::kind::lost, trouble_);
        lost.acted = true;
        end_stream(streams_.begin()->second, &lost);
    }
    late_answers_.clear();
    if (owner_ != nullptr) {
        std::exchange(owner_, nullptr)->on_gone(*this, why_);
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_DRIVING_HPP
