/// What a connection does with what its session tells.
#ifndef MXP_NET_HANDLING_HPP
#define MXP_NET_HANDLING_HPP

#include "connection.hpp"

namespace mxp::net {

namespace detail {

[[nodiscard]] inline request request_of(const control::CallHeadView& head, bytes_view value) {
    return {head.method(), value, head.metadata(), head.trace(), head.deadline()};
}

}  // namespace detail

inline void connection::handle(const session::in::ready& of) {
    was_ready_ = true;
    if (how_.role == session::role::opener) {
        std::uint16_t number = 0;
        for (const auto& one : of.services) {
            numbers_.emplace(one.name(), number);
            if (number++ == 0xffff) {
                break;
            }
        }
    }
    if (owner_ != nullptr) {
        owner_->on_ready(*this);
    }
}

/// Answers a request that nobody here knows.
inline void connection::refuse(std::uint64_t id) {
    static_cast<void>(session_.fail(
        id,
        {session::status::Unimplemented, true, to_string(session::kind::method_unknown), {}, {}},
        now()));
}

inline void connection::handle(const session::in::call& of) {
    const auto* const handler = (*how_.services)[of.head.service()].find_call(of.head.method());
    if (handler == nullptr) {
        refuse(of.id);
        return;
    }
    const responder by{std::make_shared<responder::state>(weak_from_this(), of.id)};
    responders_.emplace(of.id, by.state_);
    (*handler)(detail::request_of(of.head, of.value), by);
}

inline void connection::handle(const session::in::open& of) {
    const auto* const handler = (*how_.services)[of.head.service()].find_stream(of.head.method());
    if (handler == nullptr) {
        refuse(of.id);
        return;
    }
    const stream made;
    made.state_->by = weak_from_this();
    made.state_->id = of.id;
    made.state_->has_peer_finished = of.is_final;
    streams_.emplace(of.id, made.state_);
    if (!of.is_final) {
        static_cast<void>(session_.grant(of.id, {window_messages, how_.window}, now()));
    }
    (*handler)(detail::request_of(of.head, of.value), made);
    proceed(made.state_);
}

inline void connection::handle(const session::in::event& of) {
    const auto* const handler = (*how_.services)[of.head.service()].find_event(of.head.method());
    if (handler != nullptr) {
        (*handler)(detail::request_of(of.head, of.value));
    }
    if (of.requires_ack && !is_gone_) {
        if (handler == nullptr) {
            refuse(of.id);
        } else {
            static_cast<void>(session_.ack(of.id, 0, now()));
        }
    }
}

/// Tells how a request of this side's has ended.
inline void connection::answer_with(std::uint64_t id, const answer& how) {
    const auto found = pending_.find(id);
    if (found != pending_.end()) {
        const done then = std::move(found->second);
        pending_.erase(found);
        if (then) {
            then(how);
        }
    }
}

inline void connection::handle(const session::in::response& of) {
    answer_with(of.id, {std::nullopt, of.value, of.metadata});
}

inline void connection::handle(const session::in::ended& of) {
    if (const auto found = find_stream(of.id)) {
        const failure why = failure_of(of.why);
        end_stream(found, &why);
        return;
    }
    answer_with(of.id, {failure_of(of.why), {}, {}});
}

inline void connection::handle(const session::in::acked& of) {
    if (of.chunk == 0) {
        answer_with(of.id, {});
    }
}

inline void connection::handle(const session::in::cancelled& of) {
    if (const auto found = find_stream(of.id)) {
        const session::kind kind =
            of.why == session::reason::deadline ? session::kind::deadline_exceeded
            : of.why == session::reason::credit ? session::kind::stream_credit
            : of.why == session::reason::end    ? session::kind::lost
                                                : session::kind::cancelled;
        const failure why = failure_of(kind);
        end_stream(found, &why);
        static_cast<void>(session_.release(of.id, now()));
        return;
    }
    const auto found = responders_.find(of.id);
    if (found == responders_.end()) {
        return;
    }
    if (const auto state = found->second.lock()) {
        state->is_cancelled = true;
        if (const auto then = std::move(state->on_cancel)) {
            then();
        }
    }
}

inline void connection::handle(const session::in::draining& /*of*/) {
    is_draining_ = true;
    if (owner_ != nullptr) {
        owner_->on_draining(*this);
    }
}

inline void connection::handle(const session::in::end& of) {
    has_ended_ = true;
    why_ = failure_of(of.why);
    if (why_.name == to_string(session::kind::lost)) {
        why_.text = trouble_;
    }
}

inline void connection::respond(std::uint64_t id, session::value body, metadata beside) {
    if (is_gone_) {
        return;
    }
    if (session_.is_full()) {
        late_answers_.push_back({id, session::value{std::move(body).own()}, std::move(beside)});
        return;
    }
    const auto sent = session_.respond(id, std::move(body), now(), refer(beside));
    if (!sent && sent.error() == session::kind::payload_too_large) {
        failure why = failure_of(sent.error());
        why.acted = true;
        fail(id, why);
    }
    forget(id);
    touch();
}

inline void connection::fail(std::uint64_t id, const failure& why) {
    if (is_gone_) {
        return;
    }
    const session::refusal said{why.status, !why.acted, why.name, why.text, why.details};
    const auto sent = session_.fail(id, said, now());
    if (!sent && sent.error() == session::kind::payload_too_large) {
        static_cast<void>(session_.release(id, now()));
    }
    forget(id);
    touch();
}

/// Gives up the place of a call whose responder is gone.
inline void connection::release(std::uint64_t id) {
    if (!is_gone_) {
        static_cast<void>(session_.release(id, now()));
        forget(id);
        touch();
    }
}

inline void connection::forget(std::uint64_t id) { responders_.erase(id); }

inline responder::state::~state() {
    const auto on = by.lock();
    if (on && !is_answered) {
        on->release(id);
    }
}

/// Whom to answer, the first time.
inline std::shared_ptr<connection> responder::take() const {
    state_->on_cancel = nullptr;
    return std::exchange(state_->is_answered, true) ? nullptr : state_->by.lock();
}

inline void responder::respond(session::value body, metadata beside) const {
    if (const auto on = take()) {
        on->respond(state_->id, std::move(body), std::move(beside));
    }
}

inline void responder::fail(const failure& why) const {
    if (const auto on = take()) {
        on->fail(state_->id, why);
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_HANDLING_HPP
