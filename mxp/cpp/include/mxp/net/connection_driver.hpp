/// How a connection reads, writes and waits.
#ifndef MXP_NET_CONNECTION_DRIVER_HPP
#define MXP_NET_CONNECTION_DRIVER_HPP

#include "../engine/failure_text.hpp"
#include "connection.hpp"

namespace mxp::net {

inline void connection::reject(const failure& why) {
    session_.reject({why.status, true, why.name, why.text, why.details}, now());
    start();
}

inline void connection::read() {
    if (!is_reading_ && !is_gone_ && unread_.empty() && !is_paused_ && !turn_.is_spent()) {
        is_reading_ = true;
        if (is_bulky_ && !has_place_) {
            awaits_read_ = true;
            options_.bulk_reads->wait(weak_from_this());
        } else {
            bytes_->read(shared_from_this());
        }
    }
}

inline void connection::on_turn() {
    turns_->run([self = shared_from_this()] {
        if (self->turn_.is_awaited()) {
            self->go_on();
        } else if (!self->is_gone_ && std::exchange(self->awaits_read_, false)) {
            self->bytes_->read(self);
        }
    });
}

inline void connection::on_bytes(bytes_view come) {
    note_read(come.size());
    is_reading_ = false;
    if (!turn_.is_awaited()) {
        turn_.begin();
    }
    take(come);
}

/// Lets others have their turns before the peer's next values are taken. Nothing is read
/// meanwhile.
inline void connection::await_turn() {
    if (!turn_.await()) {
        return;
    }
    session_.pause(now());
    await_hang_up();
    if (options_.bulk_reads != nullptr && !has_place_) {
        options_.bulk_reads->wait(weak_from_this());
    } else {
        turns_->post([kept = shared_from_this()] { kept->go_on(); });
    }
}

/// Takes what was left of the turn before.
inline void connection::go_on() {
    if (!turn_.begin() || is_gone_) {
        return;
    }
    const auto kept = shared_from_this();
    if (!is_paused_) {
        session_.resume(now());
    }
    observation([this] { serve_rest(); });
    settle();
    take_unread();
    read();
}

/// Notes how much was read at once.
inline void connection::note_read(std::size_t n) {
    if (options_.bulk_reads == nullptr) {
        return;
    }
    is_bulky_ = n >= detail::bulky_bytes;
    if (is_bulky_ && !has_place_) {
        has_place_ = options_.bulk_reads->take_place();
    } else if (!is_bulky_ && std::exchange(has_place_, false)) {
        options_.bulk_reads->give_place_back();
    }
}

/// Does what calls functions of users; `settle` follows. An exception of a user's function is
/// shielded. After any other exception, as where there is no memory, the state is unknown: the
/// connection is lost, and the runner of the context gets the exception.
template <class Tell>
void connection::observation(Tell tell) {
    struct busy {
        explicit busy(connection& connection) : of(connection) {
            of.is_busy_ = true;
            static_cast<void>(of.now());
        }
        busy(const busy&) = delete;
        busy& operator=(const busy&) = delete;
        ~busy() {
            of.is_busy_ = false;
            if (has_thrown) {
                of.trouble_ = "its state is unknown, since something threw";
                of.turns_->post(
                    [kept = of.shared_from_this()] { kept->lose(asio::error::operation_aborted); });
            }
        }
        connection& of;
        bool has_thrown = true;
    };
    busy now_busy{*this};
    tell();
    now_busy.has_thrown = false;
}

/// Hands bytes to the session, and its news to their receivers.
inline void connection::take(bytes_view come) {
    const auto kept = shared_from_this();
    do {
        observation([this, &come] {
            while (!is_gone_ && !turn_.is_spent()) {
                const auto one = session_.receive(come, latest_);
                if (!one) {
                    break;
                }
                std::visit([this](const auto& event) { heed(event); }, *one);
            }
        });
        settle();
        if (is_gone_) {
            return;
        }
    } while (!come.empty() && !session_.is_deaf() && !turn_.is_spent());
    unread_.assign(come.begin(), come.end());
    read();
}

/// Follows everything that is done with the session: sees to it that `settle` comes.
inline void connection::touch() {
    if (is_busy_ || is_posted_ || is_gone_) {
        return;
    }
    is_posted_ = true;
    static_cast<void>(now());
    turns_->post([kept = shared_from_this()] {
        kept->is_posted_ = false;
        kept->settle();
    });
}

/// Tells the session's news, writes its frames, and waits for the next bytes.
inline void connection::settle() {
    if (is_gone_) {
        return;
    }
    const auto kept = shared_from_this();
    bool has_more = false;
    observation([&] {
        tell();
        make_room();
        flush();
        make_room();
        tell();
        has_more = flush();
    });
    if (is_gone_) {
        return;
    }
    if (!is_writing_ || has_ended_) {
        session_.shrink();
    }
    if (!is_writing_) {
        batch_.shrink();
    }
    weigh();
    if (turn_.is_spent()) {
        await_turn();
    }
    arm();
    // Waiting requests go on, once others have had their turn: also where the frames before them
    // are written already.
    if ((has_more && !is_writing_) ||
        (!called_.empty() && !turn_.is_spent() && !session_.is_full(0, true))) {
        touch();
    }
}

/// Tells what the session says without bytes.
inline void connection::tell() {
    while (const auto one = session_.next()) {
        std::visit([this](const auto& event) { heed(event); }, *one);
    }
}

/// Lets those go on who wait for room in the queue, in the order in which they came.
inline void connection::make_room() {
    if (is_gone_) {
        return;
    }
    if (!session_.is_full() && !late_answers_.empty()) {
        std::vector<detail::late_answer> late = std::move(late_answers_);
        late_answers_.clear();
        load_.late = 0;
        for (detail::late_answer& one : late) {
            respond(one.id, std::move(one.body), std::move(one.beside));
        }
    }
    std::vector<std::uint64_t> called = std::move(called_);
    called_.clear();
    for (const std::uint64_t id : called) {
        if (const auto found = find_stream(id)) {
            found->is_called = false;
            proceed(found);
        }
    }
    if (!is_gone_) {
        tell_owners([this](owner& holder) { holder.on_room(*this); });
    }
}

/// Writes what waits, as far as it is taken at once, and says whether there was anything.
inline bool connection::flush() {
    bool has_any = false;
    while (!is_writing_ && !is_broken_ && !is_gone_) {
        session_.poll_batch(batch_, now(), write_bytes);
        tell_given();
        if (batch_.empty()) {
            finish();
            break;
        }
        has_any = true;
        pieces_.clear();
        first_piece_ = 0;
        batch_.each([this](bytes_view piece) { pieces_.emplace_back(piece.data(), piece.size()); });
        progress_ = now();
        write();
    }
    return has_any;
}

/// Ends this side's direction if nothing is left to do [MXP-11.5].
inline void connection::finish() {
    if (session_.finished() && !has_finished_) {
        has_finished_ = true;
        linger();
        bytes_->finish(shared_from_this());
    }
}

/// Waits no longer for the peer than is set.
inline void connection::linger() {
    if (!linger_until_) {
        linger_until_ = session::sum(now(), session_.bounds().linger_us);
    }
}

/// Tells of events without an Ack that they were given out.
inline void connection::tell_given() {
    while (!given_later_.empty() && session_.is_given(given_later_.front().frame)) {
        const answer_handler then = std::move(given_later_.front().then);
        given_later_.pop_front();
        turns_->shield([&] { then({std::nullopt, {}, {}, nullptr, nullptr, latest()}); });
    }
}

/// Writes the pieces, until they are gone or have to wait.
inline void connection::write() {
    while (first_piece_ < pieces_.size()) {
        const std::size_t n = bytes_->write(
            {pieces_.data() + first_piece_, pieces_.size() - first_piece_}, shared_from_this());
        if (n == 0) {
            is_writing_ = true;
            return;
        }
        wrote(n);
    }
    batch_.clear();
}

/// Passes over bytes that were written.
inline void connection::wrote(std::size_t n) {
    while (n > 0 && n >= pieces_[first_piece_].size()) {
        n -= pieces_[first_piece_].size();
        ++first_piece_;
    }
    if (n > 0) {
        pieces_[first_piece_] += n;
    }
}

inline void connection::on_written(std::size_t n, bool has_waited) {
    is_writing_ = false;
    if (is_gone_) {
        return;
    }
    progress_ = now();
    if (has_waited) {
        session_.moved(progress_);
    }
    wrote(n);
    write();
    if (is_writing_) {
        arm();
        return;
    }
    settle();
    take_unread();
}

/// Bytes that the peer has sent before it went are still read.
inline void connection::on_unwritten(const std::error_code& why) {
    is_writing_ = false;
    if (is_gone_) {
        return;
    }
    is_broken_ = true;
    broken_by_ = why;
    batch_.clear();
    pieces_.clear();
    linger();
    arm();
    if (!is_reading_ && !turn_.is_awaited()) {
        lose(why);
    }
}

/// Hands what the session left to it again, if it takes more now.
inline void connection::take_unread() {
    if (!unread_.empty() && !is_gone_ && !is_paused_ && !session_.is_deaf() && !turn_.is_spent()) {
        const std::vector<std::byte> unread = std::move(unread_);
        unread_.clear();
        take(unread);
    }
}

/// The time at which the peer has taken none of the written bytes for too long.
inline std::uint64_t connection::write_due() const {
    if (!is_writing_) {
        return session::never;
    }
    const session::limits& bounds = session_.bounds();
    const bool is_over = session_.finished() || has_ended_;
    return session::sum(progress_,
                        is_over ? std::min(bounds.linger_us, bounds.stall_us) : bounds.stall_us);
}

/// Sets the timer, if it would go off too late. A timer that goes off too early is set anew.
inline void connection::arm() {
    const std::uint64_t at =
        std::min({session_.next_timeout().value_or(session::never), write_due(), look_at_,
                  linger_until_.value_or(session::never)});
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
            self->turns_->run([self] { self->on_timer(); });
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
    if (at >= linger_until_.value_or(session::never)) {
        lose(is_broken_ ? broken_by_ : asio::error::timed_out);
        return;
    }
    if (at >= write_due()) {
        if (session_.finished() || has_ended_) {
            lose(asio::error::timed_out);
            return;
        }
        session_.stalled(at);
    }
    if (at >= look_at_) {
        look_for_hang_up();
    }
    settle();
    take_unread();
}

/// Ends all that is left.
inline void connection::lose(const std::error_code& why) {
    if (is_gone_) {
        return;
    }
    const auto kept = shared_from_this();
    is_gone_ = true;
    bytes_->close();
    timer_.cancel();
    lost_by_ = why;
    if (why != asio::error::operation_aborted) {
        trouble_ = engine::lost_text(why == asio::error::eof ? std::error_code{} : why);
    }
    turn_.rest.reset();
    session_.lost(now());
    tell();
    while (!streams_.empty()) {
        const failure lost = engine::acted(failure_of(session::kind::lost, trouble_));
        end_stream(streams_.begin()->second, &lost);
    }
    late_answers_.clear();
    load_.late = 0;
    fail_unsent(failure_of(session::kind::lost, trouble_));
    leave_others();
    held_now_ = 0;
    if (options_.agents != nullptr) {
        options_.agents->release(options_.owner);
    }
    tell_owners([this](owner& holder) { holder.on_gone(*this, why_); });
    owner_.reset();
    back_.reset();
    back_client_.reset();
}

/// Fails events without an Ack that were not given out: nobody has acted on them.
inline void connection::fail_unsent(const failure& why) {
    for (const detail::late_end& one : std::exchange(given_later_, {})) {
        turns_->shield([&] { one.then({why, {}, {}}); });
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_CONNECTION_DRIVER_HPP
