/// Streams of a blocking client.
#ifndef MXP_NET_BLOCKING_STREAM_HPP
#define MXP_NET_BLOCKING_STREAM_HPP

#include <algorithm>

#include "../engine/window.hpp"
#include "blocking_state.hpp"

namespace mxp::net {

/// Has the client work on a stream's connection, and then on its own again.
class blocking_stream::link_scope {
   public:
    link_scope(blocking_caller& client, const state& state) : client_(client) {
        const auto found =
            std::find_if(client.old_.begin(), client.old_.end(),
                         [&](const auto& item) { return item->number_ == state.link; });
        if (!state.is_over && state.link != client.number_ && found != client.old_.end()) {
            other_ = found->get();
            swap();
        }
    }
    link_scope(const link_scope&) = delete;
    link_scope& operator=(const link_scope&) = delete;
    ~link_scope() {
        if (other_ == nullptr) {
            return;
        }
        const bool is_done = client_.streams_.empty();
        if (is_done) {
            client_.drop();
        }
        swap();
        if (is_done) {
            client_.old_.erase(
                std::find_if(client_.old_.begin(), client_.old_.end(),
                             [&](const auto& item) { return item.get() == other_; }));
        }
    }

   private:
    void swap() { std::swap(static_cast<detail::blocking_link&>(client_), *other_); }

