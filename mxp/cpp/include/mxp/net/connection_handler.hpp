/// The handling of what its session tells a connection.
#ifndef MXP_NET_CONNECTION_HANDLER_HPP
#define MXP_NET_CONNECTION_HANDLER_HPP

#include <exception>

#include "../engine/ending.hpp"
#include "connection.hpp"
#include "request_parts.hpp"

namespace mxp::net {

inline void connection::handle(const session::in::ready& event) {
    was_ready_ = true;
    numbers_.assign(event.services);
    tell_owners([this](owner& holder) { holder.on_ready(*this); });
}

inline void connection::handle(const session::in::registration& event) {
    answer_lease(event.id, options_.agents->enter(options_.owner, *event.asked));
}

inline void connection::handle(const session::in::heartbeat& event) {
    answer_lease(event.id, options_.agents->renew(options_.owner, event.name));
}

inline void connection::handle(const session::in::discovery& event) {
    respond(event.id, encoded_response(options_.agents->find(*event.asked)).value(), {});
}

inline void connection::answer_lease(std::uint64_t id,
                                     const session::result<registry::Lease>& lease) {
    if (!lease) {
        fail(id, failure_of(lease.error()));
        return;
    }
    respond(id, encoded_response(*lease).value(), {});
}

inline request connection::request_of(const control::CallHeadView& head, bytes_view value) {
    request made{head.method(), value,           head.metadata(),
                 head.trace(),  head.deadline(), options_.who};
    made.by = weak_from_this();
    constexpr std::uint64_t most = 1'000'000'000'000'000;  // more is for ever
    if (made.deadline > 0 && made.deadline < most) {
        made.until = std::chrono::steady_clock::now() +
                     std::chrono::microseconds{static_cast<std::int64_t>(made.deadline)};
    }
    return made;
}

/// Answers a request whose method there is not.
inline void connection::refuse(std::uint64_t id, const net::service& service, std::string_view kind,
                               const control::CallHeadView& head) {
    const std::uint16_t method = head.method();
    const failure why = failure_of(session::kind::method_unknown, service.unknown(kind, method));
    report(subject_of(service, method, {}), why, true);
    if (options_.told != nullptr) {
        detail::tell_refused(options_.told, {service.name(), method, {}}, request_of(head, {}),
                             why);
    }
    fail(id, why);
}

inline engine::subject connection::subject_of(const net::service& service, std::uint16_t method,
                                              std::string_view name) const {
    return {service.name(), method, std::string{name}, options_.peer};
}

/// Tells a failure of the peer's request that is this side's to mend, or any.
inline void connection::report(const engine::subject& subject, const failure& why,
                               bool always) const {
    if (options_.on_failure && (always || why.status == session::status::Internal ||
                                why.name == to_string(session::kind::payload_too_large))) {
        turns_->shield([&] { options_.on_failure(subject.explained(why, clock::now())); });
    }
}

/// The failure of a request whose handler threw. Peers are not told the exception.
[[nodiscard]] inline failure handler_threw() {
    return {session::status::Internal, "internal", "the handler threw", {}, true};
}

/// Calls a handler, or the interceptors before it, and says whether they have returned. An
/// exception of theirs is told, and comes out of the context, once everything else that was read is
/// handled.
template <class Handle>
bool connection::handling(const net::service& service, std::uint16_t method, std::string_view name,
                          Handle handle) {
    std::string what;
    try {
        handle();
        return true;
    } catch (const std::exception& thrown) {
        turns_->throw_later();
        what.append(": ").append(thrown.what());
    } catch (...) {
        turns_->throw_later();
    }
    failure why = handler_threw();
    why.text += what;
    report(subject_of(service, method, name), why);
    return false;
}

inline void connection::handle(const session::in::call& event) {
    turn_.spend(1);
    const net::service& service = (*options_.services)[event.head.service()];
    const auto* const found = service.find_call(event.head.method());
    if (found == nullptr) {
        refuse(event.id, service, "call", event.head);
        return;
    }
    const responder to{std::make_shared<responder::state>(weak_from_this(), event.id)};
    open_calls_.emplace(event.id, open_call{to.state_, &service, event.head.method(),
                                            measure(service, event.head.method(), found->name)});
    const request asked = request_of(event.head, event.value);
    const auto guarded = [&](auto then) {
        return handling(service, event.head.method(), found->name, then);
    };
    bool has_returned = true;
    if (options_.services->interceptors().empty()) {
        has_returned = guarded([&] { found->handler(asked, to); });
    } else {
        incoming_request shown{
            {service.name(), asked.method, found->name}, session::purpose::call, asked};
        has_returned = guarded([&] { detail::show(shown, options_.services->interceptors()); });
        to.state_->ends = std::move(shown.said().ends);
        open_calls_.find(event.id)->second.over = std::move(shown.said().over);
        if (has_returned && shown.is_refused()) {
            to.fail(*shown.said().refused);
            return;
        }
        has_returned = has_returned && guarded([&] { found->handler(shown.request, to); });
    }
    if (!has_returned && to.take()) {
        answer_end ending;
        ending.failed = handler_threw();
        turns_->shield([&] { to.state_->tell(ending); });
        if (ending.failed) {
            fail(event.id, *ending.failed);
        } else {
            respond(event.id, std::move(ending.value), std::move(ending.metadata));
        }
    }
}

inline void connection::handle(const session::in::open& event) {
    turn_.spend(1);
    const net::service& service = (*options_.services)[event.head.service()];
    const auto* const found = service.find_stream(event.head.method());
    if (found == nullptr) {
        refuse(event.id, service, "stream", event.head);
        return;
    }
    const stream made{turns_};
    made.state_->link = weak_from_this();
    made.state_->id = event.id;
    made.state_->inbox.has_finished = event.is_final;
    made.state_->subject = subject_of(service, event.head.method(), found->name);
    made.state_->measured = detail::meters::begin(
        options_.meters, {session::side::server, service.name(), event.head.method()}, found->name,
        latest());
    if (event.head.deadline() > 0 && event.head.deadline() < session::never / 2) {
        made.state_->subject.begun = clock::now();
        made.state_->subject.most =
            std::chrono::microseconds{static_cast<std::int64_t>(event.head.deadline())};
    }
    streams_.emplace(event.id, made.state_);
    incoming_request shown{{service.name(), event.head.method(), found->name},
                           session::purpose::stream,
                           request_of(event.head, event.value)};
    const auto guarded = [&](auto then) {
        return handling(service, event.head.method(), found->name, then);
    };
    bool has_returned = guarded([&] { detail::show(shown, options_.services->interceptors()); });
    if (!options_.services->interceptors().empty()) {
        made.state_->on_over = [said = shown.said()](const failure* why) {
            answer_end ending;
            ending.failed = why == nullptr ? std::nullopt : std::optional{*why};
            said.tell(ending);
        };
    }
    if (has_returned && shown.is_refused()) {
        made.fail(*shown.said().refused);
        return;
    }
    if (has_returned && !event.is_final) {
        static_cast<void>(
            session_.grant(event.id, {engine::window_messages, options_.window}, now()));
    }
    has_returned = has_returned && guarded([&] { found->handler(shown.request, made); });
    if (!has_returned && !made.state_->is_over && !is_gone_) {
        const failure why = handler_threw();
        fail(event.id, why);
        end_stream(made.state_, &why);
    }
    proceed(made.state_);
}

/// Tells how a request of this side's has ended.
inline void connection::answer_with(std::uint64_t id, const answer& answer) {
    const auto found = pending_.find(id);
    if (found != pending_.end()) {
        const answer_handler then = std::move(found->second);
        pending_.erase(found);
        if (then) {
            turns_->shield([&] { then(answer); });
        }
    }
}

inline void connection::handle(const session::in::response& event) {
    answer_with(event.id, {std::nullopt, event.value, event.metadata, nullptr, nullptr, latest()});
}

/// Why a request has ended, perhaps with its connection.
inline failure connection::ending_of(const session::failure& why) const {
    return engine::ending_of(failure_of(why), trouble_, overrun_text_);
}

inline void connection::handle(const session::in::ended& event) {
    if (const auto found = find_stream(event.id)) {
        const failure why = ending_of(event.why);
        if (found->again && !found->has_moved && !why.acted && found->again(why)) {
            streams_.erase(event.id);
            load_.unsent -= std::exchange(found->unsent_held, std::size_t{0});
            return;
        }
        end_stream(found, &why);
        return;
    }
    answer_with(event.id, {ending_of(event.why), {}, {}});
}

inline void connection::handle(const session::in::acked& event) {
    if (event.chunk == 0) {
        answer_with(event.id, {});
    }
}

inline void connection::handle(const session::in::cancelled& event) {
    const session::kind kind = engine::kind_of(event.why);
    if (const auto found = find_stream(event.id)) {
        const failure why =
            engine::acted(engine::ending_of(failure_of(kind), trouble_, overrun_text_));
        end_stream(found, &why);
        static_cast<void>(session_.release(event.id, now()));
        return;
    }
    const auto found = open_calls_.find(event.id);
    if (found == open_calls_.end()) {
        return;
    }
    found->second.cancelled = kind;
    if (const auto state = found->second.answers.lock()) {
        turns_->shield([&] { state->cancel(kind); });
    }
}

inline void connection::handle(const session::in::draining& /*of*/) {
    is_draining_ = true;
    tell_owners([this](owner& holder) { holder.on_draining(*this); });
}

inline void connection::handle(const session::in::end& event) {
    has_ended_ = true;
    is_rejected_ = event.is_remote && event.is_refused && engine::is_silent(session_.counters());
    why_ = ending_of(event.why);
    fail_unsent(refused(why_));
    late_answers_.clear();
    load_.late = 0;
    tell_owners([this](owner& holder) { holder.on_ended(*this, why_); });
}

inline void connection::respond(std::uint64_t id, session::value body, metadata entries) {
    if (is_gone_) {
        return;
    }
    // Beside a long value, what stands before it decides whether the answer is large.
    const bool is_surely_small = !body.is_large() && entries.empty();
    const auto sent =
        session_.is_full()
            ? session::result<void>{session::unexpected{session::kind::limit_queue_bytes}}
            : session_.respond(id, is_surely_small ? std::move(body) : body.share(), recent(),
                               refer(entries));
    if (!sent && sent.error() == session::kind::limit_queue_bytes) {
        load_.late += body.size() + engine::parcel::item_held;
        late_answers_.push_back({id, session::value{std::move(body).shared()}, std::move(entries)});
        return;
    }
    if (!sent && sent.error() == session::kind::payload_too_large) {
        const failure why = engine::acted(engine::refusal_of(sent.error(), session_));
        report_call(id, why);
        fail(id, why);
    }
    forget(id, nullptr);
    touch();
}

/// Tells that a call has failed, if that is this side's to mend.
inline void connection::report_call(std::uint64_t id, const failure& why) const {
    const auto found = open_calls_.find(id);
    if (options_.on_failure && found != open_calls_.end()) {
        const net::service& service = *found->second.service;
        const std::uint16_t method = found->second.method;
        report(subject_of(service, method, service.find_call(method)->name), why);
    }
}

inline void connection::fail(std::uint64_t id, const failure& why) {
    if (is_gone_) {
        return;
    }
    engine::fail(session_, id, why, now());
    forget(id, &why);
    touch();
}

/// Gives up the place of a call whose responder is gone.
inline void connection::release(std::uint64_t id) {
    if (!is_gone_) {
        static_cast<void>(session_.release(id, now()));
        const failure why = failure_of(session::kind::cancelled);
        forget(id, &why);
        touch();
    }
}

/// Counts the end of a call of the peer's, and tells it.
inline void connection::forget(std::uint64_t id, const failure* why) {
    const auto found = open_calls_.find(id);
    if (found == open_calls_.end()) {
        return;
    }
    open_call& of = found->second;
    const session::status status = why != nullptr ? why->status : session::status::Ok;
    of.measured.end(of.cancelled ? static_cast<session::status>(session::status_of(*of.cancelled))
                                 : status,
                    latest());
    if (of.over) {
        answer_end ending;
        ending.failed = why == nullptr ? std::nullopt : std::optional{*why};
        ending.cancelled = of.cancelled;
        of.over(ending);
    }
    open_calls_.erase(found);
}

inline responder::state::~state() {
    if (is_answered) {
        return;
    }
    answer_end ending;
    ending.failed = failure_of(cancelled_by);
    ending.failed->acted = true;
    tell(ending);
    if (const auto there = origin.lock()) {
        there->turns_->run([there, n = id] { there->release(n); });
    }
}

/// Tells that nobody waits for the answer any more.
inline void responder::state::cancel(session::kind why) {
    std::function<void()> then;
    cancelled_by = why;
    {
        const std::lock_guard<std::mutex> lock{mutex};
        is_cancelled = true;
        then = std::exchange(on_cancel, nullptr);
    }
    if (then) {
        then();
    }
}

bool responder::is_cancelled() const noexcept { return state_->is_cancelled; }

void responder::on_cancel(std::function<void()> hook) const {
    {
        const std::lock_guard<std::mutex> lock{state_->mutex};
        state_->has_on_cancel = true;
        if (!state_->is_cancelled) {
            state_->on_cancel = std::move(hook);
            return;
        }
    }
    hook();
}

/// Whether it is the first answer.
inline bool responder::take() const {
    if (state_->has_on_cancel) {
        const std::lock_guard<std::mutex> lock{state_->mutex};
        state_->on_cancel = nullptr;
    }
    return !state_->is_answered.exchange(true);
}

inline void responder::end(answer_end ending) const {
    const auto there = state_->origin.lock();
    if (!there) {
        state_->tell(ending);
        return;
    }
    there->turns_->shield([&] { state_->tell(ending); });
    if (ending.failed) {
        there->turns_->run([there, id = state_->id, why = std::move(*ending.failed)] {
            there->report_call(id, why);
            there->fail(id, why);
        });
    } else {
        there->turns_->run_with(std::move(ending.value),
                                [there, id = state_->id,
                                 beside = std::move(ending.metadata)](session::value body) mutable {
                                    there->respond(id, std::move(body), std::move(beside));
                                });
    }
}

void responder::respond(session::value body, metadata entries) const {
    if (take()) {
        end({std::nullopt, std::move(body), std::move(entries)});
    }
}

void responder::fail(const failure& why) const {
    if (take()) {
        end({why, {}, {}});
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_CONNECTION_HANDLER_HPP
