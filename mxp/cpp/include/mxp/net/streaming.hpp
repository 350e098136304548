/// How a connection moves the chunks of streams, and what users do with those.
#ifndef MXP_NET_STREAMING_HPP
#define MXP_NET_STREAMING_HPP

#include "../engine/ending.hpp"
#include "handling.hpp"
#include "taking.hpp"

namespace mxp::net {

inline std::shared_ptr<stream::state> connection::find_stream(std::uint64_t id) const {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second;
}

/// Does what has become possible on a stream.
inline void connection::proceed(const std::shared_ptr<stream::state>& of) {
    if (of->is_over || is_gone_) {
        return;
    }
    tell_chunks(of);
    send_unsent(of);
    if (!of->is_over) {
        hold_unsent(*of);
    }
    end_if_over(of);
    touch();
}

/// Does so when `settle` comes.
inline void connection::proceed_later(const std::shared_ptr<stream::state>& of) {
    if (!of->is_over && !is_gone_ && !std::exchange(of->is_called, true)) {
        called_.push_back(of->id);
        touch();
    }
}

/// Sends what the peer has granted, and then what there is to be asked for.
inline void connection::send_unsent(const std::shared_ptr<stream::state>& of) {
    const bool had = !of->unsent.empty();
    if (!send_granted(of) || !send_asked(of)) {
        return;
    }
    if (of->is_finishing && !of->has_finished) {
        of->has_finished = true;
        of->source = nullptr;
        static_cast<void>(session_.finish(of->id, now()));
    }
    if (had && of->on_sent) {
        turns_->shield([then = of->on_sent] { (*then)(); });
    }
}

/// Sends what waits; false if something still does, or the stream has ended.
inline bool connection::send_granted(const std::shared_ptr<stream::state>& of) {
    while (!of->unsent.empty() && !of->is_over) {
        const std::size_t n = of->unsent.front().size();
        if (!send_now(of, of->unsent.front())) {
            return false;
        }
        of->unsent.pop_front();
        of->unsent_bytes -= n;
    }
    return !of->is_over;
}

/// Sends what its user's function gives; false if there may be more, or the stream has ended.
inline bool connection::send_asked(const std::shared_ptr<stream::state>& of) {
    while (of->source && !of->is_finishing) {
        if (session_.is_full(0, true)) {
            proceed_later(of);
            return false;
        }
        std::optional<session::value> body;
        bool has_returned = false;
        turns_->shield([&, next = of->source] {
            body = (*next)();
            has_returned = true;
        });
        if (!has_returned) {
            cancel_stream(of, handler_threw());
        }
        if (of->is_over) {
            return false;
        }
        if (!body) {
            of->is_finishing = true;
        } else if (!of->unsent.empty() || !send_now(of, *body)) {
            if (of->is_over) {
                return false;
            }
            of->unsent_bytes += body->size();
            of->unsent.emplace_back(std::move(*body).own());
        }
        // Chunks that wait since then, or were sent from within the function, go first.
        if (!of->unsent.empty() && !send_granted(of)) {
            return false;
        }
    }
    return true;
}

/// Sends a chunk if it can be sent now. One that never can be ends the stream.
inline bool connection::send_now(const std::shared_ptr<stream::state>& of, session::value& body) {
    std::optional<failure> why;
    const auto result =
        engine::send_chunk(session_, of->id, body, why, [this] { return recent(); });
    if (result == engine::sending::crowded) {
        proceed_later(of);
    } else if (result == engine::sending::refused) {
        cancel_stream(of, *why);
    }
    of->has_moved = of->has_moved || result == engine::sending::sent;
    return result == engine::sending::sent;
}

/// Sends several chunks, those that wait in memory of their own.
inline void connection::send_several(const std::shared_ptr<stream::state>& of,
                                     sdp::span<const bytes_view> bodies) {
    for (const bytes_view one : bodies) {
        if (of->is_over) {
            return;
        }
        session::value body{one};
        if (!of->unsent.empty() || !send_now(of, body)) {
            of->unsent_bytes += one.size();
            of->unsent.emplace_back(std::move(body).own());
        }
    }
    hold_unsent(*of);
    touch();
}

inline void connection::handle(const session::in::finished& of) {
    if (const auto found = find_stream(of.id)) {
        found->has_moved = true;
        found->inbox.has_finished = true;
        proceed(found);
    }
}

inline void connection::handle(const session::in::granted& of) {
    if (const auto found = find_stream(of.id)) {
        proceed(found);
    }
}

/// Ends a stream for its user.
inline void connection::end_stream(const std::shared_ptr<stream::state>& of, const failure* why) {
    if (of->is_over) {
        return;
    }
    streams_.erase(of->id);
    load_.unsent -= std::exchange(of->unsent_held, std::size_t{0});
    load_.chunks -= of->inbox.held();
    of->end(why);
}

inline void connection::end_if_over(const std::shared_ptr<stream::state>& of) {
    if (of->has_finished && of->inbox.was_finish_told) {
        end_stream(of, nullptr);
    }
}

/// Ends a stream at both ends.
inline void connection::cancel_stream(const std::shared_ptr<stream::state>& of,
                                      const failure& why) {
    if (of->is_over || is_gone_) {
        return;
    }
    if (of->is_own) {
        static_cast<void>(session_.cancel(of->id, now()));
    } else {
        report(of->subject, why);
        fail(of->id, why);
    }
    end_stream(of, &why);
    touch();
}

/// Tells the end, and lets go of everything.
inline void stream::state::end(const failure* why) {
    if (is_over.exchange(true)) {
        return;
    }
    measured.end(why != nullptr ? why->status : session::status::Ok,
                 detail::measured::clock::now());
    unsent.clear();
    unsent_bytes = 0;
    inbox.clear();
    const auto over = std::exchange(on_over, nullptr);
    const auto then = std::exchange(on_end, nullptr);
    on_chunk = nullptr;
    on_chunks = nullptr;
    on_finish = nullptr;
    on_sent = nullptr;
    source = nullptr;
    again = nullptr;
    std::optional<failure> told;
    if (why != nullptr) {
        told = subject.explained(*why, detail::measured::clock::now());
    }
    const failure* const shown = told ? &*told : nullptr;
    if (over) {
        turns->shield([&] { over(shown); });
    }
    if (then) {
        turns->shield([&] { then(shown); });
    } else {
        untold = std::make_unique<std::optional<failure>>(std::move(told));
    }
}

stream::stream(std::shared_ptr<detail::strand> turns) : state_(std::make_shared<state>()) {
    state_->turns = std::move(turns);
}

bool stream::is_own() const noexcept { return state_->is_own; }
bool stream::is_over() const noexcept { return state_->is_over; }
std::size_t stream::unsent() const noexcept { return state_->unsent_bytes; }

void stream::on_chunk(std::function<void(bytes_view)> done) const {
    state_->turns->run([of = state_, done = detail::shared_function(std::move(done))] {
        of->on_chunk = done;
        of->on_chunks = nullptr;
        proceed(of);
    });
}
void stream::on_chunks(std::function<void(sdp::span<const bytes_view>)> done) const {
    state_->turns->run([of = state_, done = detail::shared_function(std::move(done))] {
        of->on_chunks = done;
        of->on_chunk = nullptr;
        proceed(of);
    });
}
void stream::on_finish(std::function<void()> done) const {
    state_->turns->run([of = state_, done = detail::shared_function(std::move(done))] {
        if (of->is_finish_untold && done) {
            of->is_finish_untold = false;
            of->turns->post([done] { (*done)(); });
        } else if (!of->is_over) {
            of->on_finish = done;
        }
    });
}
void stream::on_end(std::function<void(const failure*)> done) const {
    state_->turns->run([of = state_, done = std::move(done)]() mutable {
        if (of->untold && done) {
            // It has ended on another thread meanwhile.
            of->turns->post([why = std::move(*std::exchange(of->untold, nullptr)), done] {
                done(why ? &*why : nullptr);
            });
        } else if (!of->is_over) {
            of->on_end = std::move(done);
        }
    });
}
void stream::on_sent(std::function<void()> done) const {
    state_->turns->run([of = state_, done = detail::shared_function(std::move(done))] {
        if (!of->is_over) {
            of->on_sent = done;
        }
    });
}

void stream::send(session::value body) const {
    if (state_->is_over) {
        return;
    }
    state_->unsent_bytes += body.size();
    state_->turns->run_with(std::move(body), [of = state_](session::value what) {
        if (of->is_over || of->is_finishing) {
            of->unsent_bytes -= of->is_over ? 0 : what.size();
            return;
        }
        of->unsent.emplace_back(std::move(what).own());
        proceed(of);
    });
}

void stream::send_batch(sdp::span<const bytes_view> bodies) const {
    if (state_->is_over || bodies.empty()) {
        return;
    }
    state_->turns->run_with_all(bodies, [of = state_](sdp::span<const bytes_view> what) {
        if (of->is_over || of->is_finishing) {
            return;
        }
        if (const auto there = of->link.lock()) {
            there->send_several(of, what);
            return;
        }
        for (const bytes_view one : what) {
            of->unsent_bytes += one.size();
            of->unsent.emplace_back(session::value{one}.own());
        }
    });
}

void stream::send_all(std::function<std::optional<session::value>()> next) const {
    state_->turns->run([of = state_, next = detail::shared_function(std::move(next))] {
        if (!of->is_over && !of->is_finishing) {
            of->source = next;
            proceed(of);
        }
    });
}

void stream::finish() const {
    state_->turns->run([of = state_] {
        of->is_finishing = true;
        proceed(of);
    });
}

void stream::finish_now() const {
    state_->turns->run([of = state_] {
        of->unsent.clear();
        of->unsent_bytes = 0;
        of->is_finishing = true;
        proceed(of);
    });
}

void stream::cancel() const { fail(engine::acted(failure_of(session::kind::cancelled))); }

void stream::fail(const failure& why) const {
    state_->turns->run([of = state_, why] { fail(of, why); });
}
inline void stream::fail(const std::shared_ptr<state>& of, const failure& why) {
    if (const auto there = of->link.lock()) {
        there->cancel_stream(of, why);
    } else {
        of->end(&why);
    }
}

void stream::pause() const {
    state_->turns->run([of = state_] { of->inbox.is_paused = true; });
}

void stream::resume() const {
    state_->turns->run([of = state_] {
        of->inbox.is_paused = false;
        proceed(of);
    });
}

/// In a turn of its own, so that no function of the user's is called from within a call of his.
inline void stream::proceed(const std::shared_ptr<state>& of) {
    if (const auto there = of->link.lock()) {
        there->proceed_later(of);
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_STREAMING_HPP
