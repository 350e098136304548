/// How a connection moves the chunks of streams, and what users do with those.
#ifndef MXP_NET_STREAM_CHUNKS_HPP
#define MXP_NET_STREAM_CHUNKS_HPP

#include "../engine/ending.hpp"
#include "chunk_queue.hpp"
#include "connection_handler.hpp"

namespace mxp::net {

inline std::shared_ptr<stream::state> connection::find_stream(std::uint64_t id) const {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second;
}

/// Does what has become possible on a stream.
inline void connection::proceed(const std::shared_ptr<stream::state>& stream) {
    if (stream->is_over || is_gone_) {
        return;
    }
    tell_chunks(stream);
    send_unsent(stream);
    if (!stream->is_over) {
        hold_unsent(*stream);
    }
    end_if_over(stream);
    touch();
}

/// Does so when `settle` comes.
inline void connection::proceed_later(const std::shared_ptr<stream::state>& stream) {
    if (!stream->is_over && !is_gone_ && !std::exchange(stream->is_called, true)) {
        called_.push_back(stream->id);
        touch();
    }
}

/// Sends what the peer has granted, and then what there is to be asked for.
inline void connection::send_unsent(const std::shared_ptr<stream::state>& stream) {
    const bool had = !stream->unsent.empty();
    if (!send_granted(stream) || !send_asked(stream)) {
        return;
    }
    if (stream->is_finishing && !stream->has_finished) {
        stream->has_finished = true;
        stream->source = nullptr;
        static_cast<void>(session_.finish(stream->id, now()));
    }
    if (had && stream->on_sent) {
        turns_->shield([then = stream->on_sent] { (*then)(); });
    }
}

/// Sends what waits; false if something still does, or the stream has ended.
inline bool connection::send_granted(const std::shared_ptr<stream::state>& stream) {
    while (!stream->unsent.empty() && !stream->is_over) {
        const std::size_t n = stream->unsent.front().size();
        if (!send_now(stream, stream->unsent.front())) {
            return false;
        }
        stream->unsent.pop_front();
        stream->unsent_bytes -= n;
    }
    return !stream->is_over;
}

/// Sends what its user's function gives; false if there may be more, or the stream has ended.
inline bool connection::send_asked(const std::shared_ptr<stream::state>& stream) {
    while (stream->source && !stream->is_finishing) {
        if (session_.is_full(0, true)) {
            proceed_later(stream);
            return false;
        }
        std::optional<session::value> body;
        bool has_returned = false;
        turns_->shield([&, next = stream->source] {
            body = (*next)();
            has_returned = true;
        });
        if (!has_returned) {
            cancel_stream(stream, handler_threw());
        }
        if (stream->is_over) {
            return false;
        }
        if (!body) {
            stream->is_finishing = true;
        } else if (!stream->unsent.empty() || !send_now(stream, *body)) {
            if (stream->is_over) {
                return false;
            }
            stream->unsent_bytes += body->size();
            stream->unsent.emplace_back(std::move(*body).own());
        }
        // Chunks that wait since then, or were sent from within the function, go first.
        if (!stream->unsent.empty() && !send_granted(stream)) {
            return false;
        }
    }
    return true;
}

/// Sends a chunk if it can be sent now. A chunk that never can be sent ends the stream.
inline bool connection::send_now(const std::shared_ptr<stream::state>& stream,
                                 session::value& body) {
    std::optional<failure> why;
    const auto result =
        engine::send_chunk(session_, stream->id, body, why, [this] { return recent(); });
    if (result == engine::chunk_outcome::crowded) {
        proceed_later(stream);
    } else if (result == engine::chunk_outcome::refused) {
        cancel_stream(stream, *why);
    }
    stream->has_moved = stream->has_moved || result == engine::chunk_outcome::sent;
    return result == engine::chunk_outcome::sent;
}

/// Sends several chunks; chunks that have to wait get memory of their own.
inline void connection::send_several(const std::shared_ptr<stream::state>& stream,
                                     sdp::span<const bytes_view> bodies) {
    for (const bytes_view one : bodies) {
        if (stream->is_over) {
            return;
        }
        session::value body{one};
        if (!stream->unsent.empty() || !send_now(stream, body)) {
            stream->unsent_bytes += one.size();
            stream->unsent.emplace_back(std::move(body).own());
        }
    }
    hold_unsent(*stream);
    touch();
}

inline void connection::handle(const session::in::finished& event) {
    if (const auto found = find_stream(event.id)) {
        found->has_moved = true;
        found->inbox.has_finished = true;
        proceed(found);
    }
}

inline void connection::handle(const session::in::granted& event) {
    if (const auto found = find_stream(event.id)) {
        proceed(found);
    }
}

/// Ends a stream for its user.
inline void connection::end_stream(const std::shared_ptr<stream::state>& stream,
                                   const failure* why) {
    if (stream->is_over) {
        return;
    }
    streams_.erase(stream->id);
    load_.unsent -= std::exchange(stream->unsent_held, std::size_t{0});
    load_.chunks -= stream->inbox.held();
    stream->end(why);
}

inline void connection::end_if_over(const std::shared_ptr<stream::state>& stream) {
    if (stream->has_finished && stream->inbox.was_finish_told) {
        end_stream(stream, nullptr);
    }
}

/// Ends a stream at both ends.
inline void connection::cancel_stream(const std::shared_ptr<stream::state>& stream,
                                      const failure& why) {
    if (stream->is_over || is_gone_) {
        return;
    }
    if (stream->is_own) {
        static_cast<void>(session_.cancel(stream->id, now()));
    } else {
        report(stream->subject, why);
        fail(stream->id, why);
    }
    end_stream(stream, &why);
    touch();
}

/// Tells the end, and lets go of everything.
inline void stream::state::end(const failure* why) {
    if (is_over.exchange(true)) {
        return;
    }
    measured.end(why != nullptr ? why->status : session::status::Ok,
                 detail::request_meter::clock::now());
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
        told = subject.explained(*why, detail::request_meter::clock::now());
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

void stream::on_chunk(std::function<void(bytes_view)> hook) const {
    state_->turns->run([of = state_, hook = detail::shared_function(std::move(hook))] {
        of->on_chunk = hook;
        of->on_chunks = nullptr;
        proceed(of);
    });
}
void stream::on_chunks(std::function<void(sdp::span<const bytes_view>)> hook) const {
    state_->turns->run([of = state_, hook = detail::shared_function(std::move(hook))] {
        of->on_chunks = hook;
        of->on_chunk = nullptr;
        proceed(of);
    });
}
void stream::on_finish(std::function<void()> hook) const {
    state_->turns->run([of = state_, hook = detail::shared_function(std::move(hook))] {
        if (of->is_finish_untold && hook) {
            of->is_finish_untold = false;
            of->turns->post([hook] { (*hook)(); });
        } else if (!of->is_over) {
            of->on_finish = hook;
        }
    });
}
void stream::on_end(std::function<void(const failure*)> hook) const {
    state_->turns->run([of = state_, hook = std::move(hook)]() mutable {
        if (of->untold && hook) {
            // It has ended on another thread meanwhile.
            of->turns->post([why = std::move(*std::exchange(of->untold, nullptr)), hook] {
                hook(why ? &*why : nullptr);
            });
        } else if (!of->is_over) {
            of->on_end = std::move(hook);
        }
    });
}
void stream::on_sent(std::function<void()> hook) const {
    state_->turns->run([of = state_, hook = detail::shared_function(std::move(hook))] {
        if (!of->is_over) {
            of->on_sent = hook;
        }
    });
}

void stream::send(session::value body) const {
    if (state_->is_over) {
        return;
    }
    state_->unsent_bytes += body.size();
    state_->turns->run_with(std::move(body), [of = state_](session::value value) {
        if (of->is_over || of->is_finishing) {
            of->unsent_bytes -= of->is_over ? 0 : value.size();
            return;
        }
        of->unsent.emplace_back(std::move(value).own());
        proceed(of);
    });
}

void stream::send_batch(sdp::span<const bytes_view> bodies) const {
    if (state_->is_over || bodies.empty()) {
        return;
    }
    state_->turns->run_with_all(bodies, [of = state_](sdp::span<const bytes_view> values) {
        if (of->is_over || of->is_finishing) {
            return;
        }
        if (const auto there = of->link.lock()) {
            there->send_several(of, values);
            return;
        }
        for (const bytes_view one : values) {
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
inline void stream::fail(const std::shared_ptr<state>& core, const failure& why) {
    if (const auto there = core->link.lock()) {
        there->cancel_stream(core, why);
    } else {
        core->end(&why);
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
inline void stream::proceed(const std::shared_ptr<state>& core) {
    if (const auto there = core->link.lock()) {
        there->proceed_later(core);
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_STREAM_CHUNKS_HPP