    blocking_caller& client_;
    detail::blocking_link* other_ = nullptr;
};

inline outcome<blocking_stream> blocking_caller::open(const method& method, bytes_view value,
                                                      call_options options, bool is_final) {
    session::value body{value};
    const auto made = std::make_shared<blocking_stream::state>();
    made->subject = subject_of(method);
    if (!options_.interceptors.empty()) {
        auto shown =
            detail::show(options_.interceptors, method, session::purpose::stream, body, options);
        made->ends = std::move(shown.said().ends);
        if (shown.is_refused()) {
            made->end(shown.said().refused);
            return failure_result{*made->failed};
        }
    }
    made->has_deadline = options.deadline.count() > 0;
    made->subject.most = most(options);
    made->subject.begun = clock::now();
    made->measured = measure(method);
    made->credit.most = engine::messages_of(method.service);
    const auto make = [&](const session::request& call, session::value payload,
                          const call_options&) {
        return session_->open(call, {made->credit.most, options_.window}, is_final,
                              std::move(payload), now());
    };
    const auto id = request(method, made->subject.begun + made->subject.most, body, options, make);
    if (!id) {
        made->end(id.error());
        return failure_result{*made->failed};
    }
    made->id = *id;
    made->link = number_;
    made->has_finished = is_final;
    streams_.emplace(*id, made);
    static_cast<void>(write());
    return blocking_stream{*this, made};
}

inline void blocking_caller::handle(const session::in::chunk& event) {
    const auto found = streams_.find(event.id);
    if (found != streams_.end()) {
        found->second->chunks.emplace_back(event.value.begin(), event.value.end());
        found->second->credit.came(event.number, event.requires_ack);
        found->second->has_peer_finished = event.is_final;
    }
}

inline void blocking_caller::handle(const session::in::chunks& event) {
    const auto found = streams_.find(event.id);
    if (found != streams_.end()) {
        for (const bytes_view value : event.values) {
            found->second->chunks.emplace_back(value.begin(), value.end());
        }
        found->second->credit.came(event.first + event.values.size() - 1, event.requires_ack);
        found->second->has_peer_finished = event.is_final;
    }
}

inline void blocking_caller::handle(const session::in::finished& event) {
    const auto found = streams_.find(event.id);
    if (found != streams_.end()) {
        found->second->has_peer_finished = true;
    }
}

inline void blocking_stream::state::end(std::optional<failure> why) {
    if (std::exchange(is_over, true)) {
        return;
    }
    measured.end(why ? why->status : session::status::Ok, std::chrono::steady_clock::now());
    if (why) {
        subject.explain(*why, std::chrono::steady_clock::now());
    }
    failed = std::move(why);
    answer told;
    told.failed = failed;
    ends.tell(told);
}

/// Ends it if nothing is left to do.
inline void blocking_stream::end_if_finished() {
    if (state_->has_finished && state_->has_peer_finished && state_->chunks.empty()) {
        caller_->streams_.erase(state_->id);
        state_->end(std::nullopt);
    }
}

/// Waits until something has happened.
inline outcome<void> blocking_stream::wait(std::chrono::steady_clock::time_point deadline) {
    const auto passed = std::chrono::steady_clock::now();
    if (state_->has_deadline) {
        deadline = passed + std::chrono::minutes{1};  // the session ends it before, if it is time
    } else if (passed >= deadline) {
        cancel();
        // The patience is with each step of a stream.
        engine::subject step = state_->subject;
        step.most = caller_->options_.patience;
        step.begun = passed - step.most;
        return failed_outcome{
            step.explained(engine::acted(failure_of(session::kind::deadline_exceeded)), passed)};
    }
    caller_->turn(deadline);
    return {};
}

/// Waits until a chunk can be sent, and has the session send it; false if the peer has finished
/// before, and that ends it.
inline outcome<bool> blocking_stream::queue(bytes_view chunk, bool until_finished) {
    const auto until = std::chrono::steady_clock::now() + caller_->options_.patience;
    for (;;) {
        if (state_->failed) {
            return failed_outcome{*state_->failed};
        }
        if (until_finished && state_->has_peer_finished) {
            return false;
        }
        if (state_->is_over || state_->has_finished) {
            return refused(failure_of(session::kind::exchange_ended));
        }
        session::value body{chunk};
        std::optional<failure> why;
        const auto done = engine::send_chunk(*caller_->session_, state_->id, body, why,
                                             [this] { return caller_->now(); });
        if (done == engine::chunk_outcome::refused) {
            return refused(std::move(*why));
        }
        if (done == engine::chunk_outcome::sent) {
            return true;
        }
        if (auto waited = wait(until); !waited) {
            return failed_outcome{waited.error()};
        }
    }
}

outcome<void> blocking_stream::write(bytes_view chunk, bool until_finished) {
    return write_batch({&chunk, 1}, until_finished);
}

outcome<void> blocking_stream::write_batch(sdp::span<const bytes_view> chunks,
                                           bool until_finished) {
    const link_scope here{*caller_, *state_};
    outcome<bool> sent = true;
    for (const bytes_view one : chunks) {
        sent = queue(one, until_finished);
        if (!sent || !*sent) {
            break;
        }
    }
    if (caller_->session_) {
        static_cast<void>(caller_->write());
    }
    if (!sent) {
        return failed_outcome{sent.error()};
    }
    return {};
}

outcome<void> blocking_stream::finish() {
    const link_scope here{*caller_, *state_};
    if (state_->failed) {
        return failed_outcome{*state_->failed};
    }
    if (!std::exchange(state_->has_finished, true)) {
        static_cast<void>(caller_->session_->finish(state_->id, caller_->now()));
        static_cast<void>(caller_->write());
        end_if_finished();
    }
    return {};
}

/// Waits for a chunk; false if the peer has finished.
inline outcome<bool> blocking_stream::await_chunk() {
    const auto until = std::chrono::steady_clock::now() + caller_->options_.patience;
    while (state_->chunks.empty()) {
        if (state_->failed) {
            return failed_outcome{*state_->failed};
        }
        if (state_->has_peer_finished) {
            end_if_finished();
            return false;
        }
        if (auto waited = wait(until); !waited) {
            return failed_outcome{waited.error()};
        }
    }
    return true;
}

outcome<std::optional<std::vector<std::byte>>> blocking_stream::read() {
    const link_scope here{*caller_, *state_};
    const auto there = await_chunk();
    if (!there) {
        return failed_outcome{there.error()};
    }
    if (!*there) {
        return std::optional<std::vector<std::byte>>{};
    }
    auto chunk = std::optional{std::move(state_->chunks.front())};
    state_->chunks.pop_front();
    took(1, chunk->size());
    return chunk;
}

outcome<std::size_t>
blocking_stream::read_batch(const std::function<void(sdp::span<const bytes_view>)>& sink) {
    constexpr std::size_t most = 256;
    std::vector<std::vector<std::byte>> kept;
    {
        const link_scope here{*caller_, *state_};
        const auto there = await_chunk();
        if (!there) {
            return failed_outcome{there.error()};
        }
        std::size_t n = 0;
        kept.reserve(std::min(most, state_->chunks.size()));
        while (kept.size() < most && !state_->chunks.empty()) {
            n += state_->chunks.front().size();
            kept.push_back(std::move(state_->chunks.front()));
            state_->chunks.pop_front();
        }
        took(kept.size(), n);
    }
    if (!kept.empty()) {
        const std::vector<bytes_view> shown(kept.begin(), kept.end());
        sink({shown.data(), shown.size()});
    }
    return kept.size();
}

/// Counts what was taken.
inline void blocking_stream::took(std::size_t messages, std::size_t n) {
    if (!state_->is_over &&
        state_->credit.took(*caller_->session_, state_->id, messages, n, caller_->options_.window,
                            !state_->has_peer_finished, [this] { return caller_->now(); })) {
        static_cast<void>(caller_->write());
    }
}

void blocking_stream::cancel() {
    if (caller_ == nullptr || state_->is_over) {
        return;
    }
    const link_scope here{*caller_, *state_};
    caller_->streams_.erase(state_->id);
    if (state_->has_finished && state_->has_peer_finished) {
        took(std::exchange(state_->chunks, {}).size(), 0);
        end_if_finished();
        return;
    }
    state_->end(engine::acted(failure_of(session::kind::cancelled)));
    if (caller_->session_) {
        static_cast<void>(caller_->session_->cancel(state_->id, caller_->now()));
        caller_->tell({});
        static_cast<void>(caller_->write());
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_BLOCKING_STREAM_HPP
