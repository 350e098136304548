/// How handlers hear the events of a mesh [MESH-5].
#ifndef MXP_NET_EVENT_HANDLERS_HPP
#define MXP_NET_EVENT_HANDLERS_HPP

#include <algorithm>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "agent_follower.hpp"
#include "connection_handler.hpp"
#include "mxp_mesh_service.hpp"
#include "subscription.hpp"

namespace mxp::net {

/// Used in the turns of the node's client.
struct subscription::state final : std::enable_shared_from_this<state> {
    using microseconds = std::chrono::microseconds;
    using ends = bidi_stream<mesh::Answer, mesh::Request>;

    static constexpr microseconds pause_least{10'000};
    static constexpr microseconds pause_most{1'000'000};

    state(asio::io_context& io, services hearing, subscription_options settings)
        : served(std::move(hearing)),
          options(std::move(settings)),
          node(io, node_address(options.client.node), of_node(options.client)),
          timer(io) {
        asked.consumer = options.consumer;
        asked.start = options.start;
        asked.unsettled = options.unsettled;
        asked.deliveries = options.deliveries;
        for (const net::service& one : served.all()) {
            one.for_each_method([&](session::purpose kind, std::uint16_t number, const auto&) {
                if (kind == session::purpose::event) {
                    asked.subjects.push_back({one.name(), number});
                }
            });
        }
        if (asked.subjects.empty()) {
            throw std::invalid_argument{"mxp: services that are to subscribe have no events"};
        }
    }

    [[nodiscard]] static client_options of_node(const client_options& options) {
        client_options made = node_options(options);
        made.types = mesh::MeshService::types();
        return made;
    }

    /// A function that calls another later, if this object is still there.
    template <class Function>
    [[nodiscard]] auto in_turn(Function call) {
        return [weak = weak_from_this(), call](auto&&... values) {
            if (const auto self = weak.lock(); self != nullptr && !self->is_over) {
                call(*self, std::forward<decltype(values)>(values)...);
            }
        };
    }

    void subscribe() {
        stream.emplace(mesh::MeshClient{node}.subscribe());
        stream->on_value(in_turn([](state& self, mesh::Answer answer) {
            if (std::holds_alternative<mesh::Answer::Subscribed>(answer.value)) {
                self.change(nullptr);
            } else if (auto* const one = std::get_if<mesh::Answer::Event>(&answer.value)) {
                self.take(*one->value);
            }
        }));
        stream->on_finish(in_turn([](state& self) { self.stream->finish(); }));
        stream->on_end(in_turn([](state& self, const failure* why) {
            self.end(why != nullptr ? *why : unavailable("the node has ended the subscription"));
        }));
        mesh::Request first;
        first.value = mesh::Request::Subscribe{asked};
        stream->send(first);
    }

    /// Subscribes again, after a pause.
    void end(const failure& why) {
        pause = is_there ? pause_least : std::min(std::max(2 * pause, pause_least), pause_most);
        change(&why);
        stream.reset();
        timer.expires_after(pause);
        timer.async_wait([weak = weak_from_this()](const std::error_code& failed) {
            if (const auto self = weak.lock(); self != nullptr && !failed) {
                self->node.post(self->in_turn([](state& core) { core.subscribe(); }));
            }
        });
    }

    /// Notes that it is there, or why it isn't.
    void change(const failure* failure) {
        const bool was_there = is_there.exchange(failure == nullptr);
        const bool is_news = failure == nullptr || was_there || !was_told;
        was_told = true;
        if (is_news && options.on_change) {
            options.on_change(failure);
        }
    }

    /// Has the handler of an event hear it, and settles it.
    void take(mesh::Delivery& delivery) {
        if (delivery.dropped > 0 && options.on_dropped) {
            options.on_dropped(delivery.dropped);
        }
        const auto why = handle(delivery);
        if (options.consumer.empty() || is_over || !stream) {
            return;
        }
        mesh::Settlement made;
        made.number = delivery.number;
        made.outcome = !why                                              ? mesh::Outcome::Done
                       : why->status == session::status::InvalidArgument ? mesh::Outcome::Poison
                                                                         : mesh::Outcome::Again;
        mesh::Request settled;
        settled.value = mesh::Request::Settle{made};
        stream->send(settled);
    }

    std::optional<failure> handle(const mesh::Delivery& delivery) {
        for (const net::service& of : served.all()) {
            const auto* const found = of.name() == delivery.subject.service
                                          ? of.find_event(delivery.subject.method)
                                          : nullptr;
            if (found == nullptr) {
                continue;
            }
            request made;
            made.method = delivery.subject.method;
            made.value = delivery.value;
            made.delivery = &delivery;
            try {
                return heard(of, *found, made);
            } catch (...) {
                node.all_->turns->throw_later();
                return handler_threw();
            }
        }
        return failure_of(session::kind::method_unknown, "no such event is subscribed to");
    }

    /// Has interceptors see an event, and then its handler.
    std::optional<failure> heard(const net::service& service,
                                 const net::service::handler_entry<event_entry>& handler,
                                 const request& request) {
        if (served.interceptors().empty()) {
            return handler.handler.one(request);
        }
        incoming_request shown{
            {service.name(), request.method, handler.name}, session::purpose::event, request};
        detail::show(shown, served.interceptors());
        answer_end ending;
        ending.failed =
            shown.is_refused() ? shown.said().refused : handler.handler.one(shown.request);
        shown.said().tell(ending);
        return ending.failed;
    }

    services served;
    subscription_options options;
    client node;
    asio::steady_timer timer;
    mesh::Subscription asked{};
    std::optional<ends> stream{};
    microseconds pause{0};
    bool was_told = false;
    std::atomic<bool> is_there{false};
    std::atomic<bool> is_over{false};
};

subscription::subscription(asio::io_context& io, services hearing, subscription_options options,
                           detail::standard /*same*/)
    : state_(std::make_shared<state>(io, std::move(hearing), std::move(options))) {
    state_->node.post(state_->in_turn([](state& self) { self.subscribe(); }));
}

subscription::~subscription() {
    state_->is_over = true;
    state_->node.post([kept = state_] { kept->timer.cancel(); });
    state_->node.close();
}

bool subscription::is_there() const noexcept { return state_->is_there; }

}  // namespace mxp::net

#endif  // MXP_NET_EVENT_HANDLERS_HPP
